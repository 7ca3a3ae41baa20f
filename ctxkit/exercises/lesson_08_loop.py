"""The starred exercise of lesson 8: the loop of an agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ctxkit.exercises.model import Exercise, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, message_list
from ctxkit.history import check
from ctxkit.messages import Message, ToolCall
from ctxkit.messages.text import content_text

LEFT_OPEN = "One reply held two calls, and not every call got its result."
TOO_OFTEN = "The model was asked more often than max_steps allows."
TOO_EARLY = (
    "The model was asked less often than it should be: as long as it calls tools, up to max_steps times."
)
NO_ERROR = "A tool failed, and its result doesn't say why. The model can only mend what it is told."
NOT_ADDED = (
    "Wanted are all messages: those that were given, then each reply, followed by the results of its calls."
)


def check_loop(answer: Any) -> None:
    both = [ToolCall("a", "bell", {}), ToolCall("b", "clock", {})]
    replies = (
        ("a model that answers at once", [], 1),
        ("a model that makes two calls in one reply", [both], 2),
        ("a model that makes a call, and then another one", [both[:1], both[1:]], 3),
        ("a tool that fails", [[ToolCall("c", "broken", {})]], 2),
        ("a model that calls for ever", [[ToolCall(f"d{i}", "bell", {})] for i in range(40)], 4),
    )
    for about, calls, wanted in replies:
        asked, ask = _scripted(calls)
        talk = [Message.user("What time is it?")]
        result = message_list(call(answer, ask, _use, talk, 4, about=about))
        if len(asked) != wanted:
            raise Wrong(TOO_OFTEN if len(asked) > 4 else TOO_EARLY)
        if any(not isinstance(message, Message) for message in result):
            raise Wrong(NOT_ADDED)
        spoken = [message for message in result if message.role == "assistant"]
        if result[:1] != talk or spoken != asked:
            raise Wrong(NOT_ADDED)
        if check(result):
            raise Wrong(LEFT_OPEN)
        if about == "a tool that fails" and "no power" not in content_text(result[2]):
            raise Wrong(NO_ERROR)


def _scripted(calls: list[list[ToolCall]]) -> tuple[list[Message], Callable[[list[Message]], Message]]:
    """A model that makes these calls, then answers; and what it has replied so far."""
    said: list[Message] = []

    def ask(messages: list[Message]) -> Message:
        made = calls[len(said)] if len(said) < len(calls) else []
        said.append(Message.assistant("" if made else "It is noon.", made))
        return said[-1]

    return said, ask


def _use(made: ToolCall) -> str:
    if made.name == "broken":
        raise RuntimeError("no power")
    return f"{made.name}: noon"


LOOP = Exercise(
    id="08-loop",
    name="loop",
    starter="""\
def loop(ask, use, messages, max_steps):
    return ...  # the messages, with all replies and results""",
    check=check_loop,
    right="that is an agent, and it stays sound whatever model and tools do.",
    wrong=(
        WrongAnswer(
            """\
def loop(ask, use, messages, max_steps):
    talk = list(messages)
    for _ in range(max_steps):
        talk.append(ask(talk))
        if not talk[-1].tool_calls:
            break
        made = talk[-1].tool_calls[0]
        talk.append(Message.tool(use(made), made.id))
    return talk""",
            LEFT_OPEN,
        ),
        WrongAnswer(
            """\
def loop(ask, use, messages, max_steps):
    talk = [*messages, ask(messages)]
    while talk[-1].tool_calls:
        for made in talk[-1].tool_calls:
            try:
                text = use(made)
            except Exception as problem:
                text = str(problem)
            talk = [*talk, Message.tool(text, made.id)]
        talk.append(ask(talk))
    return talk""",
            TOO_OFTEN,
        ),
        WrongAnswer(
            """\
def loop(ask, use, messages, max_steps):
    return [*messages, ask(messages)]""",
            TOO_EARLY,
        ),
        WrongAnswer(
            """\
def loop(ask, use, messages, max_steps):
    return [ask(messages)]""",
            NOT_ADDED,
        ),
        WrongAnswer(
            """\
def loop(ask, use, messages, max_steps):
    talk = list(messages)
    for _ in range(max_steps):
        talk.append(ask(talk))
        for made in list(talk[-1].tool_calls):
            try:
                talk.append(Message.tool(use(made), made.id))
            except RuntimeError:
                talk.append(Message.tool("sorry", made.id))
        if talk[-1].role == "assistant":
            break
    return talk""",
            NO_ERROR,
        ),
    ),
    hints=(
        "Begin with a copy, `list(messages)`, and a `for` loop of max_steps turns.",
        "Each turn: ask, append the reply, leave when there are no calls in it, else go through all of them.",
        "`try` around `use(call)`; after `except Exception as problem`, the result is made from `problem`.",
    ),
    starred=True,
)
