"""`Pricing`: what tokens cost. The user sets it; the kit knows nobody's price list."""

from __future__ import annotations

import math
from dataclasses import dataclass

MILLION = 1_000_000


@dataclass(frozen=True)
class Pricing:
    """Money for a million tokens.

    input: of a prompt. cached_input: of prompt tokens that the server reads again from its prefix cache
    (default: as `input`). output: of replies (default 0). currency: a sign or a word (default "$"). example:
    whether these are made-up figures, to be shown as such. Raises TypeError or ValueError for anything but
    numbers from 0 on.

    >>> Pricing(input=2, cached_input=0.5, output=10).cost(prompt=1_000, cached=800, output=100)
    0.0018
    """

    input: float
    cached_input: float | None = None
    output: float = 0.0
    currency: str = "$"
    example: bool = False

    def __post_init__(self) -> None:
        for name in ("input", "cached_input", "output"):
            value = getattr(self, name)
            if value is None and name == "cached_input":
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"{name}: expected money for a million tokens, got {type(value).__name__}")
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"{name}: expected 0 or more, got {value}")
        if not isinstance(self.currency, str):
            raise TypeError(f"currency: expected text, got {type(self.currency).__name__}")

    @classmethod
    def of_an_example(cls) -> Pricing:
        """Round figures to try things out: 2 for a million prompt tokens, a tenth of it where they were
        cached, 8 for a million tokens of replies. They are nobody's prices.

        >>> Pricing.of_an_example().cached_input
        0.2
        """
        return cls(input=2.0, cached_input=0.2, output=8.0, example=True)

    def cost(self, prompt: int, cached: int = 0, output: int = 0) -> float:
        """Money for one call. prompt: tokens sent, those from the cache included; cached: how many of them
        were; output: tokens of the reply.
        """
        cached_price = self.input if self.cached_input is None else self.cached_input
        return ((prompt - cached) * self.input + cached * cached_price + output * self.output) / MILLION

    def show(self, money: float) -> str:
        """Money as text, two digits that matter for small sums.

        >>> Pricing(input=2).show(0.00184), Pricing(input=2, currency="EUR").show(12.5)
        ('$0.0018', 'EUR 12.50')
        """
        digits = 2 if money >= 1 or money == 0 else min(8, 1 - math.floor(math.log10(money)))
        gap = " " if self.currency[-1:].isalpha() else ""
        return f"{self.currency}{gap}{money:,.{digits}f}"
