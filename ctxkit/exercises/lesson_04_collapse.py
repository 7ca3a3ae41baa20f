"""The starred exercise of lesson 4: saying once what repeats."""

from __future__ import annotations

import re
from typing import Any

from ctxkit.exercises.feedback import kind, shown
from ctxkit.exercises.model import Exercise, Wrong, WrongAnswer
from ctxkit.exercises.probe import call

FAR_APART = "Only lines that follow each other may become one: lines in between must not be jumped."
SINGLE = "A line that stands alone stays as it is, without a number."
_REPEATED = re.compile(r"\*(\d)")
COUNTED = "Each run of equal lines becomes one line with how often it stood there, also the last run."


def check_collapse(answer: Any) -> None:
    cases = (
        ("start end", "start end", COUNTED, "lines that are all different"),
        ("go on go", "go on go", FAR_APART, "equal lines with another between them"),
        ("start wait wait wait end", "start wait*3 end", COUNTED, "a line that stands there three times"),
        ("wait wait", "wait*2", COUNTED, "two equal lines"),
        ("", "", COUNTED, "no lines"),
        ("go go on go go", "go*2 on go*2", FAR_APART, "two runs of the same line"),
    )
    for lines, runs, slip, about in cases:
        expected = [_REPEATED.sub(r" [repeated \1 times]", run) for run in runs.split()]
        given = texts(call(answer, lines.split(), about=about))
        if given != expected:
            raise Wrong(SINGLE if any("[repeated 1 time" in line for line in given) else slip)


def texts(answer: Any) -> list[str]:
    """Read a list of texts that a learner's function gave back."""
    if not isinstance(answer, (list, tuple)) or not all(isinstance(text, str) for text in answer):
        raise Wrong(f"A list of texts is wanted here, and {shown(answer)} is {kind(answer)}.")
    return [*answer]


COLLAPSE = Exercise(
    id="04-collapse",
    name="collapse",
    starter="""\
def collapse(lines):
    return ...  # a list of lines""",
    check=check_collapse,
    right="2,000 lines of waiting cost as much as one, and nothing is lost.",
    wrong=(
        WrongAnswer(
            """\
def collapse(lines):
    times = {line: lines.count(line) for line in lines}
    return [f"{line} [repeated {n} times]" if n > 1 else line for line, n in times.items()]""",
            FAR_APART,
        ),
        WrongAnswer(
            """\
def collapse(lines):
    from itertools import groupby
    return [f"{line} [repeated {len(list(run))} times]" for line, run in groupby(lines)]""",
            SINGLE,
        ),
        WrongAnswer(
            """\
def collapse(lines):
    return [line for i, line in enumerate(lines) if i == 0 or line != lines[i - 1]]""",
            COUNTED,
        ),
    ),
    hints=(
        "Keep pairs of a line and its number. When is a line one more of the last pair?",
        "Equal to the line of the last pair: raise its number. Otherwise: append a new pair.",
        "Write the lines at the end, and leave the number away where it is 1.",
    ),
    starred=True,
)
