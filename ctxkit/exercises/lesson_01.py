"""Exercises of lesson 1: roles, calls and results, and what makes a history sound."""

from __future__ import annotations

from typing import Any

from ctxkit.exercises.model import Exercise, Lesson, Question, Todo, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, last_number, text, whole_number
from ctxkit.history import check
from ctxkit.messages import Message, load_messages
from ctxkit.messages.text import content_text
from ctxkit.samples import load_sample

NOT_THE_NAME = (
    "That is the name of the tool. Two calls of one tool have the same name, so it can't tell them apart."
)
NOT_THE_ID = "A result points to its call by an id. Which part of the call is its id?"


def check_result_id(answer: Any) -> None:
    given = text(answer)
    if given == "calculator":
        raise Wrong(NOT_THE_NAME)
    if given != "call_7":
        raise Wrong(NOT_THE_ID)


RESULT_ID = Exercise(
    id="01-result-id",
    name="result_id",
    starter="""\
call = ToolCall("call_7", "calculator", {"expression": "0.2 * 80"})
result_id = ...  # what must stand in the result's tool_call_id?""",
    check=check_result_id,
    right="the id ties the result to this one call.",
    wrong=(
        WrongAnswer('result_id = "calculator"', NOT_THE_NAME),
        WrongAnswer('result_id = "0.2 * 80"', NOT_THE_ID),
    ),
    hints=(
        "A `ToolCall` has three parts: id, name and arguments.",
        "`call.id` holds it. You may hand in `call.id` itself.",
    ),
)

NO_CALL = "There is no message in which the assistant calls the calculator."
NO_RESULT = "The calculator was called, and no result answers that call."
WRONG_PLACE = (
    "The result must stand directly after the message that calls the calculator, and carry the id of "
    "that call."
)
WRONG_ROLES = "Four messages are wanted, in this order: the question, the call, the result, the answer."
WRONG_SUM = "The result is not what a calculator gives for 20% of 80."
NO_ANSWER = "The last message should tell the user the result in words."


def check_build(answer: Any) -> None:
    if isinstance(answer, list) and any(item is ... for item in answer):
        raise Todo
    try:
        history = load_messages(answer)
    except (TypeError, ValueError) as problem:
        raise Wrong(f"This can't be read as a list of messages: {problem}") from None
    if not any(c.name == "calculator" for message in history for c in message.tool_calls):
        raise Wrong(NO_CALL)
    codes = {fault.code for fault in check(history)}
    if codes == {"unanswered_call"}:
        raise Wrong(NO_RESULT)
    if codes - {"no_user_message"}:
        raise Wrong(WRONG_PLACE)
    if [message.role for message in history] != ["user", "assistant", "tool", "assistant"]:
        raise Wrong(WRONG_ROLES)
    if last_number(content_text(history[2])) != 16:
        raise Wrong(WRONG_SUM)
    if not content_text(history[3]).strip():
        raise Wrong(NO_ANSWER)


CALL = '    Message.assistant("", [ToolCall("call_1", "calculator", {"expression": "0.2 * 80"})]),'
RESULT = '    Message.tool("16.0", "call_1"),'
SLIP = '    Message.tool("1.6", "call_1"),'
ANSWER = '    Message.assistant("It is 16."),'


def _built(*lines: str) -> str:
    return "\n".join(["history = [", '    Message.user("What is 20% of 80?"),', *lines, "]"])


BUILD = Exercise(
    id="01-build",
    name="history",
    starter=_built("    ...,  # the call, the result, the answer"),
    check=check_build,
    right="question, call, result, answer: a history that every server takes.",
    wrong=(
        WrongAnswer(_built(RESULT, ANSWER), NO_CALL),
        WrongAnswer(_built(CALL, ANSWER), NO_RESULT),
        WrongAnswer(_built(RESULT, CALL, ANSWER), WRONG_PLACE),
        WrongAnswer(_built(CALL, RESULT), WRONG_ROLES),
        WrongAnswer(_built(CALL, SLIP, ANSWER), WRONG_SUM),
        WrongAnswer(_built(CALL, RESULT, '    Message.assistant(""),'), NO_ANSWER),
    ),
    hints=(
        "Print the messages 1 to 4 of `shop` once more: yours have the same roles.",
        (
            'A call is `Message.assistant("", [ToolCall(id, name, arguments)])`, a result '
            "`Message.tool(text, id)`."
        ),
        "Run `check(history)`: it names each fault and the index where it is.",
    ),
)

OPEN_STILL = "Some call that did get its result is still in your list."
OPEN_MISSED = "A message can make several calls at once, and your function overlooks one of them."
OPEN_WRONG = "Your list doesn't hold exactly the ids of the calls that no result answers."


def check_open_calls(answer: Any) -> None:
    two = load_sample("broken_half_pair")
    cases = (
        (load_sample("calculator"), [], "a history where every call has its result"),
        (two, ["call_2"], "a history with two calls and one result"),
        (load_sample("calculator")[:3], ["call_1"], "a history that ends with a call"),
        ([Message.user("Hi")], [], "a history without calls"),
    )
    for history, expected, about in cases:
        result = call(answer, history, about=about)
        if not isinstance(result, (list, tuple, set, dict)):
            raise Wrong("A list of ids is wanted here.")
        extra, missed = [x for x in result if x not in expected], [x for x in expected if x not in result]
        if extra:
            answered = {message.tool_call_id for message in history if message.role == "tool"}
            raise Wrong(OPEN_STILL if all(x in answered for x in extra) else OPEN_WRONG)
        if missed:
            raise Wrong(OPEN_MISSED if history is two else OPEN_WRONG)


OPEN_CALLS = Exercise(
    id="01-open-calls",
    name="open_calls",
    starter="""\
def open_calls(messages):
    return ...  # a list of ids""",
    check=check_open_calls,
    right="that is half of what `check` does.",
    wrong=(
        WrongAnswer(
            """\
def open_calls(messages):
    return [call.id for message in messages for call in message.tool_calls]""",
            OPEN_STILL,
        ),
        WrongAnswer(
            """\
def open_calls(messages):
    answered = [message.tool_call_id for message in messages]
    first_calls = [message.tool_calls[0].id for message in messages if message.tool_calls]
    return [call_id for call_id in first_calls if call_id not in answered]""",
            OPEN_MISSED,
        ),
        WrongAnswer(
            """\
def open_calls(messages):
    return [message.id for message in messages if message.role == "assistant"]""",
            OPEN_WRONG,
        ),
    ),
    hints=(
        "Two collections are needed: the ids of all calls, and the ids that results carry.",
        (
            "`message.tool_calls` may hold several calls, so it takes a loop inside a loop; a result has "
            "its `tool_call_id`."
        ),
        "Collect the answered ids first, then keep each `call.id` that is not among them.",
    ),
)

MEMBERSHIP = (
    "A call counts only for results that come after it. In one hidden history the result stands first."
)
FIRST_WANTED = "The index of the first such result is wanted, or -1 where there is none."


def check_first_orphan(answer: Any) -> None:
    cut = load_sample("harbour")[8:]
    cases = (
        (load_sample("calculator"), -1, "a sound history"),
        (cut, 0, "a window that begins with a result"),
        (load_sample("broken_result_first"), 1, "a history whose result stands before its call"),
        (
            [*load_sample("calculator"), Message.tool("7", "call_9")],
            13,
            "a history with a stray result at the end",
        ),
    )
    for history, expected, about in cases:
        result = whole_number(call(answer, history, about=about))
        if result != expected:
            raise Wrong(MEMBERSHIP if result == -1 and expected == 1 else FIRST_WANTED)


FIRST_ORPHAN = Exercise(
    id="01-first-orphan",
    name="first_orphan",
    starter="""\
def first_orphan(messages):
    return ...  # an index, or -1""",
    check=check_first_orphan,
    right="place counts, not only whether a call with that id exists somewhere.",
    wrong=(
        WrongAnswer(
            """\
def first_orphan(messages):
    called = {call.id for message in messages for call in message.tool_calls}
    for index, message in enumerate(messages):
        if message.role == "tool" and message.tool_call_id not in called:
            return index
    return -1""",
            MEMBERSHIP,
        ),
        WrongAnswer(
            """\
def first_orphan(messages):
    for index, message in enumerate(messages):
        if message.role == "tool":
            return index
    return -1""",
            FIRST_WANTED,
        ),
    ),
    hints=(
        "Walk from the start and remember the ids of the calls that you have passed.",
        (
            "Keep a set. At a message with calls, add their ids; at a result whose id is not in the set, "
            "you have found it."
        ),
        "`enumerate` gives index and message; test a result first, and add the ids of a call after that.",
    ),
    starred=True,
)

LESSON = Lesson(
    "01",
    exercises=(RESULT_ID, BUILD, OPEN_CALLS, FIRST_ORPHAN),
    questions=(Question("01-faults"),),
)
