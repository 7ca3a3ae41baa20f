"""`PipelineLab`, the lab of lesson 8: the stages of a pipeline in an order that the learner changes.

The status says what an order costs over the whole conversation, and whether the reader still finds the
answer to a question in what it is sent.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from ctxkit._arguments import text, whole_number
from ctxkit.models import OfflineModel
from ctxkit.tokens import TokenCounter
from ctxkit.transforms import (
    ClearToolResults,
    KeepWithinTokens,
    MessageTransform,
    Outcome,
    Pipeline,
    SummarizeOldMessages,
    SummarizeToolResults,
    SummaryCache,
)
from ctxkit.widgets.labs.discarding import nice_step
from ctxkit.widgets.labs.reading import Reader
from ctxkit.widgets.labs.replayed import Picture, ReplayLab
from ctxkit.widgets.labs.staged import Staged, stages_of, told
from ctxkit.widgets.palette import number, plural
from ctxkit.window import BudgetImpossible

BUDGET = KeepWithinTokens.__name__
"""The stage that the budget slider sets."""


class PipelineLab(ReplayLab):
    """Order the stages of a pipeline, or leave some out.

    messages: the conversation. stages: transforms in their first order, exactly one of them a
    `KeepWithinTokens`, whose budget is a control (default: `SummarizeToolResults`, `SummarizeOldMessages`,
    `ClearToolResults`, `KeepWithinTokens(2048)`); each setting makes them anew from their options, and
    summaries are made by the offline reader, whatever model they have. question: what the reader is asked
    about the messages that are sent (default: nothing). answer_in, upto, tools, counter: as of `ReplayLab`.
    Raises TypeError or ValueError for other values, or stages that cannot be exported.

    >>> from ctxkit import KeepRecentMessages, Message
    >>> talk = [Message.user("The bus is at 10:15."), Message.assistant("Fine."), Message.user("And now?")]
    >>> stages = [KeepRecentMessages(1), KeepWithinTokens(40)]
    >>> lab = PipelineLab(talk, stages, question="When is the bus?")
    >>> print(lab.order)
    1. KeepRecentMessages: 2 not sent, 29 → 10 tokens
    2. KeepWithinTokens: nothing to change, 10 tokens
    >>> lab.status.partition(" Asked ")[2]
    'the question, the offline reader says: The answer is not in the messages I was sent.'
    >>> lab.order.value = [1]
    >>> lab.status.partition(" Asked ")[2]
    'the question, the offline reader quotes message 0: "The bus is at 10:15."'
    """

    def __init__(
        self,
        messages: Iterable[Any],
        stages: Sequence[MessageTransform] | None = None,
        *,
        question: str | None = None,
        answer_in: int | Sequence[int] = (),
        upto: int | None = None,
        tools: Sequence[Any] = (),
        counter: TokenCounter | None = None,
    ) -> None:
        self._model = OfflineModel()
        self._config = Pipeline(_usual(self._model) if stages is None else stages).to_config()
        self._names = [stage["name"] for stage in self._config["stages"]]
        if self._names.count(BUDGET) != 1:
            raise ValueError(f"stages: the lab needs exactly one {BUDGET}, whose budget it lets you set")
        budget = self._config["stages"][self._names.index(BUDGET)]["options"]["max_tokens"]
        self._start_budget = whole_number("max_tokens", budget, minimum=1)
        self._reader = None if question is None else Reader(self._model, text("question", question))
        ask = f"The question is “{question}” Does the model still find the answer? " if question else ""
        super().__init__(
            "Order the stages of a pipeline",
            f"{ask}Move the stages and watch what is sent, and what that costs.",
            messages,
            upto=upto,
            answer_in=answer_in,
            counter=counter,
            tools=tools,
        )

    def _controls(self) -> Sequence[Any]:
        from ctxkit.widgets.controls import SliderWithBox  # loads ipywidgets
        from ctxkit.widgets.ordering import OrderedList

        total = self._ledger.total(len(self._ledger.messages))
        step, most = nice_step(total // 60), max(total, self._start_budget)
        self.budget = SliderWithBox(
            "Token budget (tokens)", self._start_budget, 1, -(-most // step) * step, self.refresh, step=step
        )
        self.order = OrderedList("Stages of the pipeline", self._names, self.refresh)
        return [self.budget.widget, self.order.widget]

    def as_text(self) -> str:
        return f"{self.status}\n{self.order.as_text()}\n{self.table.as_text()}"

    def _setting(self) -> Hashable:
        return self.order.value, self.budget.value

    def _transform(self, cache: SummaryCache) -> Staged:
        stages: list[Any] = []
        for place in self.order.value:
            stage = self._config["stages"][place]
            if stage["name"] == BUDGET:
                stage = {**stage, "options": {**stage["options"], "max_tokens": self.budget.value}}
            stages.append(stage)
        counter, config = self._ledger.counter, {**self._config, "stages": stages}
        return Staged(Pipeline.from_config(config, self._model, counter=counter, cache=cache).transforms)

    def _limit(self) -> int:
        return self.budget.value

    def _paint(self, picture: Picture) -> None:
        super()._paint(picture)
        notes = dict(zip(self.order.value, self._notes(picture), strict=False))
        self.order.tell([notes.get(place, "") for place in range(len(self._names))])

    def _say(self, picture: Picture, outcome: Outcome) -> None:
        facts = self._facts(picture, outcome) + self._costs(picture) + self._read(outcome)
        if picture.last.call.total > self.budget.value:
            self._status.say("over", "Over the budget.", facts)
        else:
            self._status.say("ok", "Fits.", facts)

    def _costs(self, picture: Picture) -> str:
        """What the order has cost up to here."""
        made = [step.made for step in picture.steps]
        calls = sum(stage.model_calls for one in made for stage in stages_of(one))
        hits = sum(stage.cache_hits for one in made for stage in stages_of(one))
        costs = f" {plural(len(made), 'call')} so far: "
        costs += f"{plural(sum(step.call.total for step in picture.steps), 'token')} sent, "
        costs += f"{plural(calls, 'summary call')}, {plural(hits, 'cache hit')}."
        failed = sum(isinstance(one, BudgetImpossible) for one in made)
        return costs + (f" {plural(failed, 'earlier call')} could not be made." if failed else "")

    def _notes(self, picture: Picture) -> Iterator[str]:
        """What each stage did at the call that is shown, and what it cost so far, in their order."""
        made, counter = picture.last.made, self._ledger.counter
        tokens = self._ledger.total(picture.last.call.upto)
        for place, stage in enumerate(stages_of(made)):
            note, tokens = (
                told(stage, tokens, counter, self._tools),
                counter.count_all(stage.messages, self._tools),
            )
            yield note + _paid([stages_of(step.made) for step in picture.steps], place)
        if isinstance(made, BudgetImpossible):
            yield f"stops here: {number(made.tokens)} tokens must be sent, {number(made.budget)} are allowed"
            yield from ["not reached"] * len(self._names)


def _paid(steps: Sequence[Sequence[Outcome]], place: int) -> str:
    """What a stage cost in all calls."""
    done = [stages[place] for stages in steps if place < len(stages)]
    calls, hits = sum(stage.model_calls for stage in done), sum(stage.cache_hits for stage in done)
    return f"; so far {plural(calls, 'summary call')}, {plural(hits, 'cache hit')}" if calls or hits else ""


def _usual(model: OfflineModel) -> list[MessageTransform]:
    return [
        SummarizeToolResults(model),
        SummarizeOldMessages(model),
        ClearToolResults(),
        KeepWithinTokens(2_048),
    ]
