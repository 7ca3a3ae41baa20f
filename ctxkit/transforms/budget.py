"""`KeepWithinTokens`: send the most recent messages that fit a token budget.

A cut that moves at every call makes the server compute the whole prompt anew each time, because its cache
only serves an unchanged beginning: about ten times the price (oguzbilgic/kern-ai#295). With `low_water` the
cut moves in few, larger steps. Where it stands depends on the history alone: it is found by replaying the
history group by group, so a new object or process finds the same cut.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.base import Edit, PureTransform
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
        self._costs: PromptCosts | None = None
        self._costs_of: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"KeepWithinTokens({self.max_tokens}, low_water={self.low_water})"

    def _edit(self, timeline: Timeline, end: int, tools: Sequence[Any]) -> Edit:
        if end == 0:
            return Edit([], lambda i: ("dropped", ""))
        counter = self.counter or shared_counter()
        fixed = counter.count_all((), tools)
        with self._lock:  # the timeline and its costs may be growing in another thread
            costs = self._open(timeline, fixed, counter)
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
        return Edit(timeline.kept(cut, end), lambda i: timeline.why(cut, end, i, inside, outside))

    def _open(self, timeline: Timeline, fixed: int, counter: TokenCounter) -> PromptCosts:
        """The running sums of a timeline, remembered as long as they are counted in the same way."""
        same = (timeline, fixed, counter, counter.has_vocabulary)
        if self._costs is None or self._costs_of != same:
            self._costs, self._costs_of = PromptCosts(timeline, fixed), same
        self._costs.grow(counter)
        return self._costs


class PromptCosts:
    """What a prompt costs for any window of a timeline, and where the low-water cut stood after each of its
    prefixes.

    It grows with its timeline: one more message is one count and one step of the replay.
    """

    def __init__(self, timeline: Timeline, fixed: int) -> None:
        self.timeline, self.fixed = timeline, fixed
        self._sums = [0]
        self._cuts = [0]
        self._cuts_of: tuple[int, int] | None = None

    def grow(self, counter: TokenCounter) -> None:
        """Count the messages that the timeline took since the last time."""
        for message in self.timeline.messages[len(self._sums) - 1 :]:
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
        if self._cuts_of != (max_tokens, low_water):
            self._cuts, self._cuts_of = [0], (max_tokens, low_water)
        timeline, cuts = self.timeline, self._cuts
        for stop in range(len(cuts), end + 1):
            cut = max(cuts[-1], min(stop, timeline.head))
            # A call is made between groups only.
            whole = stop == len(timeline.messages) or timeline.starts[stop] == stop
            if whole and self.prompt(cut, stop) > max_tokens:
                last = timeline.latest_cut(stop)
                while cut < last and self.prompt(cut, stop) > low_water:
                    cut += 1
                    while cut < last and timeline.starts[cut] != cut:
                        cut += 1
            cuts.append(cut)
        return cuts[end]
