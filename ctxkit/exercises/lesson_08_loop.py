"""The starred exercise of lesson 8: the loop of an agent."""

from __future__ import annotations

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
NOT_SENT = "Each time, the model must be sent all messages so far: its calls and their results too."
NOT_ITS_RESULT = "The result of a call must be the text that `use` gave for it."
USED_TWICE = "One call ran twice. A tool may send a letter or delete a file: run each call once."
NOT_ADDED = (
    "Wanted are all messages: those that were given, then each reply, followed by the results of its calls."
)


def check_loop(answer: Any) -> None:
    both = [ToolCall("a", "bell", {}), ToolCall("b", "clock", {})]
    talks = (
        ("a model that answers at once", [], 4, 1),
        ("a model that makes two calls in one reply", [both], 4, 2),
        ("a model that makes a call, and then another one", [both[:1], both[1:]], 4, 3),
        ("a tool that fails", [[ToolCall("c", "broken", {})]], 4, 2),
        ("a model that calls for ever", [[ToolCall(f"d{i}", "bell", {})] for i in range(40)], 3, 3),
    )
    for about, calls, most, wanted in talks:
        stand_in = _StandIn(calls)
        talk = [Message.user("What time is it?")]
        result = message_list(call(answer, stand_in.ask, stand_in.use, talk, most, about=about))
        if len(stand_in.said) != wanted:
            raise Wrong(TOO_OFTEN if len(stand_in.said) > most else TOO_EARLY)
        if any(not isinstance(message, Message) for message in result):
            raise Wrong(NOT_ADDED)
        places = [place for place, message in enumerate(result) if message.role == "assistant"]
        if result[:1] != talk or [result[place] for place in places] != stand_in.said:
            raise Wrong(NOT_ADDED)
        if check(result):
            raise Wrong(LEFT_OPEN)
        if stand_in.sent != [result[:place] for place in places]:
            raise Wrong(NOT_SENT)
        if stand_in.twice:
            raise Wrong(USED_TWICE)
        for message in result:
            if message.role == "tool" and stand_in.used[str(message.tool_call_id)] not in content_text(
                message
            ):
                raise Wrong(NO_ERROR if about == "a tool that fails" else NOT_ITS_RESULT)


class _StandIn:
    """A model that makes these calls, then answers, and the tools. What it was sent and said, what ran."""

    def __init__(self, calls: list[list[ToolCall]]) -> None:
        self._calls = calls
        self.sent: list[list[Message]] = []
        self.said: list[Message] = []
        self.used: dict[str, str] = {}
        self.twice = False

    def ask(self, messages: list[Message]) -> Message:
        made = self._calls[len(self.said)] if len(self.said) < len(self._calls) else []
        self.sent.append(list(messages))
        self.said.append(Message.assistant("" if made else "It is noon.", made))
        return self.said[-1]

    def use(self, made: ToolCall) -> str:
        self.twice |= made.id in self.used
        self.used[made.id] = "no power" if made.name == "broken" else f"{made.name}: noon"
        if made.name == "broken":
            raise RuntimeError(self.used[made.id])
        return self.used[made.id]


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
        WrongAnswer(
            """\
def loop(ask, use, messages, max_steps):
    talk = list(messages)
    for _ in range(max_steps):
        talk.append(ask(messages))
        for made in talk[-1].tool_calls:
            try:
                talk = [*talk, Message.tool(use(made), made.id)]
            except Exception as problem:
                talk = [*talk, Message.tool(str(problem), made.id)]
        if talk[-1].role == "assistant":
            break
    return talk""",
            NOT_SENT,
        ),
        WrongAnswer(
            """\
def loop(ask, use, messages, max_steps):
    talk = [*messages, ask(messages)]
    for _ in range(max_steps - 1):
        for made in talk[-1].tool_calls:
            use(made)
            talk = [*talk, Message.tool("done", made.id)]
        if talk[-1].role == "assistant":
            break
        talk.append(ask(talk))
    return talk""",
            NOT_ITS_RESULT,
        ),
        WrongAnswer(
            """\
def loop(ask, use, messages, max_steps):
    talk = [*messages, ask(messages)]
    for _ in range(max_steps):
        for made in talk[-1].tool_calls:
            try:
                use(made)
                talk = [*talk, Message.tool(use(made), made.id)]
            except Exception as problem:
                talk = [*talk, Message.tool(str(problem), made.id)]
        if talk[-1].role == "assistant" or len(talk) > 2 * max_steps:
            break
        talk.append(ask(talk))
    return talk""",
            USED_TWICE,
        ),
    ),
    hints=(
        "Begin with a copy, `list(messages)`, and a `for` loop of max_steps turns.",
        "Each turn: ask, append the reply, leave when there are no calls in it, else go through all of them.",
        "`try` around `use(call)`; after `except Exception as problem`, the result is made from `problem`.",
    ),
    starred=True,
)
