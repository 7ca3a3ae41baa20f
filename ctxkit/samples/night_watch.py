"""A night on call: an agent that reads logs, built by code, for pipelines of several transforms.

Nine results, three of them long. What the last question asks for stands in one line of the first log and
nowhere else: it is lost when that log is cleared or dropped before it was summarised.
"""

from __future__ import annotations

from ctxkit.messages import Message, ToolCall

REJECTED = "error: relay-3 rejected the newsletter, its certificate expired on 3 May"
QUESTION = "For my report: which relay rejected the newsletter?"
ANSWER_IN = 3
"""Index of the only message with the answer."""


def night_watch() -> list[Message]:
    """The conversation.

    >>> talk = night_watch()
    >>> len(talk), sum(message.role == "tool" for message in talk)
    (34, 9)
    >>> [index for index, message in enumerate(talk) if "relay-3" in str(message.content)]
    [3]
    """
    newsletter = [f"21:{minute:02}  batch {minute} of 24 packed, 50 letters" for minute in range(1, 25)]
    backup = [
        f"01:{minute:02}  copied volume {minute:02}, {90 + 7 * minute % 40} files" for minute in range(10, 40)
    ]
    export = ["02:05  export begins", *["waiting for the archive"] * 300, "error: rejected, no credentials"]
    read = "read_log"
    return [
        Message.system("You help whoever is on call. Look everything up with the tools and never guess."),
        Message.user("Good evening, Noor here, on call until six. The newsletter did not go out. Why?"),
        _call("a", read, job="newsletter"),
        _result("a", read, *newsletter, REJECTED),
        Message.assistant("A mail server rejected it because of a certificate. The letters are packed."),
        Message.user("Then it can wait until the morning. Are the invoices printed?"),
        _call("b", read, job="invoices"),
        _result("b", read, "22:10  312 invoices in the queue", "22:31  312 invoices printed", "22:31  done"),
        Message.assistant("Yes, all 312, at 22:31."),
        Message.user("How full are the disks?"),
        _call("c", "disk_space"),
        _result("c", "disk_space", "disk    used", "alpha   41 %", "bravo   93 %", "carbon  67 %"),
        Message.assistant("One of them is nearly full: bravo, at 93 %."),
        Message.user("What fills it?"),
        _call("d", "largest_folders", disk="bravo"),
        _result("d", "largest_folders", "scans   412 GB", "mail     96 GB", "temp     71 GB"),
        Message.assistant("Mostly scans, 412 GB. The temp folder has 71 GB that could go."),
        Message.user("Empty temp, please, and tell me how full it is then."),
        _call("e", "empty_folder", disk="bravo", folder="temp"),
        _result("e", "empty_folder", "71 GB freed", "bravo   84 %"),
        Message.assistant("Done: bravo is at 84 % now."),
        Message.user("Did the backup run?"),
        _call("f", read, job="backup"),
        _result("f", read, *backup, "01:41  done: 30 volumes copied"),
        Message.assistant("Yes, 30 volumes were copied, and it was done at 01:41."),
        Message.user("And the export to the archive? Look at the queue too."),
        Message.assistant(
            "", [ToolCall("g", read, {"job": "export"}), ToolCall("h", "queue", {"name": "archive"})]
        ),
        _result("g", read, *export),
        _result("h", "queue", "archive: 1 job, waiting since 02:05"),
        Message.assistant("It waited for hours and was then rejected: credentials are missing."),
        Message.user("End it, then. I shall ask for the credentials in the morning."),
        _call("i", "end_job", job="export"),
        _result("i", "end_job", "export ended at 05:12"),
        Message.user(QUESTION),
    ]


def _call(call_id: str, name: str, **arguments: str) -> Message:
    return Message.assistant("", [ToolCall(call_id, name, arguments)])


def _result(call_id: str, name: str, *lines: str) -> Message:
    return Message.tool("\n".join(lines), call_id, name)
