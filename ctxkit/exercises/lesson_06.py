"""Exercises of lesson 6: when a thread summarises. Where its cut falls, and the starred one, stand apart."""

from __future__ import annotations

from typing import Any

from ctxkit.exercises.feedback import kind, shown
from ctxkit.exercises.lesson_06_cut import CUT
from ctxkit.exercises.lesson_06_merge import MERGE
from ctxkit.exercises.model import Exercise, Lesson, Question, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, whole_number
from ctxkit.messages import Message
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
        (talk[:7], 6, 1_000, True, "seven short messages, six allowed", MANY),
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
    return len(messages) - 1 > most or (max_tokens is not None and count_tokens(messages) > max_tokens)""",
            MANY,
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

LESSON = Lesson(
    "06",
    exercises=(THIRD, CONDITION, CUT, MERGE),
    questions=(Question("06-summaries"),),
)
