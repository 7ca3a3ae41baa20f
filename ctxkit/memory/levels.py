"""Summaries in levels: turns are folded into the first; a full level is folded into the next.

Contract: each level is one summary, within its own cap, of turns that follow each other; a higher level holds
the older ones. A fold gives new levels or raises, so nothing is half done. An empty level takes a summary
that fits its cap as it is, without a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ctxkit.memory.turns import Turn
from ctxkit.messages import Message
from ctxkit.transforms.summaries.folding import fold_messages
from ctxkit.transforms.summaries.frame import framed
from ctxkit.transforms.summaries.summariser import Summariser, Tally


@dataclass(frozen=True)
class Level:
    """One summary: its text ("" for none yet), how many turns it holds, and in how many folds they came."""

    text: str = ""
    turns: int = 0
    folds: int = 0

    @property
    def notes(self) -> list[Message]:
        """The summary as a message; none for an empty level."""
        return [framed(self.text)] if self.text else []


Levels = tuple[Level, ...]
"""The first holds the newest of the folded turns."""


@dataclass(frozen=True)
class Stack:
    """How turns become levels.

    summarisers: one for each level. folds_per_level: a level that holds so many is folded into the next, the
    last one never.
    """

    summarisers: Sequence[Summariser]
    folds_per_level: int

    def empty(self) -> Levels:
        """The levels of a memory that has no summary yet."""
        return tuple(Level() for _ in self.summarisers)

    async def fold(self, levels: Levels, turns: Iterable[Turn], calls: Tally) -> Levels:
        """The levels with more turns folded in.

        Raises SummaryFailed, also for a summary that is longer than what it replaces, and whatever the model
        raises.
        """
        folded = list(turns)
        messages = [message for turn in folded for message in turn.messages]
        return await self._into(0, levels, messages, len(folded), calls)

    async def _into(
        self, index: int, levels: Levels, messages: list[Message], turns: int, calls: Tally
    ) -> Levels:
        """Levels with messages, which stand for so many turns, in level `index`."""
        level = levels[index]
        if level.folds >= self.folds_per_level and index + 1 < len(levels):
            levels = await self._into(index + 1, levels, level.notes, level.turns, calls)
            level = Level()
        # As a message, a former summary over the cap (saved under another one) is read as material.
        text = await fold_messages(self.summarisers[index], "", [*level.notes, *messages], calls)
        grown = Level(text, level.turns + turns, level.folds + 1)
        return (*levels[:index], grown, *levels[index + 1 :])
