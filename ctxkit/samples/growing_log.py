"""A log that grows while one talks about it, built by code: the tool gives all of it back at each call.

The night scan of a picture archive, read four times. Most lines are told apart by a number only, one repeats,
one in the middle is the error that is asked about, and one result is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ctxkit.messages import Message, ToolCall

FIRST = "20:00:00 night scan started, 240 glass plates in the rack"
WAITING = "waiting for the rack to turn"
ERROR = (
    "20:20:30 error: plate 041 was not stored, the credentials of user 'tove.lind' are missing at the vault"
)
SCANNED_BEFORE, WAITED, SCANNED_AFTER = 40, 30, 48
READS = (84, 92, 100, 108)
"""Lines that the log has when it is read."""


def growing_log(lines: int = READS[-1]) -> str:
    """The log when it has so many lines (default 108, at most 120).

    >>> [growing_log(lines).count(WAITING) for lines in (42, 60, 108)]
    [0, 18, 30]
    >>> growing_log(108).startswith(growing_log(84))
    True
    >>> growing_log().splitlines()[32]
    '20:16:00 plate 032: 76 MB, 2 scratches, stored'
    """
    before = [_plate(number) for number in range(1, SCANNED_BEFORE + 1)]
    after = [_plate(SCANNED_BEFORE + 1 + number) for number in range(1, SCANNED_AFTER + 1)]
    whole = [FIRST, *before, ERROR, *[WAITING] * WAITED, *after]
    return "".join(f"{line}\n" for line in whole[:lines])


def growing_talk() -> list[Message]:
    """The talk: 22 messages, four readings of the log and one of the disks; the last result is still fresh.

    >>> talk = growing_talk()
    >>> [index for index, message in enumerate(talk) if message.role == "tool"]
    [3, 9, 13, 17, 21]
    """
    first, *later = READS
    return [
        Message.system("You watch over the night scan of a picture archive. Look into the log first."),
        Message.user("Explain the error."),
        *_read(1, first),
        Message.assistant("Plate 041 was scanned but not stored: the vault has no credentials of tove.lind."),
        Message.user("Which line repeats? Don't call the tool again."),
        Message.assistant(f"“{WAITING}”, {WAITED} times."),
        Message.user("Is there room on the disks for the rest of the night?"),
        Message.assistant("", [ToolCall("disks_1", "read_disks", {})]),
        Message.tool(_disks(), "disks_1", "read_disks"),
        Message.assistant("Yes, on all disks but D09, which reports failing sectors. Leave that one out."),
        *_later(later),
    ]


def _later(reads: Sequence[int]) -> list[Message]:
    """The same question again and again, as one who waits asks it."""
    asked = (
        "How far is the scan now?",
        "And now?",
        "I am about to go home. Is all well?",
    )
    said = (
        "It goes on, plate after plate.",
        "Eight plates further. Nothing else went wrong, only that one plate.",
    )
    talk: list[Message] = []
    for turn, (question, lines) in enumerate(zip(asked, reads, strict=True)):
        talk += [Message.user(question), *_read(turn + 2, lines)]
        talk += [Message.assistant(said[turn])] if turn < len(said) else []
    return talk


def _read(number: int, lines: int) -> list[Message]:
    name = f"log_{number}"
    return [
        Message.assistant("", [ToolCall(name, "read_log", {})]),
        Message.tool(growing_log(lines), name, "read_log"),
    ]


def _plate(number: int) -> str:
    """A plate takes half a minute; size and scratches are made up, the same each time."""
    minutes, seconds = divmod(30 * number, 60)
    size, scratches = 70 + number * 37 % 31, 2 + number * 5 % 8
    return f"20:{minutes:02d}:{seconds:02d} plate {number:03d}: {size} MB, {scratches} scratches, stored"


def _disks() -> str:
    disks = [
        {
            "disk": f"D{number:02d}",
            "free_gb": 40 + number * 53 % 97,
            "state": "failing sectors" if number == 9 else "healthy",
        }
        for number in range(1, 25)
    ]
    return json.dumps(disks)
