"""What a learner sees: one line of text that starts with an icon and a word.

Contract: the text is the same in a notebook, a terminal and a saved file; meaning never hangs on colour or
the icon alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["todo", "wrong", "right"]

LABELS: dict[Status, str] = {"todo": "○ To do", "wrong": "✗ Not yet", "right": "✓ Right"}


@dataclass(frozen=True, repr=False)
class CheckResult:
    """How an answer was judged.

    >>> CheckResult("wrong", "Count the first message too.")
    ✗ Not yet: Count the first message too.
    """

    status: Status
    message: str

    def __repr__(self) -> str:
        return f"{LABELS[self.status]}: {self.message}"


@dataclass(frozen=True, repr=False)
class Note:
    """Text for a learner that a notebook shows without quotes.

    >>> Note("Hint 1 of 2: Look at the last message.")
    Hint 1 of 2: Look at the last message.
    """

    text: str

    def __repr__(self) -> str:
        return self.text


def one_line(text: str, limit: int = 160) -> str:
    """Bring foreign text (an error, an answer) onto one line of at most `limit` characters.

    >>> one_line("two\\nlines"), one_line("abcdef", limit=4)
    ('two lines', 'abc…')
    """
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def shown(value: object, limit: int = 60) -> str:
    """`repr` of a learner's value on one line, also where that repr itself fails.

    >>> shown([1, 2])
    '[1, 2]'
    """
    try:
        return one_line(repr(value), limit)
    except Exception:
        return f"a {type(value).__name__}"
