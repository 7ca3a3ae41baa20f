"""`OllamaTruncation`: what an Ollama server does to a history that nobody managed.

Contract: a model of another's fault, to be looked at and not to be used. It owes that kept messages are the
same objects in order, that applying it again changes nothing, and that each message is explained; it does not
repair the history, parts calls from their results, and may send no user message at all. The rule is Ollama's,
from its source of August 2026: messages are dropped from the front until the rendered prompt, tools included,
is at most `num_ctx`; system messages and the last message always stay; no room is kept for the answer. If
what is left is over num_ctx - 1, the runner keeps `num_keep` tokens and the end, num_ctx - (num_ctx -
num_keep) / 2 in all (so a prompt that is a little too long can lose half), or with `shift` off answers HTTP
400. Tokens are the kit's count, where the server has the model's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit.messages import Message, load_messages
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.base import Action, Decision, MessageTransform, Outcome, Sent
from ctxkit.window import BudgetImpossible

NUM_KEEP = 4
"""Ollama's default: tokens at the very front that a shift keeps."""


class OllamaTruncation(MessageTransform):
    """Cut a history as an Ollama server would, in silence.

    num_ctx: the server's window in tokens. num_keep: tokens at the front that a shift keeps (default 4); they
    are part of one message at most and are not shown. shift: whether the runner shifts what is still too long
    (default True, as on the server); with False `apply` and `plan` raise BudgetImpossible, as the server
    gives HTTP 400. counter: default a shared cl100k_base counter. Raises TypeError or ValueError for other
    values.

    >>> from ctxkit import Message, ToolCall, run
    >>> call = Message.assistant("", [ToolCall("a", "clock", {})])
    >>> talk = [Message.system("Be brief."), Message.user("What time?"), call, Message.tool("Noon.", "a")]
    >>> [message.role for message in run(OllamaTruncation(20)(talk))]
    ['system', 'tool']
    """

    def __init__(
        self,
        num_ctx: int,
        *,
        num_keep: int = NUM_KEEP,
        shift: bool = True,
        counter: TokenCounter | None = None,
    ) -> None:
        self.num_keep = whole_number("num_keep", num_keep)
        self.num_ctx = whole_number("num_ctx", num_ctx, minimum=1)
        if self.num_keep >= self.num_ctx:
            raise ValueError(f"num_ctx: expected more than num_keep ({num_keep}), got {num_ctx}")
        if not isinstance(shift, bool):
            raise TypeError(f"shift: expected True or False, got {type(shift).__name__}")
        self.shift = shift
        self.counter: TokenCounter | None = counter_or_none(counter)

    def __repr__(self) -> str:
        return f"OllamaTruncation({self.num_ctx}, num_keep={self.num_keep}, shift={self.shift})"

    async def apply(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        return self.preview(messages, tools=tools)

    def preview(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        given = load_messages(messages)
        head = messages.head_limit if isinstance(messages, Sent) else len(given)
        counter = self.counter or shared_counter()
        costs = [counter.count(message) for message in given]
        cut = self._cut(given, costs, counter, tools)
        leading = next((i for i, message in enumerate(given) if not _is_system(message)), len(given))
        head = sum(i < min(head, leading) for i in cut.keep)
        sent = Sent([cut.shortened.get(i, given[i]) for i in cut.keep], head)
        return Outcome(sent, cut.keep, lambda: self._explain(given, costs, cut))

    def _cut(
        self, given: list[Message], costs: list[int], counter: TokenCounter, tools: Sequence[Any]
    ) -> _Cut:
        fixed = counter.count_all((), tools)
        start = self._first_kept(given, costs, fixed)
        kept = [i for i, message in enumerate(given) if i >= start or _is_system(message)]
        tokens = fixed + sum(costs[i] for i in kept)
        if not given or tokens <= self.num_ctx - 1:
            return _Cut(kept)
        if not self.shift:
            raise BudgetImpossible(kept, tokens, self.num_ctx - 1)
        room = self.num_ctx - (self.num_ctx - self.num_keep) // 2 - self.num_keep - counter.count_all(())
        return self._shifted(given, kept, room, costs, counter)

    def _first_kept(self, given: list[Message], costs: list[int], fixed: int) -> int:
        """Where the longest end begins that fits beside the system messages; the last message in any case."""
        total = fixed + sum(cost for cost, message in zip(costs, given, strict=True) if _is_system(message))
        last = len(given) - 1
        for i in range(last, -1, -1):
            total += 0 if _is_system(given[i]) else costs[i]
            if total > self.num_ctx and i < last:
                return i + 1
        return 0

    def _shifted(
        self, given: list[Message], kept: list[int], room: int, costs: list[int], counter: TokenCounter
    ) -> _Cut:
        """The end of the prompt, in tokens: whole messages, and before them a part of one."""
        ends: list[int] = []
        shortened: dict[int, Message] = {}
        for i in reversed(kept):
            if costs[i] <= room:
                ends.insert(0, i)
                room -= costs[i]
                continue
            part = _end_of(given[i], room, counter)
            if part is not None or i == kept[-1]:
                ends.insert(0, i)
                if part is not None or given[i].content:
                    shortened[i] = part or replace(given[i], content="")
            break
        return _Cut(ends, shortened, frozenset(kept) - frozenset(ends))

    def _explain(self, given: list[Message], costs: list[int], cut: _Cut) -> list[Decision]:
        keep = frozenset(cut.keep)

        def why(index: int) -> tuple[Action, str]:
            if index in cut.shortened:
                return "shortened", "its beginning is lost: what was left was over num_ctx - 1"
            if index in cut.lost:
                return "dropped", "lost with about half the window: what was left was over num_ctx - 1"
            if index not in keep:
                return "dropped", f"Ollama drops from the front what is over {self.num_ctx:,} tokens"
            if _is_system(given[index]):
                return "kept", "system: Ollama keeps it"
            if index == len(given) - 1:
                return "kept", "the last message: Ollama keeps it"
            return "kept", f"fits into {self.num_ctx:,} tokens"

        return [Decision(index, *why(index), costs[index]) for index in range(len(given))]


@dataclass(frozen=True)
class _Cut:
    """keep: indexes that the model reads. shortened: in place of some of them. lost: to the shift."""

    keep: list[int]
    shortened: dict[int, Message] = field(default_factory=dict)
    lost: frozenset[int] = frozenset()


def _is_system(message: Message) -> bool:
    return message.role in ("system", "developer")  # the client sends a developer message as system


def _end_of(message: Message, room: int, counter: TokenCounter) -> Message | None:
    """A message with as much of the end of its content as fits into `room` tokens; None when none does."""
    if not isinstance(message.content, list):
        base = counter.count(replace(message, content=""))
        tail = _tail(
            message.content or "",
            room - base,
            counter,
            lambda t: counter.count(replace(message, content=t)) - base,
        )
        return replace(message, content=tail) if tail else None
    empty = counter.count(Message(message.role))

    def cost(part: Any) -> int:
        return counter.count(Message(message.role, [part])) - empty

    room -= counter.count(replace(message, content=[]))
    parts: list[Any] = []
    for part in reversed(message.content):
        if cost(part) > room:
            tail = _tail(part if isinstance(part, str) else part.get("text", ""), room, counter, cost)
            parts = [tail, *parts] if tail else parts
            break
        parts.insert(0, part)
        room -= cost(part)
    return replace(message, content=parts) if parts else None


def _tail(text: str, room: int, counter: TokenCounter, cost: Callable[[str], int]) -> str:
    """The end of a text that costs at most `room` tokens, cut between tokens and never inside a character."""
    if room <= 0:
        return ""
    size = 16 * room + 64
    while size < len(text) and counter.count_text(text[-size:]) <= room:
        size *= 2  # blanks: many characters a token
    pieces = [piece.text for piece in counter.encode(text[-size:])]
    start, tokens = len(pieces), 0
    while start and tokens <= room:
        start -= 1
        tokens += counter.count_text(pieces[start])
    while start < len(pieces) and cost("".join(pieces[start:])) > room:
        start += 1
    return "".join(pieces[start:])
