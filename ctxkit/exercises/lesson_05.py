"""Exercises of lesson 5: what summaries cost, and how one is framed; `lesson_05_fold` has the starred one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ctxkit._sync import run
from ctxkit.exercises.feedback import kind, shown
from ctxkit.exercises.lesson_05_fold import TO_FOLD
from ctxkit.exercises.model import Exercise, Lesson, Question, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, whole_number
from ctxkit.messages import Message
from ctxkit.messages.text import content_text
from ctxkit.models import OfflineModel
from ctxkit.replay import replay
from ctxkit.samples import load_sample
from ctxkit.tokens import count_tokens
from ctxkit.transforms import SummarizeOldMessages

MOST_TOKENS, KEEP = 1_200, 5

NOT_ABOVE = "`max_messages` must be above `min_messages`, or there is never anything to fold."
TOO_MUCH = "With that setting some calls send more than 1,200 tokens. Look for the highest coloured bar."
MORE_FITS = "All calls stay below 1,200 tokens, but they would with a larger number too."


def check_most(answer: Any) -> None:
    most = whole_number(answer)
    if most <= KEEP:
        raise Wrong(NOT_ABOVE)
    if _highest(most) > MOST_TOKENS:
        raise Wrong(TOO_MUCH)
    if _highest(most + 1) <= MOST_TOKENS:
        raise Wrong(MORE_FITS)


@lru_cache(maxsize=256)
def _highest(most: int) -> int:
    """Tokens of the largest call of the sample."""
    calls = run(replay(SummarizeOldMessages(OfflineModel(), most, KEEP), load_sample("dolphins")))
    return max(count_tokens(outcome.messages) for outcome in calls)


MOST = Exercise(
    id="05-most",
    name="most",
    starter="""\
most = ...  # a whole number of messages""",
    check=check_most,
    right="a limit in messages is a guess about tokens: `max_tokens` says what you mean.",
    wrong=(
        WrongAnswer("most = 5", NOT_ABOVE),
        WrongAnswer("most = 20", TOO_MUCH),
        WrongAnswer("most = 8", MORE_FITS),
    ),
    hints=(
        "In the lab, leave `min_messages` at 5 and move the other threshold: which bars are the highest?",
        "The last cell of this notebook prints the largest call of a setting. Try some there.",
    ),
)

EACH_TURN = "That is one call for each message above the threshold. But after a summary, less is sent."
PARTIAL = "A step that is not full still ends in a summary: once the threshold is crossed, round up."
NEGATIVE = "A conversation that stays within `most` costs nothing, and never less than nothing."
STEPS = "The first summary comes after `most` messages, each further one after `most - keep` more."


def check_calls(answer: Any) -> None:
    cases = (
        (20, 20, 5, "a conversation that just reaches the threshold"),
        (3, 20, 5, "a conversation of three messages"),
        (200, 20, 5, "200 messages with 20 and 5"),
        (36, 20, 5, "36 messages with 20 and 5"),
        (35, 20, 5, "35 messages with 20 and 5"),
        (60, 30, 10, "60 messages with 30 and 10"),
        (1_000, 8, 7, "a thousand messages with 8 and 7"),
    )
    for count, most, keep, about in cases:
        given = whole_number(call(answer, count, most, keep, about=about))
        over, gap = count - most, most - keep
        if given == max(0, -(-over // gap)):
            continue
        if over <= 0:
            raise Wrong(NEGATIVE)
        raise Wrong(EACH_TURN if given == over else PARTIAL if given == over // gap else STEPS)


CALLS = Exercise(
    id="05-calls",
    name="summary_calls",
    starter="""\
def summary_calls(count, most, keep):
    return ...  # a whole number""",
    check=check_calls,
    right="the gap between the thresholds decides. Double it, and you pay half as often.",
    wrong=(
        WrongAnswer(
            """\
def summary_calls(count, most, keep):
    return max(0, count - most)""",
            EACH_TURN,
        ),
        WrongAnswer(
            """\
def summary_calls(count, most, keep):
    return max(0, (count - most) // (most - keep))""",
            PARTIAL,
        ),
        WrongAnswer(
            """\
def summary_calls(count, most, keep):
    return (count - most) // (most - keep) + 1""",
            NEGATIVE,
        ),
        WrongAnswer(
            """\
def summary_calls(count, most, keep):
    return max(0, -(-(count - most) // most))""",
            STEPS,
        ),
    ),
    hints=(
        "By how many messages is the threshold crossed? Each summary makes room for how many more?",
        "The room is the gap between the two thresholds. Divide, and round up.",
        "-(-a // b) rounds a / b up. And `max` keeps it from going below nothing.",
    ),
)

NO_MESSAGE = "A Message is wanted here, made by `Message.user(...)` for instance, and {} is {}."
COMMANDS = (
    "A system message is an instruction. Old tool output in the summary would get more weight than ever."
)
OWN_WORDS = "As its own words, or a tool's, the model may go on with them. The notes come from outside."
CHANGED = "The summary must stand in the message as it is: every brace, sign and line of it."
BARE_START = "Nothing stands before the summary. An old task in it would read like a new one."
BARE_END = "Nothing stands after the summary. Where do the notes end?"
SAME_LINE = (
    "The summary shares a line with your words. Give them lines of their own, so that one sees where it is."
)


def check_frame(answer: Any) -> None:
    for summary, about in (
        ("They spoke of dolphins.", "a short summary"),
        ("The task was: {delete} the draft, 100 % of it.\nThen {{thanks}}.", "a summary with braces"),
    ):
        given = call(answer, summary, about=about)
        if not isinstance(given, Message):
            raise Wrong(NO_MESSAGE.format(shown(given), kind(given)))
        if given.role != "user":
            raise Wrong(COMMANDS if given.role in ("system", "developer") else OWN_WORDS)
        before, found, after = content_text(given).partition(summary)
        if not found:
            raise Wrong(CHANGED)
        if not _says_something(before):
            raise Wrong(BARE_START)
        if not _says_something(after):
            raise Wrong(BARE_END)
        if not before.endswith("\n") or not after.startswith("\n"):
            raise Wrong(SAME_LINE)


def _says_something(text: str) -> bool:
    return any(sign.isalpha() for sign in text)


FRAME = Exercise(
    id="05-frame",
    name="as_notes",
    starter="""\
def as_notes(summary):
    return ...  # a message""",
    check=check_frame,
    right="whoever reads it knows what it is, where it begins, and where it ends.",
    wrong=(
        WrongAnswer(
            """\
def as_notes(summary):
    return Message.system(f"Notes: {summary} (end of the notes)")""",
            COMMANDS,
        ),
        WrongAnswer(
            """\
def as_notes(summary):
    return Message.assistant(f"Notes: {summary} (end of the notes)")""",
            OWN_WORDS,
        ),
        WrongAnswer(
            """\
def as_notes(summary):
    return Message.user(summary)""",
            BARE_START,
        ),
        WrongAnswer(
            """\
def as_notes(summary):
    return Message.user(f"Notes on the talk so far, no request: {summary}")""",
            BARE_END,
        ),
        WrongAnswer(
            """\
def as_notes(summary):
    return Message.user(f"Notes, no request: {summary} (end of the notes)")""",
            SAME_LINE,
        ),
        WrongAnswer(
            """\
def as_notes(summary):
    return Message.user(f"[Notes, no request]\\n{summary}\\n[End]".replace("{", "").replace("}", ""))""",
            CHANGED,
        ),
    ),
    hints=(
        "Which of the roles gives no orders, and is not the model itself?",
        "Put a line before the summary that says what follows, and one after it that says it is over.",
    ),
)

LESSON = Lesson(
    "05",
    exercises=(MOST, CALLS, FRAME, TO_FOLD),
    questions=(Question("05-guide"), Question("05-ours")),
)
