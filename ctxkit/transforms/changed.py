"""`Changed`: what is sent when some messages have others in their place, as a timeline that goes on."""

from __future__ import annotations

from ctxkit.messages import Message
from ctxkit.transforms.handover import Prefix
from ctxkit.transforms.timeline import Timeline


class Changed:
    """The timeline of what a transform sends that leaves nothing out and changes some messages.

    A call that changes what the one before had sent gives a fork; the work is that for the messages from
    there on. What stands in place of a message must fit there as well as the message: same role, same calls,
    same call id.
    """

    def __init__(self) -> None:
        self._source: Timeline | None = None
        self._made: Timeline | None = None
        self._changed: dict[int, Message] = {}

    def prefix(self, timeline: Timeline, end: int, changed: dict[int, Message]) -> Prefix:
        """The first `end` messages of a timeline as they are sent. changed: index, rising -> message."""
        if self._made is None and not changed:
            return Prefix(timeline, end)
        made = self._made or Timeline(timeline.head_limit)
        same = timeline.shared_with(self._source)
        different = _first_difference(self._changed, changed)
        if different is not None:
            same = min(same, different)
        if same < min(len(made.messages), end):
            made = made.fork(made.starts[same]) if same else Timeline(timeline.head_limit)
        if made is not self._made or end > len(made.messages):
            for index in range(len(made.messages), end):
                took = made.take(changed.get(index, timeline.messages[index]))
                assert took, "what is sent in place of a message fits there"
            self._source, self._made, self._changed = timeline, made, changed
        return Prefix(made, end)


def _first_difference(old: dict[int, Message], new: dict[int, Message]) -> int | None:
    """The first index at which a message is changed in one and not in the other, or in another way.

    >>> _first_difference({1: "x", 5: "y"}, {1: "x", 3: "z", 5: "y"})
    3
    """
    shared = min(len(old), len(new))
    if [*old][:shared] != [*new][:shared] or [*old.values()][:shared] != [*new.values()][:shared]:
        pairs = zip(old.items(), new.items(), strict=False)
        return next(min(one[0], other[0]) for one, other in pairs if one != other)
    return min([*[*old][shared:], *[*new][shared:]], default=None)
