"""A reader that gives probabilities, and finds a word by looking for it."""

from __future__ import annotations

from dataclasses import dataclass

from ctxkit.messages.text import content_text
from ctxkit.models import errors


@dataclass(frozen=True)
class Probed:
    right_wins: bool
    likely: float

    def probability(self, word):
        return self.likely


class FakeProber:
    """Gives `inside` to a word that stands in the window and `outside` to another.

    wins: whether such a word is the likeliest. limit: messages that it can read.
    """

    def __init__(self, inside=0.9, outside=0.01, wins=True, limit=1_000):
        self.inside, self.outside, self.wins, self.limit = inside, outside, wins, limit
        self.probes = []

    async def probe(self, messages, text, right):
        if len(messages) > self.limit:
            raise errors.WindowExceeded(f"{len(messages)} of {self.limit} messages")
        self.probes.append((list(messages), text, right))
        told = any(right in content_text(message) for message in messages)
        return Probed(told and self.wins, self.inside if told else self.outside)
