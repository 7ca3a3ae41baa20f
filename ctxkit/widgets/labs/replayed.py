"""What the labs over one conversation share: a slider through it, and its calls replayed under each setting.

Contract: every setting is replayed from the first message with a fresh transform, so that one setting always
shows one picture, whatever was looked at before. What was replayed is kept: coming back to a setting costs a
drawing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit._sync import run
from ctxkit.messages import Message, load_messages
from ctxkit.replay import Ledger, Replayed, Step, call_points
from ctxkit.replay.calls import sampled
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms import MessageTransform, Outcome, SummaryCache
from ctxkit.widgets.lab import Lab
from ctxkit.widgets.labs.reading import Reader
from ctxkit.widgets.message_list import MessageList
from ctxkit.widgets.palette import number, percent, plural
from ctxkit.widgets.probe_bar import ProbeBar
from ctxkit.widgets.token_chart import TokenUsageChart
from ctxkit.window import BudgetImpossible

KEPT_SETTINGS = 24
"""Settings whose calls are remembered; the one not looked at for longest goes first."""


@dataclass(frozen=True)
class Picture:
    """One setting: its calls so far, the last of them in full, and the limit that is drawn."""

    steps: Sequence[Step]
    limit: int | None

    @property
    def last(self) -> Step:
        return self.steps[-1]

    @property
    def model_calls(self) -> int:
        """Calls of the summariser so far."""
        return sum(step.made.model_calls for step in self.steps if isinstance(step.made, Outcome))


class ReplayLab(Lab[Picture]):
    """Base of the labs that step through a conversation.

    title, intro: the heading, and what the lab is for. messages: the conversation. upto: index of the last
    message at first (default: the last). answer_in: index (or indexes) of messages that hold the answer to
    the lab's question: the status then says whether it is still sent. counter: default a shared cl100k_base
    counter. tools: schemas that every call carries. most_bars: calls that are drawn. every_call: whether a
    call depends on those before it, so that none may be left out. probe: the start of a sentence and the word
    that is right next, for a button that asks the embedded model with what is sent. Raises TypeError or
    ValueError for other values.

    A subclass that has a `Reader` gets its answer with each picture.
    """

    _reader: Reader | None = None

    def __init__(
        self,
        title: str,
        intro: str,
        messages: Iterable[Any],
        *,
        upto: int | None = None,
        answer_in: int | Sequence[int] = (),
        counter: TokenCounter | None = None,
        tools: Sequence[Any] = (),
        most_bars: int = 100,
        every_call: bool = True,
        probe: tuple[str, str] | None = None,
    ) -> None:
        self._sentence = probe
        self._sent: Sequence[Message] = ()
        history = load_messages(messages)
        if not history:
            raise ValueError("messages: a lab needs at least one message")
        self._tools = tuple(tools)
        self._ledger = Ledger(history, counter_or_none(counter) or shared_counter(), self._tools)
        self._answers = [answer_in] if isinstance(answer_in, int) else list(answer_in)
        for index in self._answers:
            if whole_number("answer_in", index) >= len(history):
                raise ValueError(f"answer_in: there is no message {index}, the last is {len(history) - 1}")
        last = len(history) - 1
        self._start = min(whole_number("upto", last if upto is None else upto), last)
        points = sorted({*call_points(history), len(history)})
        self._bars = sampled(points, most_bars)
        self._points = points if every_call else self._bars
        self._replayed: OrderedDict[Hashable, Replayed] = OrderedDict()
        super().__init__(title, intro)

    @abstractmethod
    def _controls(self) -> Sequence[Any]:
        """Make the lab's own controls, at most two; give their widgets."""

    @abstractmethod
    def _setting(self) -> Hashable:
        """The present values of the lab's own controls."""

    @abstractmethod
    def _transform(self, cache: SummaryCache) -> MessageTransform:
        """A fresh transform of the present setting."""

    @abstractmethod
    def _limit(self) -> int | None:
        """The limit in tokens that is drawn."""

    @abstractmethod
    def _say(self, picture: Picture, outcome: Outcome) -> None:
        """Say what the picture shows."""

    def _build(self) -> tuple[Sequence[Any], Sequence[Any]]:
        from ctxkit.widgets.controls import SliderWithBox  # loads ipywidgets

        history, counter = self._ledger.messages, self._ledger.counter
        label = "Conversation up to message"
        self.upto = SliderWithBox(label, self._start, 0, len(history) - 1, self.refresh)
        self.chart = TokenUsageChart(counter=counter, tools=self._tools)
        self.table = MessageList(history, counter, notes=dict.fromkeys(self._answers, "the answer"))
        self.probe = ProbeBar(lambda: self._sent, *self._sentence) if self._sentence else None
        panes = [self.chart.widget, self.table.widget]
        return [self.upto.widget, *self._controls()], panes + ([self.probe.widget] if self.probe else [])

    def as_text(self) -> str:
        parts = [self.status, self.table.as_text(), *([self.probe.as_text()] if self.probe else [])]
        return "\n".join(parts)

    def _compute(self) -> Picture:
        setting = self._setting()
        if setting not in self._replayed:
            self._replayed[setting] = Replayed(self._ledger, self._points, self._transform, self._tools)
            if len(self._replayed) > KEPT_SETTINGS:
                self._replayed.popitem(last=False)
        self._replayed.move_to_end(setting)
        picture = Picture(run(self._replayed[setting].upto(self.upto.value + 1)), self._limit())
        if isinstance(picture.last.made, Outcome):
            self._read(picture.last.made)  # what it answers is part of the picture
        return picture

    def _paint(self, picture: Picture) -> None:
        shown = {*self._bars, picture.last.call.upto}
        calls = [step.call for step in picture.steps if step.call.upto in shown]
        self.chart.draw(calls, limit=picture.limit, places=len(self._bars))
        made = picture.last.made
        self._sent = made.messages if isinstance(made, Outcome) else ()
        if self.probe:
            self.probe.refresh()
        if isinstance(made, Outcome):
            self.table.show(made)
            self._say(picture, made)
            return
        self.table.mark(cannot_fit(made, picture.last.call.upto))
        self._status.say("over", "Cannot fit.", f"{shortfall(made)} Nothing is sent.")

    def _read(self, outcome: Outcome) -> str:
        """What the reader answers to this window, after a blank; "" where there is no reader."""
        return f" {self._reader.read(outcome)}" if self._reader is not None else ""

    def _facts(self, picture: Picture, outcome: Outcome) -> str:
        """How much of the conversation is sent, and from where on."""
        call, ledger = picture.last.call, self._ledger
        mark = "" if call.exact else "≈ "
        sources = [source for source in outcome.sources if source is not None]
        sent, whole = len(sources), ledger.total(call.upto)
        pairs = zip(outcome.messages, outcome.sources, strict=True)
        made = [ledger.counter.count(message) for message, source in pairs if source is None]
        everything = sent == call.upto
        of_these = f"All {plural(call.upto, 'message')}" if call.upto > 1 else "The message"
        if not everything:
            of_these = f"{number(sent)} of {plural(call.upto, 'message')}"
        facts = f"{of_these} {'is' if sent == 1 else 'are'} sent: {mark}"
        facts += "" if call.total == whole else f"{number(whole)} → "
        facts += plural(call.total, "token")
        if picture.limit is not None:
            facts += f", {percent(call.total / picture.limit)} of the {number(picture.limit)}-token window"
        facts += "."
        if made:
            verb = "goes" if len(made) == 1 else "go"
            cost = plural(sum(made), "token")
            facts += f" {plural(len(made), 'message')} made by the kit ({cost}) {verb} with them."
        head = sum(
            1 for place, source in enumerate(sources) if source == place and ledger.roles[place] == "system"
        )
        if sources[head:] and not everything:
            lead = "After the system prompt, the" if head else "The"
            facts += f" {lead} first message sent is {sources[head]}."
        return facts

    def _answer(self, picture: Picture, outcome: Outcome) -> str:
        """Where the answer is, if we were told which messages hold it."""
        if not self._answers:
            return ""
        where = f"message{'s' if len(self._answers) > 1 else ''} {', '.join(map(str, self._answers))}"
        if min(self._answers) >= picture.last.call.upto:
            return f" The answer ({where}) has not been given yet."
        held = not set(self._answers).isdisjoint(outcome.sources)
        return f" The answer ({where}) is {'in' if held else 'no longer in'} the window."


def cannot_fit(error: BudgetImpossible, messages: int) -> list[tuple[str, str]]:
    """What `MessageList.mark` says of so many messages when those that must be sent do not fit."""
    required = set(error.required)
    must, rest = ("required", "over the budget all the same"), ("dropped", "the call cannot be made")
    return [must if index in required else rest for index in range(messages)]


def shortfall(error: BudgetImpossible) -> str:
    required = ", ".join(map(str, error.required[:6])) + (", …" if len(error.required) > 6 else "")
    noun = "message" if len(error.required) == 1 else "messages"
    need = f"At least {plural(error.tokens, 'token')} must be sent ({noun} {required})"
    return f"{need}, but the budget is {number(error.budget)}."
