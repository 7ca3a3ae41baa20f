"""Which result answers which call: the one place that decides it for `check` and `repair`.

An id belongs to the nearest call before it. The first result of a call answers it; every other result is
loose. A result answers its call properly only from the unbroken run of tool messages directly after it, in
the order of the calls.

`Links` looks at a whole history and names each fault; `Repair` takes it message by message and mends it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from ctxkit.messages import Message, ToolCall
from ctxkit.messages.marks import NO_RESULT


class Links:
    """The calls and results of a history, tied together.

    answers: (index of the calling message, call id) -> index of the result. faults: index of a result -> code
    of its fault.
    """

    def __init__(self, history: list[Message]) -> None:
        self.answers: dict[tuple[int, str], int] = {}
        self.faults: dict[int, str] = {}
        called = {call.id for message in history for call in message.tool_calls}
        latest: dict[str | None, int] = {}
        places: dict[int, dict[str, int]] = {}
        # The calling message whose run of results we are in, and the last place taken in it.
        run: tuple[int, int] = (-1, -1)
        for index, message in enumerate(history):
            if message.role != "tool":
                run = (index, -1) if message.tool_calls else (-1, -1)
                latest |= {call.id: index for call in message.tool_calls}
                continue
            owner = latest.get(message.tool_call_id)
            if owner is None:
                self.faults[index] = (
                    "result_before_call" if message.tool_call_id in called else "orphan_result"
                )
            elif (owner, str(message.tool_call_id)) in self.answers:
                self.faults[index] = "duplicate_result"
            else:
                self.answers[owner, str(message.tool_call_id)] = index
                if owner not in places:
                    places[owner] = {call_id: i for i, call_id in enumerate(unique_calls(history[owner]))}
                place = places[owner][str(message.tool_call_id)]
                if owner == run[0] and place > run[1]:
                    run = (owner, place)
                else:
                    self.faults[index] = "misplaced_result"


class Repair:
    """The repair of a history that grows: one more message is one step.

    messages: what `repair` gives for the messages taken so far. sources: the index of each in the history,
    None for a result that stands in for one that did not come yet.

    >>> mended = Repair()
    >>> for message in [Message.tool("?", "x"), Message.user("Time?"), Message.tool("?", "x")]:
    ...     mended.take(message)
    >>> mended.sources
    [1]
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.sources: list[int | None] = []
        self._taken = 0
        self._open: dict[str | None, int] = {}  # the place of the result of each call that has none

    def take(self, message: Message) -> None:
        """Take the next message; a result goes to the place that its call keeps for it, or is left out."""
        if message.role != "tool":
            calls = unique_calls(message)
            whole = len(calls) == len(message.tool_calls)
            self._append(message if whole else without_twins(message), self._taken)
            for call in calls.values():
                self._open[call.id] = len(self.messages)
                self._append(unanswered(call.id, call.name), None)
        elif message.tool_call_id in self._open:
            place = self._open.pop(message.tool_call_id)
            self.messages[place], self.sources[place] = message, self._taken
        self._taken += 1

    def _append(self, message: Message, source: int | None) -> None:
        self.messages.append(message)
        self.sources.append(source)


class OpenCalls:
    """Follows a history message by message and says whether it is sound so far.

    A list that grows is followed at the cost of its new messages only.
    """

    def __init__(self) -> None:
        self.waiting: list[str] = []

    def accept(self, message: Message) -> bool:
        """Take the next message; False when no message can come after which the history would be sound."""
        if message.role == "tool":
            return bool(self.waiting) and self.waiting.pop(0) == message.tool_call_id
        if self.waiting:
            return False
        self.waiting = list(unique_calls(message))
        return len(self.waiting) == len(message.tool_calls)


def is_sound(history: Iterable[Message]) -> bool:
    """Whether every call has its results directly after it, in call order, and nothing else does.

    >>> is_sound([Message.user("Hi"), Message.tool("?", "a")])
    False
    """
    calls = OpenCalls()
    return all(calls.accept(message) for message in history) and not calls.waiting


def unique_calls(message: Message) -> dict[str, ToolCall]:
    """The calls of a message by id, in order; of two with one id the first."""
    calls: dict[str, ToolCall] = {}
    for call in message.tool_calls:
        calls.setdefault(call.id, call)
    return calls


# Both repairs are made once per input and then shared: repairing the same history twice gives the same
# objects.


@lru_cache(maxsize=4096)
def unanswered(call_id: str, name: str) -> Message:
    """The marked result that stands in for one that never came."""
    return replace(Message.tool(NO_RESULT, call_id, name), kind="placeholder")


@lru_cache(maxsize=4096)
def without_twins(message: Message) -> Message:
    """The message with one call for each id."""
    return replace(message, tool_calls=tuple(unique_calls(message).values()))
