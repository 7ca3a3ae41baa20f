"""`ClearToolResults`: replace old tool results by a short placeholder; the calls and the order stay.

The cheapest way to shrink an agent's history: what a tool returned ten steps ago was used then. Clearing
changes the beginning of the prompt and so spoils the server's prefix cache; `trigger` and `clear_at_least`
make it rare. What is cleared depends on the history alone: it is found by replaying the history group by
group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ctxkit._arguments import counter_or_none, text, whole_number
from ctxkit.messages import Message
from ctxkit.messages.marks import CLEARED
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.base import Action, Edit, PureTransform
from ctxkit.transforms.handover import Track
from ctxkit.transforms.timeline import Timeline


class _State(NamedTuple):
    """Where the replay stands after some messages.

    total: tokens of the prompt. results: tool results so far; seen: those that were old enough to be looked
    at; worth: those of them that are worth clearing; cleared: those of these that are cleared. saving: tokens
    that clearing the others would save.
    """

    total: int = 0
    results: int = 0
    seen: int = 0
    worth: int = 0
    cleared: int = 0
    saving: int = 0


class ClearToolResults(PureTransform):
    """Keep the `keep` newest tool results whole and clear the older ones.

    keep: results left whole (default 3). trigger: tokens of the whole prompt, tool schemas included, above
    which results are cleared (default None: always). clear_at_least: tokens that one clearing must save
    (default 0). exclude: names of tools whose results are never cleared. placeholder: text put in place; who
    reads a saved transcript again knows only the default for one. counter: default a shared cl100k_base
    counter. A result no longer than the placeholder stays. Raises TypeError or ValueError for other values.

    >>> from ctxkit import Message, ToolCall, run
    >>> call = Message.assistant("", [ToolCall("a", "read_log", {})])
    >>> talk = [Message.user("Read the log."), call, Message.tool("waiting\\n" * 2000, "a")]
    >>> [message.content for message in run(ClearToolResults(keep=0)(talk))]
    ['Read the log.', '', '[cleared]']
    """

    def __init__(
        self,
        keep: int = 3,
        trigger: int | None = None,
        clear_at_least: int = 0,
        exclude: Iterable[str] = (),
        placeholder: str = CLEARED,
        *,
        counter: TokenCounter | None = None,
    ) -> None:
        super().__init__()
        self.keep = whole_number("keep", keep)
        self.trigger = None if trigger is None else whole_number("trigger", trigger)
        self.clear_at_least = whole_number("clear_at_least", clear_at_least)
        if isinstance(exclude, str):
            raise TypeError(f"exclude: expected a list of tool names, got one text; write [{exclude!r}]")
        self.exclude = tuple(text("exclude", name) for name in exclude)
        self.placeholder = text("placeholder", placeholder)
        self.counter: TokenCounter | None = counter_or_none(counter)
        self._replayed = Track(_State())
        self._results: list[int] = []
        self._worth: list[tuple[int, Message]] = []

    def __repr__(self) -> str:
        rare = f"trigger={self.trigger}, clear_at_least={self.clear_at_least}"
        return f"ClearToolResults(keep={self.keep}, {rare}, exclude={self.exclude!r})"

    def _edit(self, timeline: Timeline, end: int, tools: Sequence[Any]) -> Edit:
        def why(index: int) -> tuple[Action, str]:
            return "kept", "a tool result" if timeline.messages[index].role == "tool" else "not a tool result"

        cleared = self._cleared(timeline, end, tools)
        return Edit(range(end), why, cleared, ("cleared", f"a tool result older than the {self.keep} newest"))

    def _cleared(self, timeline: Timeline, end: int, tools: Sequence[Any]) -> dict[int, Message]:
        """The results cleared by the time the first `end` messages had come in, and what replaces each."""
        counter = self.counter or shared_counter()
        fixed = counter.count_all((), tools)
        with self._lock:  # the timeline may be replayed in another thread
            states = self._replayed.on(timeline, *self._settings(), fixed, counter, counter.has_vocabulary)
            states[0] = _State(fixed)
            del self._results[states[-1].results :], self._worth[states[-1].worth :]
            for index in range(len(states) - 1, end):
                states.append(self._step(states[-1], timeline, index, counter))
            cleared = self._worth[: states[end].cleared]
        return dict(cleared)

    def _settings(self) -> tuple[object, ...]:
        return (self.keep, self.trigger, self.clear_at_least, self.exclude, self.placeholder)

    def _step(self, before: _State, timeline: Timeline, index: int, counter: TokenCounter) -> _State:
        """One more message has come in; between groups a call is made, and what is due is cleared."""
        total, results, seen, worth, cleared, saving = before
        message = timeline.messages[index]
        total += counter.count(message) if self.trigger is not None else 0
        if message.role == "tool":
            self._results.append(index)
            results += 1
        if not timeline.whole(index + 1):
            return _State(total, results, seen, worth, cleared, saving)
        for old in self._results[seen : max(seen, results - self.keep)]:
            seen += 1
            saved = self._saving(timeline, old, counter)
            if saved > 0:
                self._worth.append((old, cleared_result(timeline.messages[old], self.placeholder)))
                worth, saving = worth + 1, saving + saved
        over = self.trigger is None or total > self.trigger
        if worth > cleared and over and saving >= self.clear_at_least:
            total, cleared, saving = total - saving, worth, 0
        return _State(total, results, seen, worth, cleared, saving)

    def _saving(self, timeline: Timeline, index: int, counter: TokenCounter) -> int:
        """Tokens saved by clearing one result; 0 for a tool that is excluded."""
        message = timeline.messages[index]
        calls = timeline.messages[timeline.starts[index]].tool_calls
        name = next((call.name for call in calls if call.id == message.tool_call_id), message.name)
        if {name, message.name} & set(self.exclude):
            return 0
        return counter.count(message) - counter.count(cleared_result(message, self.placeholder))


def cleared_result(message: Message, placeholder: str) -> Message:
    """What stands in the place of a cleared result."""
    return _placeholder(placeholder, message.tool_call_id, message.name, message.id)


@lru_cache(maxsize=4096)
def _placeholder(content: str, call_id: str | None, name: str | None, own_id: str | None) -> Message:
    """Made once for each call, so that its digest and cost are too; it keeps no result alive."""
    return Message("tool", content, tool_call_id=call_id, name=name, id=own_id, kind="placeholder")
