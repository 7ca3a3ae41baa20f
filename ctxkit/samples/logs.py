"""Logs as a tool gives them back, built by code: guide A's example (a WayFlow how-to), in the kit's own
words.

One line says that the work starts, 2,000 equal lines say that it waits, and the last one names the user whose
credentials are missing. What a reader needs is 1 line of 2,002.
"""

from __future__ import annotations

from ctxkit.messages import Message, ToolCall

FIRST = "starting the night export"
WAITING = "waiting for the archive"
LAST = "error: the archive refused the export, the credentials of user 'ines.okafor' are missing"
MISSING_USER = "ines.okafor"


def waiting_log(lines: int = 2_000) -> str:
    """The log, with so many waiting lines.

    >>> log = waiting_log()
    >>> len(log), log.splitlines()[0], log.splitlines()[-1][:30]
    (48115, 'starting the night export', 'error: the archive refused the')
    """
    return "\n".join([FIRST, *[WAITING] * lines, LAST, ""])


def log_talk(lines: int = 2_000) -> list[Message]:
    """A question about the log, the call that reads it, and the log.

    >>> [message.role for message in log_talk()]
    ['user', 'assistant', 'tool']
    """
    return [
        Message.user("Explain the error."),
        Message.assistant("", [ToolCall("log_1", "read_log", {})]),
        Message.tool(waiting_log(lines), "log_1", "read_log"),
    ]
