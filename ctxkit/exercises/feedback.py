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
    except KeyboardInterrupt:
        raise
    except BaseException:  # a learner's class may raise SystemExit too
        return kind(value)


def kind(value: object) -> str:
    """The type of a learner's value, with its article.

    >>> kind(7), kind([1, 2])
    ('an int', 'a list')
    """
    try:
        name = one_line(type(value).__name__, 60)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a metaclass may hide the name
        name = "value"
    return f"an {name}" if name[:1].lower() in tuple("aeiou") else f"a {name}"


def error_line(error: BaseException) -> str:
    """An error of a learner's code on one line, also where its text itself fails.

    >>> error_line(ValueError("two\\nlines"))
    'ValueError: two lines'
    """
    name = kind(error).split(" ", 1)[1]
    try:
        return one_line(f"{name}: {error}")
    except KeyboardInterrupt:
        raise
    except BaseException:
        return name
