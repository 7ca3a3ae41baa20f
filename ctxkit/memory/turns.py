"""A turn: what was asked, what was answered, and the tool calls and results between the two.

Contract: a turn is a sound history of its own, so any run of turns is one too, and a cut between turns parts
no result from its call. Everything is copied in, and read as it would be from JSON, so that a memory that was
saved and loaded holds equal turns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from ctxkit.history import check
from ctxkit.messages import Message, dump_messages, load_messages
from ctxkit.messages.blocks import is_block
from ctxkit.messages.plain import plain
from ctxkit.messages.values import Content

_BETWEEN = ("assistant", "tool")


@dataclass(frozen=True)
class Turn:
    """One turn; make it by `Turn.of`.

    messages: the question, the steps, the answer.
    """

    messages: tuple[Message, ...]

    @classmethod
    def of(cls, user: object, assistant: object, steps: object = ()) -> Turn:
        """A turn from a question and its answer.

        user, assistant: text or a list of parts. steps: the messages between them that call tools and bring
        results, in any shape that `load_messages` reads. Raises TypeError or ValueError naming the argument.

        >>> turn = Turn.of("What is 15% of 200?", "30.0")
        >>> turn.as_dict()
        {'user': 'What is 15% of 200?', 'assistant': '30.0'}
        >>> Turn.of("What is 15% of 200?", None)
        Traceback (most recent call last):
        TypeError: assistant: expected text or a list of parts, got None; add a turn when its answer is there
        """
        question = Message.user(_content("user", user, "add a turn when its question is there"))
        answer = Message.assistant(_content("assistant", assistant, "add a turn when its answer is there"))
        turn = cls((question, *_steps(steps), answer))
        for fault in check(turn.messages):
            where = f"steps[{fault.index - 1}]" if fault.index <= len(turn.messages) - 2 else "steps"
            raise ValueError(f"{where}: {fault.code}, {fault.message}")
        return turn

    @property
    def steps(self) -> tuple[Message, ...]:
        """The calls and results between question and answer."""
        return self.messages[1:-1]

    def as_dict(self) -> dict[str, Any]:
        """The turn as plain data: user and assistant, and steps where there are any."""
        turn = {
            "user": plain(self.messages[0].content, "user"),
            "assistant": plain(self.messages[-1].content, "assistant"),
        }
        return {**turn, "steps": dump_messages(self.steps)} if self.steps else turn


def turns_of(messages: Iterable[Any]) -> list[Turn]:
    """The turns of a transcript; system and developer messages and an open end are left out.

    Raises TypeError or ValueError naming a message before the first question, and a question in the middle
    that has no answer, or whose calls and results don't belong together.

    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("And now?")]
    >>> [turn.as_dict() for turn in turns_of(talk)]
    [{'user': 'Hi', 'assistant': 'Hello!'}]
    """
    history = [(i, m) for i, m in enumerate(load_messages(messages)) if m.role not in ("system", "developer")]
    starts = [place for place, (_, message) in enumerate(history) if message.role == "user"]
    if history and starts[:1] != [0]:
        raise ValueError(f"messages[{history[0][0]}]: a turn begins with a user message")
    turns: list[Turn] = []
    for start, stop in pairwise([*starts, len(history)]):
        told = [message for _, message in history[start:stop]]
        place, answer = f"messages[{history[start][0]}]", told[-1]
        if answer.role == "assistant" and not answer.tool_calls and answer.content is not None:
            try:
                turns.append(Turn.of(told[0].content, answer.content, told[1:-1]))
            except (TypeError, ValueError) as error:
                raise type(error)(f"{place}: {error}") from None
        elif stop < len(history):
            raise ValueError(f"{place}: this question has no answer")
    return turns


def _content(name: str, value: object, hint: str) -> Content:
    if isinstance(value, Message):
        raise TypeError(f"{name}: expected text or a list of parts, got a Message; write message.content")
    if not isinstance(value, (str, list, tuple)):
        kind = "None" if value is None else type(value).__name__
        raise TypeError(f"{name}: expected text or a list of parts, got {kind}; {hint}")
    for i, part in enumerate(() if isinstance(value, str) else value):
        if isinstance(part, dict) and is_block(cast("dict[str, Any]", part)):
            raise ValueError(f"{name}[{i}]: blocks of calls and results are no text; give them as steps")
    [message] = _loaded([{"role": "user", "content": value}], "messages[0].content", name)
    return message.content


def _steps(steps: object) -> list[Message]:
    if isinstance(steps, (str, bytes, dict)) or not isinstance(steps, Iterable):
        raise TypeError(f"steps: expected a list of messages, got {type(steps).__name__}")
    messages = _loaded(list(cast("Iterable[Any]", steps)), "messages[", "steps[")
    for i, message in enumerate(messages):
        if message.role not in _BETWEEN:
            raise ValueError(
                f"steps[{i}]: expected calls and results, of role assistant or tool, got {message.role!r}; "
                "a question begins a new turn"
            )
    # As JSON would bring them back: a step is never a summary, and carries no id of its own.
    return [
        Message(m.role, m.content, tool_calls=m.tool_calls, tool_call_id=m.tool_call_id, name=m.name)
        for m in messages
    ]


def _loaded(items: list[Any], where: str, name: str) -> list[Message]:
    """`load_messages`, its errors naming the argument."""
    try:
        return load_messages(items)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace(where, name, 1)) from None
