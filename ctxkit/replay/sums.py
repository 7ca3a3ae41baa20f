"""Running sums of tokens by role: of a conversation, and of prompts that go on from one call to the next."""

from __future__ import annotations

from collections.abc import Sequence

from ctxkit.messages.text import DISPLAY_ROLES, display_role
from ctxkit.tokens import TokenCounter
from ctxkit.transforms.handover import SourcedTrack, Track
from ctxkit.transforms.timeline import Timeline

NOTHING: tuple[int, ...] = (0,) * len(DISPLAY_ROLES)


class RoleSums:
    """Tokens by role of every beginning of a list of messages.

    >>> sums = RoleSums()
    >>> sums.append("user", 13)
    >>> sums.append("assistant", 5)
    >>> sums.total(2), sums.between(1, 2)
    (18, {'assistant': 5})
    """

    def __init__(self, entries: list[tuple[int, ...]] | None = None) -> None:
        self._entries = [NOTHING] if entries is None else entries

    def append(self, role: str, tokens: int) -> None:
        """Take one more message."""
        place, entry = DISPLAY_ROLES.index(role), self._entries[-1]
        self._entries.append((*entry[:place], entry[place] + tokens, *entry[place + 1 :]))

    def total(self, upto: int) -> int:
        """Tokens of the first `upto` messages."""
        return sum(self._entries[upto])

    def between(self, start: int, stop: int) -> dict[str, int]:
        """Tokens by role of messages `start` to `stop`."""
        pairs = zip(DISPLAY_ROLES, self._entries[start], self._entries[stop], strict=True)
        return {role: after - before for role, before, after in pairs if after != before}


class SumsAlong:
    """Tokens by role along the timelines of one prompt after another; each new message is counted once."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._track = Track(NOTHING)
        self._made = SourcedTrack(0)

    def of(self, timeline: Timeline, upto: int) -> RoleSums:
        """The sums of a timeline's first `upto` messages; good until the next call of this method."""
        entries = self._track.on(timeline, self._counter.has_vocabulary)
        sums = RoleSums(entries)
        for message in timeline.messages[len(entries) - 1 : upto]:
            sums.append(display_role(message), self._counter.count(message))
        return sums

    def made(self, timeline: Timeline, sources: Sequence[int | None]) -> int:
        """Tokens of what stands for no message of the conversation, such as a result that never came."""
        entries = self._made.along(timeline, sources, self._counter.has_vocabulary)
        for place in range(len(entries) - 1, len(sources)):
            own = sources[place] is not None
            entries.append(entries[-1] + (0 if own else self._counter.count(timeline.messages[place])))
        return entries[len(sources)]
