"""Summaries that were refused for their length, so that one is not paid for again at every turn.

A few short messages take fewer tokens than any notes on them (G6: no progress is no model call every turn).
Contract: the next one of a fold with the same beginning is asked for only when there is clearly more to fold
than the refused one took; so refusals grow rare as the conversation grows. One that was longer than its whole
request may have been an accident, so it takes two of these. The very same material is always asked for again:
a model may do better the second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit.models.errors import SummaryFailed

CLEARLY = 1.25
"""How many times the refused summary there must be to fold."""

_REMEMBERED = 64


@dataclass(frozen=True)
class _Refused:
    material: int
    tokens: int
    certain: bool


class Refusals:
    """What was refused lately.

    >>> refusals = Refusals()
    >>> refusals.note("", ["user: ok", "assistant: sure"], 60, sound=True)
    >>> refusals.check("", ["user: ok", "assistant: sure", "user: go on"], 75)
    >>> refusals.check("", ["user: ok", "assistant: sure", "user: no"], 18)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ctxkit.models.errors.SummaryFailed: No summary was made: the latest took 60 tokens, and what ...
    """

    def __init__(self) -> None:
        self._latest: dict[int, _Refused] = {}

    def check(self, former: str, entries: Sequence[str], replaced: int) -> None:
        """Raise SummaryFailed when a fold that would replace so many tokens should wait."""
        refused = self._latest.get(_beginning(former, entries))
        if refused is None or not refused.certain or refused.material == hash((former, *entries)):
            return
        if replaced < CLEARLY * refused.tokens:
            raise SummaryFailed(
                f"the latest took {refused.tokens:,} tokens, and what it would stand for takes {replaced:,}; "
                "one is asked for once there is more"
            )

    def note(self, former: str, entries: Sequence[str], tokens: int, *, sound: bool = False) -> None:
        """Remember that a summary of so many tokens was refused. sound: it was one, only too long."""
        key = _beginning(former, entries)
        before = self._latest.pop(key, None)
        while len(self._latest) >= _REMEMBERED:
            self._latest.pop(next(iter(self._latest)), None)
        self._latest[key] = _Refused(hash((former, *entries)), tokens, sound or before is not None)


def _beginning(former: str, entries: Sequence[str]) -> int:
    return hash((former, *entries[:1]))
