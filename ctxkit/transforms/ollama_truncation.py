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

import threading
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit.messages import Message, load_messages
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.base import Action, Decision, MessageTransform, Outcome
from ctxkit.transforms.handover import Prefix, Sent, Track
from ctxkit.transforms.options import CopiedByOptions
from ctxkit.window import BudgetImpossible

NUM_KEEP = 4
"""Ollama's default: tokens at the very front that a shift keeps."""


class OllamaTruncation(CopiedByOptions, MessageTransform):
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

    takes_prefix: ClassVar[bool] = True
    keeps_room: ClassVar[bool] = False

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
        self._counted = Track(_Sums())
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"OllamaTruncation({self.num_ctx}, num_keep={self.num_keep}, shift={self.shift})"

    async def apply(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        return self.preview(messages, tools=tools)

    def preview(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        given = messages if isinstance(messages, Prefix) else load_messages(messages)
        counter = self.counter or shared_counter()
        with self._lock:  # a timeline may be counted in another thread
            cut = self._cut(given, self._sums(given, counter), counter, tools)

        def explain() -> list[Decision]:
            return self._explain(given, counter, cut)

        if isinstance(messages, Prefix):
            if cut.keep == range(len(given)):
                return Outcome(messages, cut.keep, explain)
            limit = messages.head
        else:
            limit = messages.head_limit if isinstance(messages, Sent) else len(given)
        leading = next((i for i, message in enumerate(given) if not _is_system(message)), len(given))
        head = bisect_left(cut.keep, min(limit, leading))
        return Outcome(Sent([cut.shortened.get(i, given[i]) for i in cut.keep], head), cut.keep, explain)

    def _sums(self, given: list[Message] | Prefix, counter: TokenCounter) -> list[_Sums]:
        """Running sums over a history, perhaps a longer one; those of a timeline are remembered."""
        known = isinstance(given, Prefix)
        sums = self._counted.on(given.timeline, counter, counter.has_vocabulary) if known else [_Sums()]
        for index in range(len(sums) - 1, len(given)):
            sums.append(sums[-1].plus(index, given[index], counter))
        return sums

    def _cut(
        self, given: Sequence[Message], sums: list[_Sums], counter: TokenCounter, tools: Sequence[Any]
    ) -> _Cut:
        end, fixed = len(given), counter.count_all((), tools)
        start = self._first_kept(sums, end, fixed)
        kept = _with_systems(sums, start, end)
        tokens = fixed + sums[end].since(sums[start])
        if not given or tokens <= self.num_ctx - 1:
            return _Cut(kept)
        if not self.shift:
            raise BudgetImpossible(kept, tokens, self.num_ctx - 1)
        room = self.num_ctx - (self.num_ctx - self.num_keep) // 2 - self.num_keep - counter.count_all(())
        return self._shifted(given, kept, room, sums, counter)

    def _first_kept(self, sums: list[_Sums], end: int, fixed: int) -> int:
        """Where the longest end begins that fits beside the system messages; the last message in any case."""
        places = range(max(0, end - 1))
        # Found by halving: the cost only falls as the end gets shorter.
        return bisect_left(places, True, key=lambda i: fixed + sums[end].since(sums[i]) <= self.num_ctx)

    def _shifted(
        self,
        given: Sequence[Message],
        kept: Sequence[int],
        room: int,
        sums: list[_Sums],
        counter: TokenCounter,
    ) -> _Cut:
        """The end of the prompt, in tokens: whole messages, and before them a part of one."""
        from ctxkit.transforms.message_end import end_of  # late, as few prompts come to this

        ends: list[int] = []
        shortened: dict[int, Message] = {}
        for i in reversed(kept):
            cost = sums[i + 1].tokens - sums[i].tokens
            if cost <= room:
                ends.insert(0, i)
                room -= cost
                continue
            part = end_of(given[i], room, counter)
            if part is not None or i == kept[-1]:
                ends.insert(0, i)
                if part is not None or given[i].content:
                    shortened[i] = part or replace(given[i], content="")
            break
        return _Cut(ends, shortened, frozenset(kept) - frozenset(ends))

    def _explain(self, given: Sequence[Message], counter: TokenCounter, cut: _Cut) -> list[Decision]:
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

        return [Decision(i, *why(i), counter.count(message)) for i, message in enumerate(given)]


class _Sums(NamedTuple):
    """tokens: of the first messages of a history. system: of the system messages among them. last: the last
    of those, -1 for none.
    """

    tokens: int = 0
    system: int = 0
    last: int = -1

    def plus(self, index: int, message: Message, counter: TokenCounter) -> _Sums:
        cost = counter.count(message)
        if _is_system(message):
            return _Sums(self.tokens + cost, self.system + cost, index)
        return _Sums(self.tokens + cost, self.system, self.last)

    def since(self, start: _Sums) -> int:
        """Tokens of the messages from `start` on, and of the system messages before it."""
        return self.tokens - start.tokens + start.system


@dataclass(frozen=True)
class _Cut:
    """keep: indexes that the model reads. shortened: in place of some of them. lost: to the shift."""

    keep: Sequence[int]
    shortened: dict[int, Message] = field(default_factory=dict)
    lost: frozenset[int] = frozenset()


def _with_systems(sums: list[_Sums], start: int, end: int) -> Sequence[int]:
    """The indexes from `start` to `end`, and before them those of system messages."""
    systems: list[int] = []
    last = sums[start].last
    while last >= 0:
        systems.append(last)
        last = sums[last].last
    if len(systems) == start:
        return range(end)
    return [*reversed(systems), *range(start, end)]


def _is_system(message: Message) -> bool:
    return message.role in ("system", "developer")  # the client sends a developer message as system
