"""Exercises of lesson 2: what counts, and what fits into a window."""

from __future__ import annotations

from typing import Any

from ctxkit.exercises.model import Exercise, Lesson, Question, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, whole_number
from ctxkit.messages import Message, ToolCall
from ctxkit.samples import load_sample
from ctxkit.tokens import TokenCounter
from ctxkit.window import ContextWindow

WITH_PRIMING = (
    "You counted the start of the reply as well. That is paid once for a request, not once for a message."
)
MEASURE = "Measure it: what the whole message costs, minus what its text alone costs."


def check_frame(answer: Any) -> None:
    counter, message = TokenCounter(), Message.user("x")
    text = counter.count_text("x")
    given = whole_number(answer)
    if given == counter.count_all([message]) - text:
        raise Wrong(WITH_PRIMING)
    if given != counter.count(message) - text:
        raise Wrong(MEASURE)


FRAME = Exercise(
    id="02-frame",
    name="frame",
    starter="""\
frame = ...  # a whole number""",
    check=check_frame,
    right="so a message of one word costs several times its word.",
    wrong=(
        WrongAnswer("frame = 0", MEASURE),
        WrongAnswer(
            """\
frame = counter.count_all([Message.user("x")]) - counter.count_text("x")""",
            WITH_PRIMING,
        ),
    ),
    hints=(
        '`counter.count_text("x")` counts the bare text. Which method counts a whole message?',
        'Subtract one from the other: `counter.count(Message.user("x"))` and `counter.count_text("x")`.',
    ),
)

LIMIT = 4096
OVER = "With that reserve the status is 'over'. Keep a little less for the reply."
MORE_ROOM = "It fits, but a larger reserve would fit as well. Look for the largest."
BELOW_ZERO = "A reserve is room that is kept for the reply, so it can't be below zero."


def check_reserve(answer: Any) -> None:
    reserve = whole_number(answer)
    if reserve < 0:
        raise Wrong(BELOW_ZERO)
    usage = ContextWindow(LIMIT).measure(load_sample("dolphins"))
    if reserve > usage.free:
        raise Wrong(OVER)
    if reserve < usage.free:
        raise Wrong(MORE_ROOM)


RESERVE = Exercise(
    id="02-reserve",
    name="reserve",
    starter="""\
reserve = ...  # a whole number of tokens""",
    check=check_reserve,
    right="prompt and reply share one window: what the prompt takes, the reply can't have.",
    wrong=(
        WrongAnswer("reserve = 4000", OVER),
        WrongAnswer("reserve = 100", MORE_ROOM),
        WrongAnswer("reserve = -1", BELOW_ZERO),
    ),
    hints=(
        "`ContextWindow(4096).measure(chat)` tells how many tokens the prompt takes.",
        "What is left of the limit when the prompt's total is taken away?",
        "The result of `measure` has `.limit` and `.total`, and their difference as `.free`.",
    ),
)

BY_LENGTH = "The message with the most characters need not have the most tokens. Let the counter decide."
TEXT_ONLY = (
    "In one hidden history a message has hardly any text, but a call with long arguments. It costs "
    "tokens too."
)
NOT_HEAVIEST = "Your index is not that of the message with the most tokens. Is it an index, starting from 0?"


def check_heaviest(answer: Any) -> None:
    counter = TokenCounter()
    plain = [Message.user("Hi"), Message.assistant("Good morning! " * 5), Message.user("Bye now")]
    languages = [
        Message.user("The weather is fine today, they say."),
        Message.user("今日の天気はとてもいいと言われている。"),
    ]
    letter = {"to": "Grandmother", "text": "Dear Grandmother, thank you for the sponge cake. " * 4}
    calling = [
        Message.user("Please send my grandmother a long letter of thanks."),
        Message.assistant(None, [ToolCall("call_1", "send_letter", letter)]),
        Message.tool("Sent.", "call_1"),
    ]
    cases = (
        (plain, "a talk of three messages", NOT_HEAVIEST),
        (languages, "a talk in two languages", BY_LENGTH),
        (calling, "a history with a call", TEXT_ONLY),
    )
    for history, about, slip in cases:
        costs = [counter.count(message) for message in history]
        if whole_number(call(answer, history, counter, about=about)) != costs.index(max(costs)):
            raise Wrong(slip)


HEAVIEST = Exercise(
    id="02-heaviest",
    name="heaviest",
    starter="""\
def heaviest(messages, counter):
    return ...  # the index of the message that costs most tokens""",
    check=check_heaviest,
    right="calls, pictures and names count, and characters are no measure.",
    wrong=(
        WrongAnswer(
            """\
def heaviest(messages, counter):
    lengths = [len(message.content or "") for message in messages]
    return lengths.index(max(lengths))""",
            BY_LENGTH,
        ),
        WrongAnswer(
            """\
def heaviest(messages, counter):
    costs = [counter.count_text(message.content or "") for message in messages]
    return costs.index(max(costs))""",
            TEXT_ONLY,
        ),
        WrongAnswer(
            """\
def heaviest(messages, counter):
    return max(counter.count(message) for message in messages)""",
            NOT_HEAVIEST,
        ),
    ),
    hints=(
        "`counter.count(message)` is the cost of one message, with all that belongs to it.",
        "Make a list of the costs first. `max(costs)` is its largest value.",
        "`costs.index(value)` gives the index at which a value stands in a list.",
    ),
)

TOO_MANY = (
    "Your messages don't fit. A request also pays for the start of the reply: `count_all` has it in, "
    "`count` has not."
)
ONE_MORE = "One more message would have fitted. Is your test 'below' where 'at most' is meant?"
EVEN_NONE = "In one hidden case not even the newest message fits; then the number is 0."


def check_newest_that_fit(answer: Any) -> None:
    counter = TokenCounter()
    chat = load_sample("dolphins")[-6:]
    three = counter.count_all(chat[-3:])
    cases = (
        (three, 3, "a limit that three messages fill exactly"),
        (three - 1, 2, "a limit one token below three messages"),
        (counter.count_all(chat) + 50, 6, "a limit with room to spare"),
        (5, 0, "a limit of 5 tokens"),
    )
    for limit, expected, about in cases:
        given = whole_number(call(answer, chat, limit, counter, about=about))
        if given != expected:
            raise Wrong(EVEN_NONE if expected == 0 else TOO_MANY if given > expected else ONE_MORE)


NEWEST_THAT_FIT = Exercise(
    id="02-newest-that-fit",
    name="newest_that_fit",
    starter="""\
def newest_that_fit(messages, limit, counter):
    return ...  # how many messages, counted from the end""",
    check=check_newest_that_fit,
    right="this is the heart of `KeepWithinTokens`, which lesson 3 is about.",
    wrong=(
        WrongAnswer(
            """\
def newest_that_fit(messages, limit, counter):
    count = 0
    while count < len(messages) and sum(map(counter.count, messages[-count - 1 :])) <= limit:
        count += 1
    return count""",
            TOO_MANY,
        ),
        WrongAnswer(
            """\
def newest_that_fit(messages, limit, counter):
    count = 0
    while count < len(messages) and counter.count_all(messages[-count - 1 :]) < limit:
        count += 1
    return count""",
            ONE_MORE,
        ),
        WrongAnswer(
            """\
def newest_that_fit(messages, limit, counter):
    count = 1
    while count < len(messages) and counter.count_all(messages[-count - 1 :]) <= limit:
        count += 1
    return count""",
            EVEN_NONE,
        ),
    ),
    hints=(
        "Try 1 message, then 2, then 3, until they no longer fit.",
        (
            "`messages[-count:]` are the newest ones; `counter.count_all(...)` is what a request with "
            "them costs."
        ),
        (
            "Start at 0 and add 1 while one more message is there and fits; mind that `messages[-0:]` is "
            "everything."
        ),
    ),
    starred=True,
)

LESSON = Lesson(
    "02",
    exercises=(FRAME, RESERVE, HEAVIEST, NEWEST_THAT_FIT),
    questions=(Question("02-languages", choices=("English", "German", "Greek", "Hindi", "Japanese")),),
)
