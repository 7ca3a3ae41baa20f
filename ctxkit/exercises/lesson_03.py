"""Exercises of lesson 3: discarding old messages without breaking what is left."""

from __future__ import annotations

from typing import Any

from ctxkit._sync import run
from ctxkit.exercises.model import Exercise, Lesson, Question, Wrong, WrongAnswer
from ctxkit.exercises.probe import ENDLESS, call, message_list, whole_number
from ctxkit.samples import load_sample
from ctxkit.transforms import KeepWithinTokens
from ctxkit.window import BudgetImpossible

STILL_RAISES = "With that budget `KeepWithinTokens` still raises BudgetImpossible."
LOWER_WORKS = "That budget works, but a smaller one would do as well. Let it fail once and read the error."


def check_budget(answer: Any) -> None:
    budget = whole_number(answer)
    if not _works(budget):
        raise Wrong(STILL_RAISES)
    if _works(budget - 1):
        raise Wrong(LOWER_WORKS)


def _works(budget: int) -> bool:
    try:
        run(KeepWithinTokens(max(budget, 0))(load_sample("dolphins")))
    except BudgetImpossible:
        return False
    return True


BUDGET = Exercise(
    id="03-budget",
    name="budget",
    starter="""\
budget = ...  # a whole number of tokens""",
    check=check_budget,
    right="the open question must be sent, so no smaller budget can ever work.",
    wrong=(
        WrongAnswer("budget = 20", STILL_RAISES),
        WrongAnswer("budget = 500", LOWER_WORKS),
    ),
    hints=(
        "Run `await KeepWithinTokens(20)(chat)` in the playground.",
        "The last line of the error says how many tokens must be sent.",
    ),
)

KEEP_ZERO = (
    "With keep=0 your function gave messages back. `messages[-0:]` is `messages[0:]`, and that is all of "
    "them."
)
KEEP_LAST = "The newest `keep` messages are wanted, in the order in which they stand."


def check_last(answer: Any) -> None:
    talk = load_sample("dolphins")[:7]
    for keep, about in (
        (3, "keep=3"),
        (1, "keep=1"),
        (7, "keep=7"),
        (99, "keep=99 and seven messages"),
        (0, "keep=0"),
    ):
        result = message_list(call(answer, talk, keep, about=about))
        if result != talk[max(0, 7 - keep) :]:
            raise Wrong(KEEP_LAST if keep else KEEP_ZERO)


LAST = Exercise(
    id="03-last",
    name="last_messages",
    starter="""\
def last_messages(messages, keep):
    return ...  # a list""",
    check=check_last,
    right="with keep=0 too, which many a library got wrong.",
    wrong=(
        WrongAnswer(
            """\
def last_messages(messages, keep):
    return messages[-keep:]""",
            KEEP_ZERO,
        ),
        WrongAnswer(
            """\
def last_messages(messages, keep):
    return messages[:keep]""",
            KEEP_LAST,
        ),
    ),
    hints=(
        "`messages[-keep:]` is nearly right. For which value of `keep` is it not?",
        "Count from the front instead: at which index does the window begin?",
        "It begins at `len(messages) - keep`, but never below 0: `max` helps.",
    ),
)

ONE_STEP = "Several results may stand in a row. Go on until the message at `start` is no result any more."
FORWARD = "Your window begins after the call, so its results are gone. Go back, towards the call."
UNTOUCHED = "A window that doesn't begin with a result may stay where it is."


def check_safe_start(answer: Any) -> None:
    shop = load_sample("calculator")
    cases = (
        (5, 5, "a window that begins with a question"),
        (3, 2, "a window that begins with a result"),
        (8, 6, "a window that begins with the second of two results"),
        (0, 0, "a window that is the whole history"),
    )
    for start, expected, about in cases:
        given = whole_number(call(answer, shop, start, about=about))
        if given != expected:
            raise Wrong(UNTOUCHED if start == expected else FORWARD if given > start else ONE_STEP)


SAFE_START = Exercise(
    id="03-safe-start",
    name="safe_start",
    starter="""\
def safe_start(messages, start):
    return ...  # an index""",
    check=check_safe_start,
    right="results stay with their call now, as long as the history itself is sound.",
    wrong=(
        WrongAnswer(
            """\
def safe_start(messages, start):
    if messages[start].role == "tool":
        start -= 1
    return start""",
            ONE_STEP,
        ),
        WrongAnswer(
            """\
def safe_start(messages, start):
    while messages[start].role == "tool":
        start += 1
    return start""",
            FORWARD,
        ),
        WrongAnswer(
            """\
def safe_start(messages, start):
    return max(0, start - 1)""",
            UNTOUCHED,
        ),
        WrongAnswer(
            """\
def safe_start(messages, start):
    while messages[start].role == "tool":
        earlier = start - 1
    return start""",
            ENDLESS.format("a window that begins with a result"),
        ),
    ),
    hints=(
        "`messages[start].role` tells whether the window begins with a result.",
        "Results stand behind their call. In which direction is the call?",
        "A `while` loop: as long as a result stands at `start`, take one away from `start`.",
    ),
)

KEPT_LOOSE = (
    "Your function keeps a result that does not stand in the run after its call. That the id occurred "
    "before is not enough."
)
KEPT_TWICE = (
    "One call has two results, and your function keeps both. A call is open only until it is answered."
)
LOST = (
    "Your function drops something that should stay: every result that has its call, and all other messages."
)


def check_drop_loose(answer: Any) -> None:
    cases = (
        ("calculator", [], "a sound history"),
        ("harbour", [], "a sound history"),
        ("broken_orphan", [0], "an orphan"),
        ("broken_duplicate", [3], "a result given twice"),
        ("broken_result_first", [1], "a result before its call"),
        ("broken_reused_id", [7], "an id that is used again"),
        ("broken_late_result", [3], "a late result"),
    )
    for name, loose, about in cases:
        history = load_sample(name)
        result = message_list(call(answer, history, about=about))
        expected = [message for index, message in enumerate(history) if index not in loose]
        if result != expected:
            kept = KEPT_TWICE if name == "broken_duplicate" else KEPT_LOOSE
            raise Wrong(kept if len(result) > len(expected) else LOST)


DROP_LOOSE = Exercise(
    id="03-drop-loose",
    name="drop_loose",
    starter="""\
def drop_loose(messages):
    return ...  # the messages without loose results""",
    check=check_drop_loose,
    right="place counts: a call is open from its message on, until something else is said.",
    wrong=(
        WrongAnswer(
            """\
def drop_loose(messages):
    called = {call.id for message in messages for call in message.tool_calls}
    return [m for m in messages if m.role != "tool" or m.tool_call_id in called]""",
            KEPT_TWICE,
        ),
        WrongAnswer(
            """\
def drop_loose(messages):
    kept, open_ids = [], set()
    for message in messages:
        open_ids |= {call.id for call in message.tool_calls}
        if message.role != "tool" or message.tool_call_id in open_ids:
            kept.append(message)
            open_ids.discard(message.tool_call_id)
    return kept""",
            KEPT_LOOSE,
        ),
        WrongAnswer(
            """\
def drop_loose(messages):
    return [message for message in messages if message.role != "tool"]""",
            LOST,
        ),
    ),
    hints=(
        "Walk from the start with a set of open ids. A result closes its id; it must be open before.",
        "Any message that is no result closes all calls before it and opens its own.",
        (
            "So make the set anew from the message's calls wherever the role is not 'tool'; adding to it "
            "with `|=` would leave old calls open."
        ),
    ),
    starred=True,
)

LESSON = Lesson(
    "03",
    exercises=(BUDGET, LAST, SAFE_START, DROP_LOOSE),
    questions=(Question("03-giant"), Question("03-low-water")),
)
