"""`ThreadLab`, the lab of lesson 6: a thread with a running summary, exchange by exchange.

Every setting is played from message 1 in a fresh thread, once, and remembered exchange by exchange; so one
setting always shows one picture, and stepping through the exchanges costs a drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit._sync import run
from ctxkit.history import head_length, repair
from ctxkit.models.offline import OfflineModel
from ctxkit.stores import MemoryStore
from ctxkit.threads import SummaryThread
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.summaries.memory import Memory
from ctxkit.widgets.escape import short
from ctxkit.widgets.lab import Lab
from ctxkit.widgets.labs.exchanges import Exchange, Played, ends, play
from ctxkit.widgets.message_list import MessageList
from ctxkit.widgets.palette import number, plural

MOST_NAMED = 12
"""Exchanges with a summary that the status names."""


class ThreadLab(Lab[Played]):
    """A running summary: above `max_messages` in the state, all but the newest `keep` go into the summary.

    messages: a conversation, or a thread's transcript or dump, with at least one user message. max_messages,
    keep, exchange: the setting at first (defaults 6, 2, the last exchange). counter: default a shared
    cl100k_base counter. Raises TypeError or ValueError for other values.

    >>> from ctxkit import load_sample
    >>> lab = ThreadLab(load_sample("lighthouse"), exchange=4)
    >>> print(lab.status)
    Summarised. Exchange 4 made 8 messages, more than 6: 6 went into the summary, 2 stay.
    Summaries so far: 1 (exchange 4). The next prompt begins with 111 tokens, without a summary 116.
    >>> lab.exchange.value = 3
    >>> print(lab.status)
    All stay. After exchange 3 there are 6 messages, not more than 6.
    Summaries so far: 0. The next prompt begins with 84 tokens, without a summary 84.
    """

    def __init__(
        self,
        messages: Any,
        *,
        max_messages: int = 6,
        keep: int = 2,
        exchange: int | None = None,
        counter: TokenCounter | None = None,
    ) -> None:
        self._talk = repair(messages)
        self._head = head_length(self._talk)
        self._ends = ends(self._talk, self._head)
        if not self._ends:
            raise ValueError("messages: a lab needs at least one user message")
        self._counter = counter_or_none(counter) or shared_counter()
        SummaryThread(OfflineModel(), MemoryStore(), "lab", max_messages, keep)  # refuses what makes no sense
        last = len(self._ends)
        upto = last if exchange is None else whole_number("exchange", exchange, minimum=1)
        self._start = max_messages, keep, min(upto, last)
        self._played: Memory[list[Exchange]] = Memory(64)
        super().__init__(
            "A thread with a running summary",
            "Step through the exchanges: the nodes that were passed light up. Above max_messages, all but "
            "the newest keep go into the summary.",
        )

    def _build(self) -> tuple[Sequence[Any], Sequence[Any]]:
        from ctxkit.widgets.controls import SliderWithBox  # loads ipywidgets
        from ctxkit.widgets.thread_picture import ThreadPicture  # loads plotly's widget

        most, keep, upto = self._start
        self._top = max(len(self._talk), most)
        self.exchange = SliderWithBox("Exchanges so far", upto, 1, len(self._ends), self.refresh)
        self.max_messages = SliderWithBox("max_messages", most, 1, self._top, self._moved)
        self.keep = SliderWithBox("keep", keep, 0, self._top - 1, self._moved)
        self._set_bounds()
        self.chart = ThreadPicture(any(message.tool_calls for message in self._talk))
        self.table = MessageList(self._talk, self._counter)
        controls = [control.widget for control in (self.exchange, self.max_messages, self.keep)]
        return controls, [self.chart, self.table.widget]

    def as_text(self) -> str:
        return f"{self.status}\n{self.table.as_text()}"

    def _moved(self, _: int) -> None:
        self._set_bounds()
        self.refresh()

    def _set_bounds(self) -> None:
        """Each of the two ends where the other stands, and its label says where that is."""
        most, keep = self.max_messages.value, self.keep.value
        self.max_messages.set_range(keep + 1, self._top, most)
        self.keep.set_range(0, most - 1, keep)
        self.max_messages.box.description = f"max_messages ({keep + 1} or more)"
        self.keep.box.description = f"keep ({most - 1} or fewer)"

    def _compute(self) -> Played:
        setting = self.max_messages.value, self.keep.value
        exchanges = self._played.get(
            setting, lambda: run(play(self._talk, self._ends, *setting, self._counter))
        )
        return Played(exchanges[: self.exchange.value])

    def _paint(self, picture: Played) -> None:
        from ctxkit.widgets.thread_picture import Bar  # loads plotly's widget

        most, here = self.max_messages.value, picture.last
        passed, arrows = self._way(picture)
        bars = [Bar(one.end - one.start, one.removed) for one in picture.exchanges]
        self.chart.draw(passed, arrows, bars, len(self._ends), most, self._finding(here))
        self._mark(picture)
        self._say(picture)

    def _way(self, picture: Played) -> tuple[dict[str, str], list[tuple[str, str]]]:
        """The nodes that the last exchange passed, with a word each, and the arrows between them."""
        here, begin = picture.last, picture.exchanges[-2].end if len(picture.exchanges) > 1 else 0
        calls = sum(len(message.tool_calls) for message in self._talk[begin : here.end])
        passed = {"START": "you", "conversation": "" if here.before is None else "reply"}
        arrows = [("START", "conversation")]
        if calls:
            passed["tools"] = plural(calls, "call")
            arrows += [("conversation", "tools"), ("tools", "conversation")]
        if here.before is None:
            return passed, arrows
        most = self.max_messages.value
        answer = "? yes" if here.removed else ", no cut" if here.before > most else "? no"
        passed["condition"] = f"{here.before} > {most}{answer}"
        passed["END"] = "done"
        arrows.append(("conversation", "condition"))
        if here.removed:
            passed["summarise"] = f"{here.removed} go, {here.end - here.start} stay"
            arrows += [("condition", "summarise"), ("summarise", "END")]
        else:
            arrows.append(("condition", "END"))
        return passed, arrows

    def _finding(self, here: Exchange) -> str:
        if here.before is None:
            return "The last message waits for its answer"
        stay = here.end - here.start
        if here.removed:
            return f"{plural(here.before, 'message')}: {here.removed} into the summary, {stay} stay"
        return f"{plural(here.before, 'message')}: {'it stays' if stay == 1 else 'all stay'}"

    def _mark(self, picture: Played) -> None:
        here = picture.last
        fates = [("kept", "head: never removed")] * self._head
        for place, exchange in enumerate(picture.exchanges, 1):
            fates += [("summarised", f"removed in exchange {place}")] * (exchange.start - len(fates))
        fates += [("kept", "in the state")] * (here.end - len(fates))
        made: list[list[Any]] = []
        if here.summary:
            tokens = number(self._counter.count_text(here.summary))
            reason = f"stands for {plural(here.start - self._head, 'message')}"
            made = [[here.start, "summary", short(here.summary), tokens, reason]]
        self.table.mark(fates, made)

    def _say(self, picture: Played) -> None:
        here, most, keep = picture.last, self.max_messages.value, self.keep.value
        place, stay = len(picture.exchanges), here.end - here.start
        made = ", ".join(map(str, picture.summaries[:MOST_NAMED]))
        made += ", …" if len(picture.summaries) > MOST_NAMED else ""
        price = f"Summaries so far: {number(len(picture.summaries))}"
        price += f" (exchange{'s' if len(picture.summaries) > 1 else ''} {made})." if made else "."
        whole = self._counter.count_all(self._talk[: here.end])
        price += (
            f" The next prompt begins with {plural(here.tokens, 'token')}, without a summary {number(whole)}."
        )
        if here.before is None:
            self._status.say("ok", "Waiting.", f"The last message has no answer yet. {price}")
        elif here.removed:
            facts = f"Exchange {place} made {plural(here.before, 'message')}, more than {most}: "
            facts += f"{here.removed} went into the summary, {stay} stay."
            facts += f" That is more than {keep}: no call is parted from its results." if stay > keep else ""
            self._status.say("ok", "Summarised.", f"{facts} {price}")
        elif here.before > most:
            why = "but a call and its results cannot be parted"
            facts = (
                f"After exchange {place} there are {plural(here.before, 'message')}, more than {most}, {why}."
            )
            self._status.say("ok", "All stay.", f"{facts} {price}")
        else:
            facts = (
                f"After exchange {place} there are {plural(here.before, 'message')}, not more than {most}."
            )
            self._status.say("ok", "All stay.", f"{facts} {price}")
