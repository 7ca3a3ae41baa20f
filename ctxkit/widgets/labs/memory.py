"""`MemoryLab`, the lab of lesson 7: where each turn of a conversation lives in a two-tier memory.

Every setting is played from the first turn with a fresh memory and the offline reader, once, and remembered
turn by turn; so one setting always shows one picture, and stepping through the turns costs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit._sync import run
from ctxkit.memory import HierarchicalMemory
from ctxkit.memory.turns import turns_of
from ctxkit.models.offline import OfflineModel
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.summaries.memory import Memory
from ctxkit.widgets.escape import short
from ctxkit.widgets.lab import Lab
from ctxkit.widgets.message_list import MessageList
from ctxkit.widgets.palette import number, plural

OURS, GUIDES = "this memory", "guide's rule"
FATES = {
    "summary": ("summarised", "folded"),
    "pending": ("kept", "pending: word for word until its summary is made"),
    "recent": ("kept", "recent: word for word"),
}


@dataclass(frozen=True)
class Moment:
    """A memory after some turns: the tier of each, the summary ("" for none), and the calls it took."""

    tiers: Sequence[str]
    summary: str
    calls: int


class MemoryLab(Lab[Moment]):
    """Two-tier memory: recent turns word for word, older ones in a summary.

    messages: a conversation of at least one whole turn; head and open question are left out. window_size,
    summary_threshold, turns: the setting at first (defaults 10, 30, all turns). counter: default a shared
    cl100k_base counter. Raises TypeError or ValueError for other values.

    >>> from ctxkit import load_sample
    >>> lab = MemoryLab(load_sample("phrasebook"), turns=45)
    >>> print(lab.status)
    Nothing is lost. After 45 turns: 10 recent, 15 pending, 20 in the summary (1 model call).
    The guide's rule: 10 recent, 10 in its summary, 25 lost.
    """

    def __init__(
        self,
        messages: Iterable[Any],
        *,
        window_size: int = 10,
        summary_threshold: int = 30,
        turns: int | None = None,
        counter: TokenCounter | None = None,
    ) -> None:
        self._talk = turns_of(messages)
        if not self._talk:
            raise ValueError("messages: a lab needs at least one question with its answer")
        self._counter = counter_or_none(counter) or shared_counter()
        upto = len(self._talk) if turns is None else whole_number("turns", turns, minimum=1)
        HierarchicalMemory(OfflineModel(), window_size, summary_threshold)  # refuses what makes no sense
        self._start = window_size, summary_threshold, min(upto, len(self._talk))
        self._played: Memory[list[Moment]] = Memory(64)
        super().__init__(
            "Two-tier memory",
            "Step through the conversation and watch where each turn lives. Below, where a rule that lets go "
            "before it has a summary would have it.",
        )

    def _build(self) -> tuple[Sequence[Any], Sequence[Any]]:
        from ctxkit.widgets.controls import SliderWithBox  # loads ipywidgets
        from ctxkit.widgets.tier_strip import TierStrip  # loads plotly's widget

        window, threshold, upto = self._start
        self._most = most = max(len(self._talk), 30, threshold)
        self.turns = SliderWithBox("Turns so far", upto, 1, len(self._talk), self.refresh)
        self.window = SliderWithBox("Window size (turns)", window, 0, most - 1, self._window_moved)
        self.threshold = SliderWithBox("Summary threshold (turns)", threshold, window + 1, most, self.refresh)
        self.chart = TierStrip()
        self.table = MessageList([m for turn in self._talk for m in turn.messages], self._counter)
        controls = [control.widget for control in (self.turns, self.window, self.threshold)]
        return controls, [self.chart, self.table.widget]

    def as_text(self) -> str:
        return f"{self.status}\n{self.table.as_text()}"

    def _window_moved(self, window: int) -> None:
        """A threshold not above the window would be refused, so it is moved along."""
        self.threshold.set_range(window + 1, self._most, max(self.threshold.value, window + 1))
        self.refresh()

    def _compute(self) -> Moment:
        setting = self.window.value, self.threshold.value
        return self._played.get(setting, lambda: run(self._play(*setting)))[self.turns.value - 1]

    async def _play(self, window: int, threshold: int) -> list[Moment]:
        memory = HierarchicalMemory(OfflineModel(), window, threshold, counter=self._counter)
        moments: list[Moment] = []
        calls = 0
        for turn in self._talk:
            added = await memory.add(turn.messages[0].content, turn.messages[-1].content, turn.steps)
            if added.error is not None:
                raise added.error
            calls += added.model_calls
            tiers = ["summary" if tier.startswith("summary") else tier for tier in memory.where()]
            moments.append(Moment(tiers, memory.levels[0].text, calls))
        return moments

    def _paint(self, picture: Moment) -> None:
        guides = guide_tiers(len(picture.tiers), self.window.value, self.threshold.value)
        ours, theirs = Counter(picture.tiers), Counter(guides)
        lost = theirs["lost"]
        finding = f"{number(lost)} of {plural(len(guides), 'turn')} lost by the guide's rule"
        self.chart.draw({OURS: picture.tiers, GUIDES: guides}, len(self._talk), finding)
        self._mark(picture)
        facts = (
            f"After {plural(len(guides), 'turn')}: {number(ours['recent'])} recent, "
            f"{number(ours['pending'])} pending, {number(ours['summary'])} in the summary "
            f"({plural(picture.calls, 'model call')}). The guide's rule: {number(theirs['recent'])} recent, "
            f"{number(theirs['summary'])} in its summary, {number(lost)} lost."
        )
        self._status.say("ok", "Nothing is lost.", facts)

    def _mark(self, picture: Moment) -> None:
        told = [
            FATES[tier] for tier, turn in zip(picture.tiers, self._talk, strict=False) for _ in turn.messages
        ]
        made: list[list[Any]] = []
        if picture.summary:
            tokens = number(self._counter.count_text(picture.summary))
            first = sum(1 for action, _ in told if action == "summarised")
            made = [[first, "summary", short(picture.summary), tokens, "of all turns before"]]
        self.table.mark(told, made)


def guide_tiers(turns: int, window_size: int, summary_threshold: int) -> list[str]:
    """Where each turn lives by the guide's rule: a buffer of the newest, and one summary of what the buffer
    holds when the threshold is reached.

    >>> from collections import Counter
    >>> sorted(Counter(guide_tiers(100, 10, 30)).items())
    [('lost', 80), ('recent', 10), ('summary', 10)]
    """
    tiers = ["lost"] * turns
    if turns >= summary_threshold:
        tiers[summary_threshold - window_size : summary_threshold] = ["summary"] * window_size
    newest = max(0, turns - window_size)
    return [*tiers[:newest], *["recent"] * (turns - newest)]
