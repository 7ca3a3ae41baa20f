"""Exercises of lesson 7: when a two-tier memory folds, and where a cut falls. The starred one is apart."""

from __future__ import annotations

from typing import Any

from ctxkit.exercises.lesson_07_fold import FOLD, WINDOW_ZERO, parts
from ctxkit.exercises.model import Exercise, Lesson, Question, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, whole_number

SAME_EACH_TIME = (
    "After a fold the turns of the window are still held. So the next fold comes sooner than a whole "
    "threshold later."
)
WAITS = "A fold does not come whenever the window is full. It waits until the threshold is reached."
FOLLOW = "Follow the number of held turns: up to the threshold, down to the window, and up again."


def check_calls(answer: Any) -> None:
    number = whole_number(answer)
    if number == 200 // 50:
        raise Wrong(SAME_EACH_TIME)
    if number == 200 // 20:
        raise Wrong(WAITS)
    if number != 1 + (200 - 50) // (50 - 20):
        raise Wrong(FOLLOW)


CALLS = Exercise(
    id="07-calls",
    name="calls",
    starter="""\
calls = ...  # a whole number of summary calls""",
    check=check_calls,
    right="the first fold takes a whole threshold, each later one only threshold minus window.",
    wrong=(
        WrongAnswer("calls = 4", SAME_EACH_TIME),
        WrongAnswer("calls = 10", WAITS),
        WrongAnswer("calls = 7", FOLLOW),
    ),
    hints=(
        "At which turn is the first fold? How many turns are held right after it?",
        "From then on it takes threshold minus window new turns to reach the threshold again.",
    ),
)

REACHED = "The threshold is reached as soon as so many turns are held, not one turn later."
TOO_EARLY = "Below the threshold nothing is folded: the first part is empty, and all turns are kept."
IN_ORDER = "The oldest turns go, the newest `window_size` stay, both in the order in which they stand."


def check_split(answer: Any) -> None:
    talk = [{"user": f"question {i}", "assistant": f"answer {i}"} for i in range(6)]
    cases = (2, 7, TOO_EARLY), (2, 6, REACHED), (2, 5, IN_ORDER), (0, 1, WINDOW_ZERO)
    for window, threshold, fault in cases:
        about = f"six turns, a window of {window} and a threshold of {threshold}"
        old, kept = parts(call(answer, talk, window, threshold, about=about), ("the old", "the kept turns"))
        cut = 0 if len(talk) < threshold else len(talk) - window
        if (old, kept) != (talk[:cut], talk[cut:]):
            raise Wrong(IN_ORDER if fault is REACHED and old else fault)


SPLIT = Exercise(
    id="07-split",
    name="split_turns",
    starter="""\
def split_turns(turns, window_size, summary_threshold):
    return ..., ...  # the turns to fold, the turns to keep""",
    check=check_split,
    right="with an empty window too, and never before the threshold.",
    wrong=(
        WrongAnswer(
            """\
def split_turns(turns, window_size, summary_threshold):
    if len(turns) < summary_threshold:
        return [], turns
    return turns[:-window_size], turns[-window_size:]""",
            WINDOW_ZERO,
        ),
        WrongAnswer(
            """\
def split_turns(turns, window_size, summary_threshold):
    if len(turns) <= summary_threshold:
        return [], turns
    return turns[: len(turns) - window_size], turns[len(turns) - window_size :]""",
            REACHED,
        ),
        WrongAnswer(
            """\
def split_turns(turns, window_size, summary_threshold):
    return turns[: len(turns) - window_size], turns[len(turns) - window_size :]""",
            TOO_EARLY,
        ),
    ),
    hints=(
        "Two cases: too few turns, then nothing is folded; or enough, then all but the newest go.",
        "Lesson 3 met the same trap: count from the front. The cut stands at `len(turns) - window_size`.",
    ),
)

NO_WINDOW = "Those are all the turns held word for word. The newest of them fill the window; they are recent."
NOT_FOLDED = "At turn 30 some turns were folded. They are in the summary, and pending no more."
ADD_UP = "Recent, pending and summary add up to the number of turns. Which of the three do you know already?"


def check_pending(answer: Any) -> None:
    number = whole_number(answer)
    folded, held = 30 - 10, 10 + 45 - 30
    if number != held - 10:
        raise Wrong({held: NO_WINDOW, folded + held - 10: NOT_FOLDED}.get(number, ADD_UP))


PENDING = Exercise(
    id="07-pending",
    name="pending",
    starter="""\
pending = ...  # a whole number of turns""",
    check=check_pending,
    right="they are still shown word for word, and the next fold takes them.",
    wrong=(
        WrongAnswer("pending = 25", NO_WINDOW),
        WrongAnswer("pending = 35", NOT_FOLDED),
        WrongAnswer("pending = 20", ADD_UP),
    ),
    hints=(
        "How many turns did the fold at turn 30 leave? How many came after it?",
        "Of the turns that are held, the newest 10 are recent.",
    ),
)

LESSON = Lesson(
    "07",
    exercises=(CALLS, PENDING, SPLIT, FOLD),
    questions=(Question("07-lost"),),
)
