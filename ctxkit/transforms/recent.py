"""`KeepRecentMessages`: send the N most recent messages.

The rule is guide A's first transform, *discard old* (a WayFlow how-to), with its faults mended: no cut inside
a group of call and results, keep=0 keeps what must be sent and nothing more, ids may be used again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ctxkit._arguments import whole_number
from ctxkit.history import OnSplit, check_on_split, split_at
from ctxkit.transforms.base import Edit, PureTransform
from ctxkit.transforms.handover import Prefix
from ctxkit.transforms.timeline import Timeline


class KeepRecentMessages(PureTransform):
    """Keep the head and the `keep` most recent messages.

    keep: messages after the head (default 10); 0 means as little as may be sent. on_split: a group of call
    and results that the cut would part is kept whole with "expand" (default: `keep` is a minimum) or left out
    with "shrink"; the last group stays either way. Summaries, the user messages at the end that wait for an
    answer, and one user message at least are always kept. Raises TypeError or ValueError for other values.

    >>> from ctxkit import Message, run
    >>> question = Message.user("What is the capital of Switzerland?")
    >>> talk = [Message.user("x" * 3_000_000), Message.assistant("OK"), question]
    >>> [message.content for message in run(KeepRecentMessages(keep=1)(talk))]
    ['What is the capital of Switzerland?']
    """

    def __init__(self, keep: int = 10, on_split: OnSplit = "expand") -> None:
        super().__init__()
        self.keep = whole_number("keep", keep)
        self.on_split: OnSplit = check_on_split(on_split)

    def __repr__(self) -> str:
        return f"KeepRecentMessages(keep={self.keep}, on_split={self.on_split!r})"

    def _edit(self, timeline: Timeline, end: int, tools: Sequence[Any]) -> Edit:
        cut = cut_for(timeline, end, self.keep, self.on_split)
        inside = f"among the {end - cut} most recent"
        whole = f" (keep={self.keep}, and what belongs to them)" if end - cut > self.keep else ""
        outside = f"older than the {end - cut} most recent{whole}"
        return Edit(timeline.kept(cut, end), partial(timeline.why, cut, end, inside, outside))


def cut_for(timeline: Timeline, end: int, keep: int, on_split: OnSplit) -> int:
    """Where the window of the `keep` most recent of `end` messages begins, with what must stay."""
    if keep == 0 and end > timeline.head and timeline.messages[end - 1].role == "assistant":
        return end  # as little as possible: an answer that was given need not be sent again
    cut = split_at(Prefix(timeline, end), keep, on_split, min(timeline.head, end))
    return min(cut, timeline.latest_cut(end))
