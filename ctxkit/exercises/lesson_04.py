"""Exercises of lesson 4: cutting, keeping, paying for long results; the last in `lesson_04_collapse`."""

from __future__ import annotations

from typing import Any

from ctxkit._sync import run
from ctxkit.exercises.lesson_04_collapse import COLLAPSE, texts
from ctxkit.exercises.model import Exercise, Lesson, Question, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, whole_number
from ctxkit.models import OfflineModel
from ctxkit.samples import load_sample
from ctxkit.samples.logs import waiting_log
from ctxkit.transforms import SummarizeToolResults

SIZE = 400
NEWEST_TWO = {17, 21}
"""Indexes of the newest results of the log in the sample."""

TOO_YOUNG = "With that age at least one of the newest two is shortened."
LOWER_KEEPS = "That age keeps both, but a smaller one does too. Count the replies after the older of the two."
BELOW_ZERO = "An age is a number of replies, so it can't be below zero."


def check_min_age(answer: Any) -> None:
    age = whole_number(answer)
    if age < 0:
        raise Wrong(BELOW_ZERO)
    if not _both_whole(age):
        raise Wrong(TOO_YOUNG)
    if age and _both_whole(age - 1):
        raise Wrong(LOWER_KEEPS)


def _both_whole(age: int) -> bool:
    decisions = run(SummarizeToolResults(OfflineModel(), SIZE, min_age=age).apply(load_sample("growing_log")))
    return all(d.action == "kept" for d in decisions.decisions if d.index in NEWEST_TWO)


MIN_AGE = Exercise(
    id="04-min-age",
    name="min_age",
    starter="""\
min_age = ...  # a number of replies""",
    check=check_min_age,
    right="calls count as replies too, so each further reading ages the ones before it.",
    wrong=(
        WrongAnswer("min_age = 1", TOO_YOUNG),
        WrongAnswer("min_age = 10", LOWER_KEEPS),
        WrongAnswer("min_age = -1", BELOW_ZERO),
    ),
    hints=(
        "A result is shortened once `min_age` assistant messages follow it. Calls of tools count.",
        "How many assistant messages follow message 17? With exactly that age it is shortened.",
    ),
)

CUT_IN_TWO = "A chunk of yours ends in the middle of a line. The next begins with the rest of it."
NOT_THE_TEXT = "Joined, your chunks are not the text any more. Are all lines there, with their line breaks?"
TOO_LONG = "One of your chunks has more than `size` characters. Look before you add a line."
TOO_MANY = "That makes more chunks than needed, and each costs a call. Fill one before you begin the next."


def check_cut(answer: Any) -> None:
    cases = (
        (waiting_log(50), 300, "a log of 52 lines"),
        ("one\ntwo\nthree\n", 8, "a text of three lines"),
        ("ab\ncd\n", 5, "two lines that are together one character too long"),
        ("alpha\nbeta", 100, "a text that fits into one chunk"),
        ("a\n\nbcd\n", 4, "a text with an empty line"),
    )
    for text, size, about in cases:
        chunks = texts(call(answer, text, size, about=about))
        if "".join(chunks) != text:
            raise Wrong(NOT_THE_TEXT)
        if any(not chunk.endswith("\n") for chunk in chunks[:-1] if chunk):  # an empty one is one too many
            raise Wrong(CUT_IN_TWO)
        if any(len(chunk) > size for chunk in chunks):
            raise Wrong(TOO_LONG)
        if len(chunks) > _fewest(text, size):
            raise Wrong(TOO_MANY)


def _fewest(text: str, size: int) -> int:
    """How many chunks whole lines need at least, each line being no longer than `size`."""
    count, left = 0, 0
    for line in text.splitlines(keepends=True):
        if len(line) > left:
            count, left = count + 1, size
        left -= len(line)
    return count


CUT = Exercise(
    id="04-cut",
    name="cut",
    starter="""\
def cut(text, size):
    return ...  # a list of texts""",
    check=check_cut,
    right="now a name or a number can't be torn apart between two calls.",
    wrong=(
        WrongAnswer(
            """\
def cut(text, size):
    return [text[start:start + size] for start in range(0, len(text), size)]""",
            CUT_IN_TWO,
        ),
        WrongAnswer(
            """\
def cut(text, size):
    chunks = [""]
    for line in text.splitlines():
        if len(chunks[-1]) + len(line) > size:
            chunks.append("")
        chunks[-1] += line
    return chunks""",
            NOT_THE_TEXT,
        ),
        WrongAnswer("cut = lambda text, size: [text]", TOO_LONG),
        WrongAnswer("cut = lambda text, size: text.splitlines(keepends=True)", TOO_MANY),
    ),
    hints=(
        "`text.splitlines(keepends=True)` gives the lines, each with its line break.",
        "Go line by line. Does the line still fit into the last chunk?",
        'Begin with `chunks = [""]`. Where a line does not fit, append an empty text; then add the line.',
    ),
)

ROLLING = (
    "The summary after a chunk rests on all chunks before it. Once one of them is another, nothing after it "
    "can be taken from the cache."
)
FULLER = "When a log grows, its last chunk may become fuller. Then it is another chunk, in the same place."
FREE = "Where all of it was summarised before, there is nothing to pay."


def check_to_pay(answer: Any) -> None:
    cases = (
        (["ab", "cd", "ef"], ["ab", "cd", "ef"], 0, FREE, "a result that stayed the same"),
        (["ab", "cd", "ef"], ["ab", "cd"], 0, FREE, "a result that lost its last chunk"),
        (["ab", "cd", "e"], ["ab", "cd", "ef"], 1, FULLER, "a result whose last chunk became fuller"),
        (["ab", "cd", "ef"], ["ab", "cd", "ef", "g"], 1, FULLER, "a result with one more chunk"),
        (["ab", "cd", "e"], ["ab", "cd", "ef", "g"], 2, FULLER, "a result that grew"),
        (["ab", "cd", "ef"], ["xb", "cd", "ef"], 3, ROLLING, "a result whose first chunk changed"),
        (["ab", "cd", "ef"], ["ab", "ef", "cd"], 2, ROLLING, "a result whose chunks changed places"),
        ([], ["ab", "cd"], 2, ROLLING, "a result never seen before"),
    )
    for before, after, expected, slip, about in cases:
        if whole_number(call(answer, before, after, about=about)) != expected:
            raise Wrong(slip)


TO_PAY = Exercise(
    id="04-to-pay",
    name="to_pay",
    starter="""\
def to_pay(before, after):
    return ...  # a number of calls""",
    check=check_to_pay,
    right="a log that grows at its end costs little; one whose first line changes costs everything.",
    wrong=(
        WrongAnswer("to_pay = lambda before, after: len(after) - len(before)", FREE),
        WrongAnswer("to_pay = lambda before, after: max(0, len(after) - len(before))", FULLER),
        WrongAnswer(
            """\
def to_pay(before, after):
    return len([chunk for chunk in after if chunk not in before])""",
            ROLLING,
        ),
    ),
    hints=(
        "Compare chunk by chunk from the start. How far do the two agree?",
        "`zip(before, after)` pairs them. Everything from the first difference on has to be paid.",
        "No difference in the pairs? Then only what `after` has more than `before` is left.",
    ),
)

LESSON = Lesson(
    "04",
    exercises=(MIN_AGE, CUT, TO_PAY, COLLAPSE),
    questions=(Question("04-calls"), Question("04-grown")),
)
