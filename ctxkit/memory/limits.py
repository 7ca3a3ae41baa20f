"""When to fold, and what stays word for word: two marks, in turns or in tokens.

Contract: folding starts when what is held reaches `threshold`, and leaves the newest turns that fit into
`window`; so each fold takes at least `threshold - window`, and folds stay as rare as the two marks are apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit._arguments import whole_number
from ctxkit.memory.turns import Turn
from ctxkit.tokens import TokenCounter


@dataclass(frozen=True)
class Limit:
    """Two marks for what the held turns cost.

    window: what may stay. threshold: what starts a fold. Raises ValueError for a threshold not above the
    window: every turn would be a fold.

    >>> turns = Limit(window=10, threshold=30)
    >>> turns.due([1] * 29), turns.due([1] * 30), turns.fitting([1] * 30)
    (False, True, 10)
    """

    window: int
    threshold: int

    @classmethod
    def named(cls, window: tuple[str, object], threshold: tuple[str, object]) -> Limit:
        """A limit from two arguments and their names.

        >>> Limit.named(("window_size", 30), ("summary_threshold", 30))
        Traceback (most recent call last):
        ValueError: summary_threshold: 30 is not above window_size, 30; every turn would be a summary call
        """
        low, high = whole_number(*window), whole_number(*threshold)
        if high <= low:
            raise ValueError(
                f"{threshold[0]}: {high} is not above {window[0]}, {low}; every turn would be a summary call"
            )
        return cls(low, high)

    def fitting(self, costs: Sequence[int]) -> int:
        """How many of the newest turns fit into the window; one that is too large by itself stays, too."""
        total = count = 0
        for cost in reversed(costs):
            total += cost
            if total > self.window and (count or not self.window):
                break
            count += 1
        return count

    def due(self, costs: Sequence[int]) -> bool:
        """Whether the turns reach the threshold, and a fold takes enough of them to be worth its call."""
        total = sum(costs)
        foldable = sum(costs[: len(costs) - self.fitting(costs)])
        return total >= self.threshold and foldable >= self.threshold - self.window


@dataclass(frozen=True)
class Limits:
    """A limit in turns and perhaps one in tokens: whichever is reached first starts a fold, and what stays
    fits into both windows.
    """

    turns: Limit
    tokens: Limit | None
    counter: TokenCounter

    def cut(self, held: Sequence[Turn]) -> int:
        """How many of the held turns, the oldest, don't fit."""
        return len(held) - min(limit.fitting(costs) for limit, costs in self._costs(held))

    def due(self, held: Sequence[Turn]) -> bool:
        """Whether it is time to fold."""
        return any(limit.due(costs) for limit, costs in self._costs(held))

    def _costs(self, held: Sequence[Turn]) -> list[tuple[Limit, list[int]]]:
        costs = [(self.turns, [1] * len(held))]
        if self.tokens is not None:
            costs.append((self.tokens, [sum(map(self.counter.count, turn.messages)) for turn in held]))
        return costs
