"""What an exercise is: plain data plus one function that reads an answer.

Contract of a `check`: it takes the learner's answer, returns nothing when the answer is right, raises
`Wrong` with one friendly sentence when it isn't, and `Todo` when the answer still holds the three dots of
the starter. The sentence says what to look at, never the value that was expected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Wrong(Exception):
    """An answer is not right yet; the text is what the learner reads."""


class Todo(Exception):
    """The answer still is the starter's `...`."""


@dataclass(frozen=True)
class WrongAnswer:
    """Code that a learner might well write in place of the starter, and what the check says to it."""

    code: str
    message: str


@dataclass(frozen=True)
class Exercise:
    """One exercise of a lesson.

    id: lesson number, dash, short name. name: the variable or function that is handed in. starter: code with
    dots where the answer goes. right: one sentence for a right answer. wrong: slips that the check knows.
    hints: two or three, from a nudge to nearly there.
    """

    id: str
    name: str
    starter: str
    check: Callable[[Any], None]
    right: str
    wrong: tuple[WrongAnswer, ...]
    hints: tuple[str, ...]
    starred: bool = False

    def cell(self, code: str) -> str:
        """The whole notebook cell with `code` in it: the starter, or what a learner wrote in its place."""
        return f'{code}\n\ncheck_answer("{self.id}", {self.name})'


@dataclass(frozen=True)
class Question:
    """A prediction that a lesson asks for: a number, or one of `choices`. It is kept and never graded."""

    id: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """The exercises and predictions of one lesson, in the order of its notebook."""

    number: str
    exercises: tuple[Exercise, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Solution:
    """One accepted answer, written in place of the starter, and why it works."""

    code: str
    why: str
