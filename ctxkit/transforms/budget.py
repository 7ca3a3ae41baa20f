"""`KeepWithinTokens`: send the most recent messages that fit a token budget.

A cut that moves at every call makes the server compute the whole prompt anew each time, because its cache
only serves an unchanged beginning: about ten times the price (oguzbilgic/kern-ai#295). With `low_water` the
cut moves in few, larger steps. Where it stands depends on the history alone: it is found by replaying the
history group by group, so a new object or process finds the same cut.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from typing import Any

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.base import Edit, PureTransform
from ctxkit.transforms.handover import Track
from ctxkit.transforms.timeline import Timeline
from ctxkit.window import BudgetImpossible


class KeepWithinTokens(PureTransform):
    """Keep the head and the most recent messages that fit into `max_tokens`; never shorten one.

    max_tokens: budget of the whole prompt, tool schemas and reply priming included. low_water: once over the
    budget, cut down to this many tokens and stay there until what follows is over the budget again (default
    None: cut to the budget each time). counter: default a shared cl100k_base counter. `apply` and `plan`
    raise BudgetImpossible when what must be sent is over the budget.

    >>> from ctxkit import Message, run
    >>> talk = [Message.user("Hi"), Message.assistant("Hello! " * 50), Message.user("What is 15% of 200?")]
    >>> [message.content for message in run(KeepWithinTokens(20)(talk))]
    ['What is 15% of 200?']
    """

    def __init__(
        self, max_tokens: int, *, low_water: int | None = None, counter: TokenCounter | None = None
    ) -> None:
        super().__init__()
        self.max_tokens = whole_number("max_tokens", max_tokens)
        self.low_water = None if low_water is None else whole_number("low_water", low_water)
        if self.low_water is not None and self.low_water > self.max_tokens:
            raise ValueError(f"low_water: {low_water} tokens is above max_tokens, {max_tokens}")
        self.counter: TokenCounter | None = counter_or_none(counter)
        self._costs = PromptCosts()

    def __repr__(self) -> str:
        return f"KeepWithinTokens({self.max_tokens}, low_water={self.low_water})"

    def _edit(self, timeline: Timeline, end: int, tools: Sequence[Any]) -> Edit:
        if end == 0:
            return Edit([], lambda i: ("dropped", ""))
        counter = self.counter or shared_counter()
        fixed = counter.count_all((), tools)
        with self._lock:  # the timeline and its costs may be growing in another thread
            costs = self._costs
            costs.grow(timeline, end, fixed, counter)
            last = timeline.latest_cut(end)
            if costs.prompt(last, end) > self.max_tokens:
                raise BudgetImpossible(timeline.kept(last, end), costs.prompt(last, end), self.max_tokens)
            if self.low_water is None:
                cut = costs.longest(end, self.max_tokens)
            else:
                cut = costs.replayed(end, self.max_tokens, self.low_water)
        inside, outside = (
            f"fits into {self.max_tokens:,} tokens",
            f"would not fit into {self.max_tokens:,} tokens",
        )
        return Edit(timeline.kept(cut, end), partial(timeline.why, cut, end, inside, outside))


class PromptCosts:
    """What a prompt costs for any window of a timeline, and where the low-water cut stood after each of its
    prefixes.

    It grows with its timeline: one more message is one count and one step of the replay.
    """

    def __init__(self) -> None:
        self.timeline, self.fixed = Timeline(), 0
        self._sums = [0]
        self._counted, self._replayed = Track(0), Track(0)
        self._under: tuple[object, ...] = ()

    def grow(self, timeline: Timeline, end: int, fixed: int, counter: TokenCounter) -> None:
        """Go over to a timeline, and count what is new of its first `end` messages.

        fixed: tokens of a request without messages.
        """
        self._under = (fixed, counter, counter.has_vocabulary)
        self.timeline, self.fixed = timeline, fixed
        self._sums = self._counted.on(timeline, *self._under[1:])
        for message in timeline.messages[len(self._sums) - 1 : end]:
            self._sums.append(self._sums[-1] + counter.count(message))

    def prompt(self, cut: int, end: int) -> int:
        """Tokens of the whole prompt when the window is messages `cut` to `end`."""
        before = self.timeline.pinned(cut)
        asking = self.timeline.asking(cut, end)
        if asking is not None:
            before.append(asking)
        extra = sum(self._sums[i + 1] - self._sums[i] for i in before)
        head = self._sums[min(self.timeline.head, end)]
        return self.fixed + head + extra + self._sums[end] - self._sums[cut]

    def longest(self, end: int, max_tokens: int) -> int:
        """The earliest cut that fits, found by halving: the cost only rises as the window grows."""
        starts, last = self.timeline.starts, self.timeline.latest_cut(end)
        places = range(min(self.timeline.head, last), last)
        first = bisect_left(places, True, key=lambda i: self.prompt(starts[i], end) <= max_tokens)
        return starts[places[first]] if first < len(places) else last

    def replayed(self, end: int, max_tokens: int, low_water: int) -> int:
        """Where the cut stands after the first `end` messages came in group by group."""
        timeline = self.timeline
        cuts = self._replayed.on(timeline, max_tokens, low_water, *self._under)
        for stop in range(len(cuts), end + 1):
            cut = max(cuts[-1], min(stop, timeline.head))
            # A call is made between groups only.
            if timeline.whole(stop) and self.prompt(cut, stop) > max_tokens:
                last = timeline.latest_cut(stop)
                while cut < last and self.prompt(cut, stop) > low_water:
                    cut += 1
                    while cut < last and timeline.starts[cut] != cut:
                        cut += 1
            cuts.append(cut)
        return cuts[end]
