"""A counter fitted to what a server reported, for models with another vocabulary or chat template.

Contract: still additive, still an estimate (`exact` is False). Llama was seen to take 30 % more tokens than
tiktoken says (continuedev/continue#878), and a template some 52 a request (agentscope-ai/agentscope#2385): a
factor and a base.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any

from ctxkit._arguments import whole_number
from ctxkit.tokens.counter import TokenCounter
from ctxkit.tokens.view import TextToken


def fit(pairs: Iterable[tuple[int, int]]) -> tuple[float, float]:
    """The line `reported = scale * counted + base` through measured pairs, never below one of them.

    One pair, or pairs that no rising line with a base of 0 or more goes through, give the steepest of the
    pairs' ratios and base 0. Else it is the least-squares line, lifted until no pair lies above it: what a
    request was measured to cost is never promised for less. Raises ValueError without any pair, and for a
    number below 1; TypeError for one that is no int (a usage that a server left out is unknown: leave its
    pair out).

    >>> fit([(100, 182), (1000, 1352)])
    (1.3, 52.0)
    >>> fit([(100, 130)])
    (1.3, 0.0)
    """
    points = [_pair(pair, f"pairs[{i}]") for i, pair in enumerate(pairs)]
    if not points:
        raise ValueError("pairs: expected at least one (counted, reported) pair")
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    scale = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    base = max(y - scale * x for x, y in points)
    if scale > 0 and base >= 0:
        return round(scale, 9), round(base, 6)
    return max(y / x for x, y in points), 0.0


class CalibratedCounter(TokenCounter):
    """Counts of another counter, times `scale`, plus `base` tokens for each request.

    Made by `TokenCounter.calibrated`. Each message is rounded up on its own, so that sums stay sums.

    >>> CalibratedCounter(TokenCounter(), 1.3, 52.0).count_all([])  # 1.3 * 3 + 52, rounded up
    56
    """

    def __init__(self, counter: TokenCounter, scale: float, base: float) -> None:
        super().__init__(counter.encoding)
        self._counter, self.scale, self.base = counter, scale, base

    @property
    def exact(self) -> bool:
        return False

    def count_text(self, text: str) -> int:
        return self._scaled(self._counter.count_text(text))

    def count(self, message: Any) -> int:
        return self._scaled(self._counter.count(message))

    def count_all(self, messages: Iterable[Any], tools: Sequence[Any] = ()) -> int:
        request = _up(self.scale * self._counter.count_all((), tools) + self.base)
        return request + sum(map(self.count, self._loaded(messages)))

    def encode(self, text: str) -> list[TextToken]:
        return self._counter.encode(text)

    def _scaled(self, tokens: int) -> int:
        return _up(self.scale * tokens)

    def __repr__(self) -> str:
        return f"<{self._counter!r} calibrated: times {self.scale:.4g}, plus {self.base:.4g} a request>"


def _up(tokens: float) -> int:
    return ceil(round(tokens, 6))  # 1.3 * 10 is 13.000000000000002


def _pair(pair: object, where: str) -> tuple[int, int]:
    if not isinstance(pair, Sequence) or len(pair) != 2:
        raise TypeError(f"{where}: expected (counted, reported), got {pair!r:.80}")
    counted, reported = pair
    return (
        whole_number(f"{where}, counted", counted, minimum=1),
        whole_number(f"{where}, reported", reported, minimum=1),
    )
