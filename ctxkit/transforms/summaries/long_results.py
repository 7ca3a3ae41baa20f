"""Tool results that are too long: found once each, and written anew once each, as a conversation grows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from ctxkit.messages import Message
from ctxkit.transforms.handover import Track
from ctxkit.transforms.timeline import Timeline


class LongResults:
    """The results along a timeline that are too long.

    key: of what is to stand for a result, "" for one that is short enough. It is asked once for each result,
    and only when that is old enough.
    """

    def __init__(self, key: Callable[[Message], str]) -> None:
        self._key = key
        self._seen: Track[tuple[int, int]] = Track((0, 0))  # assistant messages and tool results so far
        self._results: list[int] = []
        self._long: list[int] = []
        self._keys: list[str] = []
        self._long_before = [0]  # entry i: how many of the first i results are too long

    def due(self, timeline: Timeline, end: int, min_age: int) -> tuple[list[int], list[str]]:
        """Indexes and keys of those that `min_age` assistant messages follow among the first `end`."""
        seen = self._seen.on(timeline)
        self._forget(seen[-1][1])
        for index in range(len(seen) - 1, end):
            assistants, results = seen[-1]
            role = timeline.messages[index].role
            if role == "tool":
                self._results.append(index)
            seen.append((assistants + (role == "assistant"), results + (role == "tool")))
        assistants, results = seen[end]
        old = bisect_right(range(results), assistants - min_age, key=lambda i: seen[self._results[i]][0])
        for index in self._results[len(self._long_before) - 1 : old]:
            key = self._key(timeline.messages[index])
            if key:
                self._long.append(index)
                self._keys.append(key)
            self._long_before.append(len(self._long))
        return self._long[: self._long_before[old]], self._keys[: self._long_before[old]]

    def _forget(self, results: int) -> None:
        """Keep what is known of the first results."""
        del self._results[results:], self._long_before[results + 1 :]
        del self._long[self._long_before[-1] :], self._keys[self._long_before[-1] :]


class Rewritten:
    """What stands in place of results; those that are as they were the last time are not looked at again."""

    def __init__(self, write: Callable[[Message, str], Message]) -> None:
        self._write = write
        self._last: tuple[list[Message], list[str], list[Message]] = ([], [], [])

    def of(self, results: list[Message], notes: list[str]) -> Sequence[Message]:
        """For each result what is written from it and the notes on it."""
        their_results, their_notes, written = self._last
        shared = min(len(results), len(their_results))
        if results[:shared] != their_results[:shared] or notes[:shared] != their_notes[:shared]:
            shared = 0
        new = map(self._write, results[shared:], notes[shared:])
        written = [*written[:shared], *new]
        self._last = results, notes, written
        return written
