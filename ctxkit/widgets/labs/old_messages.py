"""`OldMessagesLab`, the lab of lesson 5: old messages folded into a summary.

The learner sets both thresholds and sees, call by call, what is sent, when a summary was paid for, and
whether a question can still be answered.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from ctxkit._arguments import text, whole_number
from ctxkit.models import OfflineModel
from ctxkit.tokens import TokenCounter
from ctxkit.transforms import Outcome, SummarizeOldMessages, SummaryCache
from ctxkit.widgets.escape import short
from ctxkit.widgets.labs.reading import Reader
from ctxkit.widgets.labs.replayed import Picture, ReplayLab
from ctxkit.widgets.palette import number


class OldMessagesLab(ReplayLab):
    """Fold old messages into a summary: above `max_messages`, all but the newest `min_messages`.

    messages: the conversation. max_messages, min_messages: thresholds at first (defaults 20 and 5). upto:
    index of the last message at first (default: the last). question: what the offline reader is asked at
    each setting (default None: nothing). answer_in: index (or indexes) of messages that hold the answer, for
    the table. counter: default a shared cl100k_base counter. probe: as of `ReplayLab`. Raises TypeError or
    ValueError for other values.

    >>> from ctxkit import load_sample
    >>> lab = OldMessagesLab(load_sample("dolphins"), upto=20)
    >>> print(lab.status)
    Folded. 5 of 21 messages are sent: 1,355 → 691 tokens. 1 message made by the kit (405 tokens) goes with
    them. The first message sent is 16. Summary calls so far: 1 (by the guide's rule: 1).
    >>> lab.max_messages.value = 21
    >>> print(lab.status)
    Nothing folded. All 21 messages are sent: 1,355 tokens.
    Summary calls so far: 0 (by the guide's rule: 0).
    """

    def __init__(
        self,
        messages: Iterable[Any],
        *,
        max_messages: int = 20,
        min_messages: int = 5,
        upto: int | None = None,
        question: str | None = None,
        answer_in: int | Sequence[int] = (),
        counter: TokenCounter | None = None,
        probe: tuple[str, str] | None = None,
    ) -> None:
        self._start_max = whole_number("max_messages", max_messages, minimum=1)
        self._start_min = whole_number("min_messages", min_messages)
        if self._start_max <= self._start_min:
            raise ValueError(f"max_messages: {max_messages} is not above min_messages, {min_messages}")
        self._model = OfflineModel()
        self._reader = None if question is None else Reader(self._model, text("question", question))
        ask = f"The question is “{question}” Can it still be answered? " if question else ""
        super().__init__(
            "Summarise old messages",
            f"{ask}Above max_messages, all but the newest min_messages are folded into a summary.",
            messages,
            upto=upto,
            answer_in=answer_in,
            counter=counter,
            probe=probe,
        )

    def _controls(self) -> Sequence[Any]:
        from ctxkit.widgets.controls import SliderWithBox  # loads ipywidgets

        most, keep = self._start_max, self._start_min
        self._top = max(len(self._ledger.messages), most)
        self.max_messages = SliderWithBox("max_messages", most, 1, self._top, self._moved)
        self.min_messages = SliderWithBox("min_messages", keep, 0, self._top - 1, self._moved)
        self._set_bounds()
        return [self.max_messages.widget, self.min_messages.widget]

    def _moved(self, _: int) -> None:
        self._set_bounds()
        self.refresh()

    def _set_bounds(self) -> None:
        """Each threshold ends where the other stands, and its label says where that is."""
        most, keep = self.max_messages.value, self.min_messages.value
        self.max_messages.set_range(keep + 1, self._top, most)
        self.min_messages.set_range(0, most - 1, keep)
        self.max_messages.box.description = f"max_messages ({keep + 1} or more)"
        self.min_messages.box.description = f"min_messages ({most - 1} or fewer)"

    def _setting(self) -> Hashable:
        return self.max_messages.value, self.min_messages.value

    def _transform(self, cache: SummaryCache) -> SummarizeOldMessages:
        most, keep = self.max_messages.value, self.min_messages.value
        return SummarizeOldMessages(self._model, most, keep, cache=cache, counter=self._ledger.counter)

    def _limit(self) -> None:
        return None

    def _say(self, picture: Picture, outcome: Outcome) -> None:
        facts = f"{self._facts(picture, outcome)} {self._price(picture)}{self._read(outcome)}"
        if outcome.error is not None:
            what = short(str(outcome.error)).rstrip(".")
            self._status.say("over", "Not folded.", f"The summary failed: {what}. {facts}")
        elif any(message.kind == "summary" for message in outcome.messages):
            self._status.say("ok", "Folded.", facts)
        else:
            self._status.say("ok", "Nothing folded.", facts)

    def _price(self, picture: Picture) -> str:
        """Summary calls, ours and those of the guide, whose rule looks at the stored list."""
        most = self.max_messages.value
        guide = sum(step.call.upto > most for step in picture.steps)
        return f"Summary calls so far: {number(picture.model_calls)} (by the guide's rule: {number(guide)})."
