"""`DiscardingLab`, the lab of lesson 3: a window in messages and in tokens.

The learner steps through a conversation and sees, call by call, what is still sent. Every setting is
replayed from the first message with fresh transforms, so that one setting always shows one picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit._sync import run
from ctxkit.messages import Message, load_messages
from ctxkit.replay import call_points, replay
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms import KeepRecentMessages, KeepWithinTokens, Outcome, Pipeline
from ctxkit.widgets.calls import Call, Ledger, sampled
from ctxkit.widgets.lab import Lab
from ctxkit.widgets.message_list import MessageList
from ctxkit.widgets.palette import number, percent, plural
from ctxkit.widgets.token_chart import TokenUsageChart
from ctxkit.window import BudgetImpossible

MOST_BARS = 32
"""Calls that are drawn. Each is replayed at every step, so their number decides how fast a slider is."""


@dataclass(frozen=True)
class Picture:
    """One setting: the calls so far, and what the last of them sends, or why it cannot be made."""

    calls: Sequence[Call]
    budget: int
    outcome: Outcome | BudgetImpossible


class DiscardingLab(Lab[Picture]):
    """Discard old messages: at most so many messages, and within so many tokens.

    messages: the conversation. keep: messages to keep at first (default 10). max_tokens: token budget at
    first (default 2,048). upto: index of the last message at first (default: the last). question,
    answer_in: a question, and the index (or indexes) of messages that hold its answer: the status then says
    whether it is still sent. counter: default a shared cl100k_base counter. Raises TypeError or ValueError
    for other values.

    >>> from ctxkit import Message
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("What is 15% of 200?")]
    >>> lab = DiscardingLab(talk, keep=1, max_tokens=50)
    >>> lab.status
    'Fits. 1 of 3 messages is sent: 27 → 16 tokens, 32 % of the 50-token window. The first message sent is 2.'
    >>> lab.budget.value = 10
    >>> lab.status
    'Cannot fit. At least 16 tokens must be sent (message 2), but the budget is 10. Nothing is sent.'
    """

    def __init__(
        self,
        messages: Iterable[Any],
        *,
        keep: int = 10,
        max_tokens: int = 2048,
        upto: int | None = None,
        question: str | None = None,
        answer_in: int | Sequence[int] = (),
        counter: TokenCounter | None = None,
    ) -> None:
        history = load_messages(messages)
        if not history:
            raise ValueError("messages: a lab needs at least one message")
        self._ledger = Ledger(history, counter_or_none(counter) or shared_counter())
        self._answers = [answer_in] if isinstance(answer_in, int) else list(answer_in)
        for index in self._answers:
            if whole_number("answer_in", index) >= len(history):
                raise ValueError(f"answer_in: there is no message {index}, the last is {len(history) - 1}")
        last = len(history) - 1
        self._start = (
            min(whole_number("upto", last if upto is None else upto), last),
            whole_number("keep", keep),
        )
        self._start_budget = whole_number("max_tokens", max_tokens, minimum=1)
        self._points = sampled(sorted({*call_points(history), len(history)}), MOST_BARS)
        self._drawn: dict[int, Call] = {}
        self._setting = (-1, -1)
        ask = f"The question is “{question}” Is its answer still sent? " if question else ""
        super().__init__(
            "Discard old messages", f"{ask}Step through the conversation and watch what the model is sent."
        )

    def _build(self) -> tuple[Sequence[Any], Sequence[Any]]:
        from ctxkit.widgets.controls import SliderWithBox  # loads ipywidgets

        history, counter = self._ledger.messages, self._ledger.counter
        last = len(history) - 1
        step = nice_step(self._ledger.total(len(history)) // 60)
        most = max(self._ledger.total(len(history)), self._start_budget)
        upto, keep = self._start
        self.upto = SliderWithBox("Conversation up to message", upto, 0, last, self.refresh)
        self.keep = SliderWithBox("Keep recent (messages)", keep, 0, max(len(history), keep), self.refresh)
        self.budget = SliderWithBox(
            "Token budget (tokens)", self._start_budget, 1, -(-most // step) * step, self.refresh, step=step
        )
        self.chart = TokenUsageChart(counter=counter)
        self.table = MessageList(history, counter, notes=dict.fromkeys(self._answers, "the answer"))
        controls = [control.widget for control in (self.upto, self.keep, self.budget)]
        return controls, [self.chart.widget, self.table.widget]

    def as_text(self) -> str:
        return f"{self.status}\n{self.table.as_text()}"

    def _compute(self) -> Picture:
        keep, budget, end = self.keep.value, self.budget.value, self.upto.value + 1
        if (keep, budget) != self._setting:
            self._setting, self._drawn = (keep, budget), {}
        points = [point for point in self._points if point < end]
        missing = [point for point in points if point not in self._drawn]
        made = run(self._replayed(keep, budget, [*missing, end]))
        for point, outcome in zip([*missing, end], made, strict=True):
            self._drawn[point] = self._call(point, outcome)
        return Picture([self._drawn[point] for point in [*points, end]], budget, made[-1])

    async def _replayed(
        self, keep: int, budget: int, points: Sequence[int]
    ) -> list[Outcome | BudgetImpossible]:
        """What is sent at each of these calls, by fresh transforms; the error where nothing can be."""
        transform = Pipeline(
            [KeepRecentMessages(keep), KeepWithinTokens(budget, counter=self._ledger.counter)]
        )
        history = self._ledger.messages
        try:
            return [*await replay(transform, history, points=points)]
        except BudgetImpossible:  # at some of them: ask one by one
            return [await _sent_or_why_not(transform, history, point) for point in points]

    def _call(self, point: int, outcome: Outcome | BudgetImpossible) -> Call:
        if isinstance(outcome, BudgetImpossible):
            return self._ledger.impossible(point, outcome)
        return self._ledger.call(point, outcome)

    def _paint(self, picture: Picture) -> None:
        self.chart.draw(picture.calls, limit=picture.budget, places=len(self._points))
        outcome, last = picture.outcome, picture.calls[-1]
        if isinstance(outcome, BudgetImpossible):
            required = set(outcome.required)
            must, rest = ("required", "over the budget all the same"), ("dropped", "the call cannot be made")
            self.table.mark([must if index in required else rest for index in range(last.upto)])
            self._status.say("over", "Cannot fit.", f"{_shortfall(outcome)} Nothing is sent.")
            return
        self.table.show(outcome)
        facts = _facts(outcome, last, self._ledger, picture.budget)
        self._status.say("ok", "Fits.", facts + self._answer(outcome, last.upto))

    def _answer(self, outcome: Outcome, upto: int) -> str:
        """Where the answer is, if we were told which messages hold it."""
        if not self._answers:
            return ""
        where = f"message{'s' if len(self._answers) > 1 else ''} {', '.join(map(str, self._answers))}"
        if min(self._answers) >= upto:
            return f" The answer ({where}) has not been given yet."
        held = not set(self._answers).isdisjoint(outcome.sources)
        return f" The answer ({where}) is {'in' if held else 'no longer in'} the window."


async def _sent_or_why_not(
    transform: Pipeline, history: list[Message], point: int
) -> Outcome | BudgetImpossible:
    try:
        [outcome] = await replay(transform, history, points=[point])
    except BudgetImpossible as error:
        return error
    return outcome


def _facts(outcome: Outcome, call: Call, ledger: Ledger, budget: int) -> str:
    """How much of the conversation is sent, and from where on."""
    mark = "" if call.exact else "≈ "
    sources = [source for source in outcome.sources if source is not None]
    sent, whole, made = len(sources), ledger.total(call.upto), len(outcome.sources) - len(sources)
    everything = sent == call.upto
    facts = "All " if everything else f"{number(sent)} of "
    facts += f"{plural(call.upto, 'message')} {'is' if sent == 1 else 'are'} sent: {mark}"
    facts += (
        f"{plural(whole, 'token')}"
        if call.total == whole
        else f"{number(whole)} → {plural(call.total, 'token')}"
    )
    facts += f", {percent(call.total / budget)} of the {number(budget)}-token window."
    if made:
        facts += f" {plural(made, 'message')} made by the kit {'goes' if made == 1 else 'go'} with them."
    head = sum(
        1 for place, source in enumerate(sources) if source == place and ledger.roles[place] == "system"
    )
    if sources[head:] and not everything:
        lead = "After the system prompt, the" if head else "The"
        facts += f" {lead} first message sent is {sources[head]}."
    return facts


def _shortfall(error: BudgetImpossible) -> str:
    required = ", ".join(map(str, error.required[:6])) + (", …" if len(error.required) > 6 else "")
    noun = "message" if len(error.required) == 1 else "messages"
    need = f"At least {plural(error.tokens, 'token')} must be sent ({noun} {required})"
    return f"{need}, but the budget is {number(error.budget)}."


def nice_step(size: int) -> int:
    """The step of 1, 2 or 5 times a power of ten that is nearest below.

    >>> nice_step(67), nice_step(0)
    (50, 1)
    """
    power = 10 ** (len(str(max(size, 1))) - 1)
    return max(factor * power for factor in (1, 2, 5) if factor * power <= max(size, 1))
