"""An exercise of lesson 6: where the cut falls, so that no result is parted from its call."""

from __future__ import annotations

from typing import Any

from ctxkit.exercises.feedback import kind, shown
from ctxkit.exercises.model import Exercise, Todo, Wrong, WrongAnswer
from ctxkit.exercises.probe import call
from ctxkit.messages import Message, ToolCall

TWO_LISTS = "Give back two lists, the messages that go and those that stay; {} is {}."
PARTED = "A call went, and its result stays: a provider refuses such a list. Let the call stay as well."
ONE_CALL = "Two results can belong to one call. Go back to the message that makes the calls."
TOO_MANY = "More stay than needed: `keep` of them, and then only as many as it takes to reach the call."
TOO_FEW = "Fewer stay than were to be kept."
NOT_ONE = "Each message belongs into exactly one of the two lists, in its order."
KEEP_NONE = "With keep=0 all of them go. `messages[:-0]` is `messages[:0]`, and that is none."
ALL_STAY = "With fewer messages than `keep` none goes. A negative index counts from the end."


def check_cut(answer: Any) -> None:
    plain = [Message(("user", "assistant")[i % 2], f"message {i}") for i in range(6)]
    one, two = ToolCall("a", "timetable", {"pier": 1}), ToolCall("b", "timetable", {"pier": 2})
    question, reply = Message.user("When?"), Message.assistant("At 14:20.")
    results = [Message.tool("14:20", "a"), Message.tool("15:10", "b")]
    looked = [*plain, question, Message.assistant("", [one]), results[0], reply]
    both = [*plain, question, Message.assistant("", [one, two]), *results, reply]
    cases = (
        (plain, 2, 4, "six plain messages, two to keep", TOO_FEW),
        (looked, 2, 7, "a tool call, and a cut just before its result", PARTED),
        (both, 2, 7, "a message with two calls, and a cut between their results", ONE_CALL),
        (looked, 1, 9, "a tool call, and a cut after its result", TOO_FEW),
        (plain, 0, 6, "six plain messages, none to keep", KEEP_NONE),
        (plain, 9, 0, "six plain messages, nine to keep", ALL_STAY),
    )
    for messages, keep, cut, about, fault in cases:
        gone, stay = _two_lists(call(answer, messages, keep, about=about))
        special = fault in (KEEP_NONE, ALL_STAY)
        if [*gone, *stay] != messages:
            raise Wrong(fault if special else NOT_ONE)
        if len(gone) < cut:
            raise Wrong(fault if special else TOO_MANY)
        if len(gone) > cut:
            parted = bool(stay) and stay[0].role == "tool"
            raise Wrong(fault if special or parted else TOO_FEW)


def _two_lists(answer: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(answer, (list, tuple)) and any(part is ... for part in answer):
        raise Todo
    good = isinstance(answer, (list, tuple)) and len(answer) == 2
    if not good or not all(isinstance(part, (list, tuple)) for part in answer):
        raise Wrong(TWO_LISTS.format(shown(answer), kind(answer)))
    return list(answer[0]), list(answer[1])


CUT = Exercise(
    id="06-cut",
    name="divide",
    starter="""\
def divide(messages, keep):
    return ..., ...  # the messages that go, the messages that stay""",
    check=check_cut,
    right="each message is in one of the two lists, and each result is with its call.",
    wrong=(
        WrongAnswer(
            """\
def divide(messages, keep):
    cut = max(0, len(messages) - keep)
    return messages[:cut], messages[cut:]""",
            PARTED,
        ),
        WrongAnswer(
            """\
def divide(messages, keep):
    cut = max(0, len(messages) - keep)
    if cut < len(messages) and messages[cut].role == "tool":
        cut -= 1
    return messages[:cut], messages[cut:]""",
            ONE_CALL,
        ),
        WrongAnswer(
            """\
def divide(messages, keep):
    cut = max(0, len(messages) - keep)
    while cut > 0 and messages[cut].role != "user":
        cut -= 1
    return messages[:cut], messages[cut:]""",
            TOO_MANY,
        ),
        WrongAnswer(
            """\
def divide(messages, keep):
    cut = max(0, len(messages) - keep)
    while cut < len(messages) and messages[cut].role == "tool":
        cut += 1
    return messages[:cut], messages[cut:]""",
            TOO_FEW,
        ),
        WrongAnswer(
            """\
def divide(messages, keep):
    return messages, messages[len(messages) - keep :]""",
            NOT_ONE,
        ),
        WrongAnswer(
            """\
def divide(messages, keep):
    cut = -keep
    while -cut < len(messages) and messages[cut].role == "tool":
        cut -= 1
    return messages[:cut], messages[cut:]""",
            KEEP_NONE,
        ),
        WrongAnswer(
            """\
def divide(messages, keep):
    cut = len(messages) - keep
    while cut < len(messages) and messages[cut].role == "tool":
        cut -= 1
    return messages[:cut], messages[cut:]""",
            ALL_STAY,
        ),
    ),
    hints=(
        "Begin with a cut counted from the front, `len(messages) - keep`, and never below 0.",
        "While the first message that stays is of role `tool`, move the cut one to the left.",
        "The cut may stand at the very end, where there is no message to look at: test that first.",
    ),
)
