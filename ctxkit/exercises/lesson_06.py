"""Exercises of lesson 6: when a thread summarises, and where its cut falls. The starred one stands apart."""

from __future__ import annotations

from typing import Any

from ctxkit.exercises.feedback import kind, shown
from ctxkit.exercises.lesson_06_merge import MERGE
from ctxkit.exercises.model import Exercise, Lesson, Question, Todo, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, whole_number
from ctxkit.messages import Message, ToolCall
from ctxkit.tokens import count_tokens

EACH_TIME = "Not every summary takes as long as the first: some messages stay, so the next comes sooner."
REACHED = "A state that holds just as many messages as are allowed is not over. One more exchange fits in."
FOLLOW = (
    "Follow the number of messages in the state, exchange by exchange: up by two, and down to what stays."
)


def check_third(answer: Any) -> None:
    number = whole_number(answer)
    if number != _exchange_of_third_summary(10, 4):
        raise Wrong({18: EACH_TIME, 11: REACHED}.get(number, FOLLOW))


def _exchange_of_third_summary(most: int, keep: int) -> int:
    held = exchange = summaries = 0
    while summaries < 3:
        exchange, held = exchange + 1, held + 2
        if held > most:
            summaries, held = summaries + 1, keep
    return exchange


THIRD = Exercise(
    id="06-third",
    name="third",
    starter="""\
third = ...  # the number of an exchange""",
    check=check_third,
    right="the first summary waits for the whole room, each later one only for what was made free.",
    wrong=(
        WrongAnswer("third = 18", EACH_TIME),
        WrongAnswer("third = 11", REACHED),
        WrongAnswer("third = 12", FOLLOW),
    ),
    hints=(
        "After which exchange does the state hold more messages than allowed for the first time?",
        "Then only `keep` are left. How many exchanges are there until it is too many again?",
    ),
)

NO_ANSWER = "Give back True or False; {} is {}."
HUGE = "One message of 5,000 words, and your condition says nothing: look at the tokens, too."
HEAD = "A leading system message is never removed, so it should not count as one of the messages."
HEAD_COSTS = "The system message is sent with the others: its tokens count, though it does not as a message."
JUST = "Just as many as are allowed, messages or tokens, are not too many."
NO_LIMIT = "With `max_tokens=None` nobody looks at the tokens."
MANY = "There are more messages than allowed, and your condition says nothing."


def check_condition(answer: Any) -> None:
    talk = [Message(("user", "assistant")[i % 2], f"message {i}") for i in range(8)]
    head = Message.system("You answer briefly, and you never guess.")
    six, huge = talk[:6], [Message.user("wave " * 5_000), Message.assistant("Long!")]
    exact = count_tokens([head, *six])
    cases: tuple[tuple[list[Message], int, int | None, bool, str, str], ...] = (
        (talk, 6, 1_000, True, "eight short messages, six allowed", MANY),
        (six, 6, 1_000, False, "six short messages, six allowed", JUST),
        (six, 6, None, False, "six messages and no limit in tokens", NO_LIMIT),
        (huge, 6, None, False, "a huge message and no limit in tokens", NO_LIMIT),
        (huge, 6, 1_000, True, "a message of 5,000 words and an answer", HUGE),
        ([head, *six], 6, 1_000, False, "a system message and six others", HEAD),
        ([head, *six], 6, exact, False, "messages that just take the tokens allowed", JUST),
        ([head, *six], 6, exact - 1, True, "messages that take a token too many", HEAD_COSTS),
    )
    for messages, most, max_tokens, expected, about, fault in cases:
        given = call(answer, messages, most, max_tokens, about=about)
        if not isinstance(given, bool):
            raise Wrong(NO_ANSWER.format(shown(given), kind(given)))
        if given is not expected:
            raise Wrong(fault)


CONDITION = Exercise(
    id="06-condition",
    name="too_much",
    starter="""\
def too_much(messages, most, max_tokens):
    return ...  # True or False""",
    check=check_condition,
    right="many small messages trigger it, one huge message does, and the system message has its own rules.",
    wrong=(
        WrongAnswer(
            """\
def too_much(messages, most, max_tokens):
    return len(messages) > most""",
            HUGE,
        ),
        WrongAnswer(
            """\
def too_much(messages, most, max_tokens):
    tokens = count_tokens(messages)
    return len(messages) > most or (max_tokens is not None and tokens > max_tokens)""",
            HEAD,
        ),
        WrongAnswer(
            """\
def too_much(messages, most, max_tokens):
    rest = [message for message in messages if message.role != "system"]
    return len(rest) > most or (max_tokens is not None and count_tokens(rest) > max_tokens)""",
            HEAD_COSTS,
        ),
        WrongAnswer(
            """\
def too_much(messages, most, max_tokens):
    rest = [message for message in messages if message.role != "system"]
    return len(rest) >= most or (max_tokens is not None and count_tokens(messages) >= max_tokens)""",
            JUST,
        ),
        WrongAnswer(
            """\
def too_much(messages, most, max_tokens):
    rest = [message for message in messages if message.role != "system"]
    return len(rest) > most or count_tokens(messages) > (max_tokens or 0)""",
            NO_LIMIT,
        ),
    ),
    hints=(
        "Two questions, joined by `or`: too many messages, or too many tokens.",
        "Count the messages without those of role `system`, and the tokens with them.",
        "`count_tokens(messages)` gives the tokens. Compare only if `max_tokens is not None`.",
    ),
)

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
        if len(gone) != cut:
            raise Wrong(TOO_MANY if len(gone) < cut and not special else fault)


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

LESSON = Lesson(
    "06",
    exercises=(THIRD, CONDITION, CUT, MERGE),
    questions=(Question("06-summaries"),),
)
