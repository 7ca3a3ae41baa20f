"""`HierarchicalMemory`: recent turns word for word, older ones in a summary.

Guide C's memory, with what was wrong in it put right. There, turns leave the buffer long before the only
summary is made: of 100 turns, 80 are in neither. Contract: a turn is in exactly one of recent, pending and
summary, and leaves the buffer only when a summary that holds it was made. What a summariser does wrong, a
cancellation included, loses nothing, and the next turn tries again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxkit._arguments import counter_or_none
from ctxkit.memory import saved, shown
from ctxkit.memory.levels import Level, Levels
from ctxkit.memory.options import Options
from ctxkit.memory.turns import Turn
from ctxkit.messages import Message
from ctxkit.models.base import ChatModel
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.summaries.locks import KeyedLocks
from ctxkit.transforms.summaries.summariser import INSTRUCTION, Summariser


@dataclass(frozen=True)
class Added:
    """What adding a turn took.

    folded: turns that this call moved into the summary. model_calls: what it took. error: why no summary
    could be made, else None; the turn is held all the same.
    """

    folded: int = 0
    model_calls: int = 0
    error: Exception | None = None


@dataclass(frozen=True)
class _State:
    """All that a memory holds at one moment: replaced as a whole, never changed."""

    levels: Levels
    pinned: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()


class HierarchicalMemory:
    """Keeps the newest turns word for word and folds older ones into a summary.

    model: makes the summaries. window_size: turns that stay when others are folded (default 10).
    summary_threshold: held turns that start a fold (30), so that 100 turns take 4 calls. Keyword arguments:
    window_tokens, threshold_tokens: the same two marks in tokens, both or neither; whichever comes first.
    level_tokens: cap of the summary in tokens, one number for each level (one of 400). folds_per_level: a
    level of so many folds is folded into the next (4). pinned: facts that stay word for word. request_tokens:
    size of a whole summary request; default the model's `num_ctx` where it has one, else 8,192. instruction:
    the last message of each request. counter: default a shared cl100k_base counter. Raises TypeError or
    ValueError for other values, also for a threshold not above its window.

    >>> from ctxkit import Message, Reply, run
    >>> class Fake:
    ...     async def chat(self, messages, tools=()):
    ...         return Reply(Message.assistant("They counted."))
    >>> memory = HierarchicalMemory(Fake(), window_size=2, summary_threshold=4)
    >>> for i in range(5):
    ...     added = run(memory.add(f"question {i}", f"answer {i}"))
    >>> memory.where()
    ['summary 1', 'summary 1', 'pending', 'recent', 'recent']
    >>> memory.summary, memory.recent[-1]
    ('They counted.', {'user': 'question 4', 'assistant': 'answer 4'})
    """

    def __init__(
        self,
        model: ChatModel,
        window_size: int = 10,
        summary_threshold: int = 30,
        *,
        window_tokens: int | None = None,
        threshold_tokens: int | None = None,
        level_tokens: Sequence[int] = (400,),
        folds_per_level: int = 4,
        pinned: Iterable[str] = (),
        request_tokens: int | None = None,
        instruction: str = INSTRUCTION,
        counter: TokenCounter | None = None,
    ) -> None:
        self.model, self.counter = model, counter_or_none(counter) or shared_counter()
        self.options = Options(
            window_size,
            summary_threshold,
            window_tokens,
            threshold_tokens,
            level_tokens,
            folds_per_level,
            request_tokens,
            instruction,
        )
        self._limits = self.options.limits(self.counter)
        self._stack = self.options.stack(model, self.counter)
        self._state = _State(self._stack.empty())
        self._error: Exception | None = None
        self._lock, self._folds = threading.Lock(), KeyedLocks()
        if isinstance(pinned, str):
            raise TypeError("pinned: expected a list of facts, got one text; write [fact]")
        for item in pinned:
            self.pin(item)

    async def add(self, user: Any, assistant: Any, steps: Iterable[Any] = ()) -> Added:
        """Hold a turn, then fold the oldest ones if the threshold is reached.

        user, assistant: text or a list of parts. steps: calls and results between them. The turn is held
        before a model is asked, so whatever happens then, it must not be added again. A summariser's failure
        is not raised: it is the outcome's `.error` (and `memory.error`), and the next turn tries again.
        Raises TypeError or ValueError for anything that is no turn, and holds nothing then.
        """
        turn = Turn.of(user, assistant, steps)
        with self._lock:
            self._state = replace(self._state, turns=(*self._state.turns, turn))
        async with self._folds.hold("fold"):
            return await self._fold()

    async def _fold(self) -> Added:
        """Fold what is due: turns that arrive meanwhile stay where they are."""
        calls = Summariser.tally()
        while self._limits.due((start := self._state).turns):
            cut = self._limits.cut(start.turns)
            try:
                levels = await self._stack.fold(start.levels, start.turns[:cut], calls)
            except Exception as error:
                self._error = error
                return Added(0, calls.made, error)
            with self._lock:
                if self._state.levels is start.levels:  # else another event loop was faster: look again
                    self._state = replace(self._state, levels=levels, turns=self._state.turns[cut:])
                    self._error = None
                    return Added(cut, calls.made)
        return Added(0, calls.made)

    @property
    def recent(self) -> list[dict[str, Any]]:
        """The newest turns, as dicts with user and assistant (and steps where there are any)."""
        state = self._state
        return [turn.as_dict() for turn in state.turns[self._limits.cut(state.turns) :]]

    @property
    def pending(self) -> list[dict[str, Any]]:
        """Older turns that wait for their summary, as dicts; they are still shown word for word."""
        state = self._state
        return [turn.as_dict() for turn in state.turns[: self._limits.cut(state.turns)]]

    @property
    def summary(self) -> str:
        """The summary, older levels first; 'No prior context.' until there is one."""
        return shown.summary_text(self._state.levels) or shown.NO_SUMMARY

    @property
    def levels(self) -> tuple[Level, ...]:
        """The summaries one by one, the newest turns' first: `.text`, `.turns`, `.folds`."""
        return self._state.levels

    @property
    def error(self) -> Exception | None:
        """Why the latest fold failed; None once one succeeds."""
        return self._error

    @property
    def pinned(self) -> tuple[str, ...]:
        """Facts that stay word for word, in the order in which they were pinned."""
        return self._state.pinned

    def pin(self, fact: str) -> None:
        """Keep a fact word for word, whatever is folded; one that is pinned already stays where it is."""
        found = saved.fact("fact", fact)
        with self._lock:
            if found not in self._state.pinned:
                self._state = replace(self._state, pinned=(*self._state.pinned, found))

    def unpin(self, fact: str) -> None:
        """Let go of a fact. Raises ValueError for one that is not pinned."""
        found = saved.fact("fact", fact)
        with self._lock:
            if found not in self._state.pinned:
                raise ValueError(f"fact: {found[:60]!r} is not pinned")
            kept = tuple(other for other in self._state.pinned if other != found)
            self._state = replace(self._state, pinned=kept)

    def where(self) -> list[str]:
        """The tier of each turn so far, oldest first: "summary 2", "summary 1", "pending" or "recent"."""
        state = self._state
        tiers = [f"summary {i}" for i in range(len(state.levels), 0, -1)]
        levels = zip(tiers, reversed(state.levels), strict=True)
        folded = [tier for tier, level in levels for _ in range(level.turns)]
        cut = self._limits.cut(state.turns)
        return [*folded, *["pending"] * cut, *["recent"] * (len(state.turns) - cut)]

    def get_context(self) -> str:
        """Summary and turns as one text, in the guide's shape; pending turns stand before the recent ones."""
        state = self._state
        return shown.as_text(state.levels, state.pinned, state.turns)

    def as_messages(self) -> list[Message]:
        """Summary and turns as messages: a sound history, to send before a new question.

        Summary and pinned facts come as one message of the user role, framed as background notes.
        """
        state = self._state
        return shown.as_messages(state.levels, state.pinned, state.turns)

    def to_dict(self) -> dict[str, Any]:
        """The memory as plain data, for `json.dumps`; the model and the counter are not in it."""
        state = self._state
        return saved.dump(self.options, state.pinned, state.levels, state.turns)

    @classmethod
    def from_dict(
        cls, data: object, model: ChatModel, counter: TokenCounter | None = None
    ) -> HierarchicalMemory:
        """A memory from what `to_dict` gave. Raises TypeError or ValueError naming the place of a fault."""
        options, pinned, levels, turns = saved.read(data)
        try:
            memory = cls(model, counter=counter, **options)
        except (TypeError, ValueError) as error:
            raise type(error)(f"memory.options: {error}") from None
        if len(levels) != len(memory.levels):
            raise ValueError(
                f"memory.levels: {len(levels)} of them, but level_tokens names {len(memory.levels)}"
            )
        memory._state = _State(levels, pinned, turns)
        return memory

    def __repr__(self) -> str:
        state = self._state
        pending = self._limits.cut(state.turns)
        folded = sum(level.turns for level in state.levels)
        tiers = f"{len(state.turns) - pending} recent, {pending} pending, {folded} in the summary"
        failed = "" if self._error is None else f"; the latest fold failed: {self._error}"
        return f"HierarchicalMemory({tiers}{failed})"
