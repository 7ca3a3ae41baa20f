"""Rolling summaries of long texts, chunk by chunk, each chunk paid once.

Contract: the summary after a chunk is found again by the digest of that chunk and all before it, of the
model, the instruction and the cap; so a log that grew pays for its last chunk and what is new. Texts that
begin alike are folded one after the other, so that what they share is paid once; others at the same time, as
far as `concurrency` goes. The cache changes only when a run is settled. What a run that failed had paid for
is kept aside, and used when it is tried again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from ctxkit.models.base import model_key
from ctxkit.transforms.summaries.cache import SummaryCache
from ctxkit.transforms.summaries.locks import KeyedLocks
from ctxkit.transforms.summaries.summariser import Summariser, Tally

_ASIDE = 1_000
"""Summaries of failed runs that are kept aside at most."""

Chunk = Sequence[str]


@dataclass
class FoldRun:
    """What one run took: calls made, texts found, and the keys of what it used."""

    calls: Tally = field(default_factory=Summariser.tally)
    hits: int = 0
    keys: list[str] = field(default_factory=list)


class ChunkFolds:
    """Folds texts chunk by chunk.

    summariser: asks. cache: what was paid. concurrency: model calls at the same time.
    """

    def __init__(self, summariser: Summariser, cache: SummaryCache, concurrency: int) -> None:
        self.summariser, self.cache = summariser, cache
        about = model_key(summariser.model), str(summariser.summary_tokens), summariser.instruction
        self._seed = "\n".join(["tool results 1", *about])
        self._aside, self._texts, self._calls = cache._aside, cache._paying, KeyedLocks(concurrency)

    def keys(self, chunks: Sequence[Chunk]) -> tuple[str, ...]:
        """The key of the summary after each chunk."""
        keys: list[str] = []
        digest = hashlib.sha256(self._seed.encode("utf-8", "surrogatepass")).digest()
        for chunk in chunks:
            material = hashlib.sha256("\n".join(chunk).encode("utf-8", "surrogatepass")).digest()
            digest = hashlib.sha256(digest + material).digest()
            keys.append(digest.hex())
        return tuple(keys)

    def find(self, key: str) -> str | None:
        """A summary that is at hand."""
        return self.cache.get(key) or self._aside.get(key)

    async def fold(self, chunks: Sequence[Chunk], run: FoldRun) -> str:
        """The summary of a text, from its latest chunk that was paid for; `settle` takes it over into the
        cache.

        Raises SummaryFailed, and whatever the model raises.
        """
        keys = self.keys(chunks)
        async with self._texts.hold(keys[0]):
            done, summary = self._latest(keys)
            run.hits += done > 0 and keys[done - 1] not in self._aside
            for key, chunk in zip(keys[done:], chunks[done:], strict=True):
                async with self._calls.hold("model"):
                    summary = await self.summariser.fold(summary, chunk, run.calls)
                while len(self._aside) >= _ASIDE:
                    self._aside.pop(next(iter(self._aside)), None)
                self._aside[key] = summary
            run.keys += keys
            return summary

    def settle(self, run: FoldRun) -> None:
        """Take what a run used and made over into the cache."""
        made = {key: self._aside[key] for key in run.keys if key in self._aside}
        for key, summary in made.items():
            self.cache.put(key, summary)
        for key in made:
            self._aside.pop(key, None)
        self.cache.hits += run.hits
        self.cache.misses += len(made)

    def _latest(self, keys: Sequence[str]) -> tuple[int, str]:
        """For how many chunks a summary is at hand, and that summary."""
        for done in range(len(keys), 0, -1):
            summary = self.find(keys[done - 1])
            if summary is not None:
                return done, summary
        return 0, ""
