"""Digests of every prefix of a conversation, so that a summary is found again exactly as long as nothing
before it changed.

Contract: entry i speaks of the messages from the head to i, and of the summariser (model, instruction, cap).
Content counts, ids and time stamps do not. One more message is one hash; an edited message changes all
entries after it, so a branch finds what it shares and nothing more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from ctxkit.transforms.handover import Track
from ctxkit.transforms.timeline import Timeline


class Prefixes:
    """Rolling digests along a timeline and its forks.

    seed: names the summariser.
    """

    def __init__(self, seed: str) -> None:
        self._digests = Track(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest())

    def key(self, timeline: Timeline, index: int) -> str:
        """The key of a summary of all messages after the head and before `index`."""
        return self._upto(timeline, index)[index]

    def backwards(self, timeline: Timeline, index: int, after: int) -> Iterator[str]:
        """The keys of `index` and the places before it, down to the first one after `after`."""
        return map(self._upto(timeline, index).__getitem__, range(index, after, -1))

    def _upto(self, timeline: Timeline, index: int) -> list[str]:
        digests = self._digests.on(timeline)
        for i in range(len(digests) - 1, index):
            together = bytes.fromhex(digests[-1] + timeline.messages[i].digest)
            digests.append(digests[0] if i < timeline.head else hashlib.sha256(together).hexdigest())
        return digests
