"""`DiscardingLab`, the lab of lesson 3: a window in messages and in tokens.

The learner steps through a conversation and sees, call by call, what is still sent.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from ctxkit._arguments import whole_number
from ctxkit.tokens import TokenCounter
from ctxkit.transforms import KeepRecentMessages, KeepWithinTokens, Outcome, Pipeline, SummaryCache
from ctxkit.widgets.labs.replayed import Picture, ReplayLab

MOST_BARS = 32
"""Calls that are drawn. Each is replayed at every step, so their number decides how fast a slider is."""


class DiscardingLab(ReplayLab):
    """Discard old messages: at most so many messages, and within so many tokens.

    messages: the conversation. keep: messages to keep at first (default 10). max_tokens: token budget at
    first (default 2,048). upto: index of the last message at first (default: the last). question,
    answer_in: a question, and the index (or indexes) of messages that hold its answer: the status then says
    whether it is still sent. counter: default a shared cl100k_base counter. probe: as of `ReplayLab`. Raises
    TypeError or ValueError for other values.

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
        probe: tuple[str, str] | None = None,
    ) -> None:
        self._start_keep = whole_number("keep", keep)
        self._start_budget = whole_number("max_tokens", max_tokens, minimum=1)
        ask = f"The question is “{question}” Is its answer still sent? " if question else ""
        super().__init__(
            "Discard old messages",
            f"{ask}Step through the conversation and watch what the model is sent.",
            messages,
            upto=upto,
            answer_in=answer_in,
            counter=counter,
            most_bars=MOST_BARS,
            every_call=False,
            probe=probe,
        )

    def _controls(self) -> Sequence[Any]:
        from ctxkit.widgets.controls import SliderWithBox  # loads ipywidgets

        count, total = len(self._ledger.messages), self._ledger.total(len(self._ledger.messages))
        step, most = nice_step(total // 60), max(total, self._start_budget)
        keep = self._start_keep
        self.keep = SliderWithBox("Keep recent (messages)", keep, 0, max(count, keep), self.refresh)
        self.budget = SliderWithBox(
            "Token budget (tokens)", self._start_budget, 1, -(-most // step) * step, self.refresh, step=step
        )
        return [self.keep.widget, self.budget.widget]

    def _setting(self) -> Hashable:
        return self.keep.value, self.budget.value

    def _transform(self, cache: SummaryCache) -> Pipeline:
        keep, budget = self.keep.value, self.budget.value
        return Pipeline([KeepRecentMessages(keep), KeepWithinTokens(budget, counter=self._ledger.counter)])

    def _limit(self) -> int:
        return self.budget.value

    def _say(self, picture: Picture, outcome: Outcome) -> None:
        self._status.say("ok", "Fits.", self._facts(picture, outcome) + self._answer(picture, outcome))


def nice_step(size: int) -> int:
    """The step of 1, 2 or 5 times a power of ten that is nearest below.

    >>> nice_step(67), nice_step(0)
    (50, 1)
    """
    power = 10 ** (len(str(max(size, 1))) - 1)
    return max(factor * power for factor in (1, 2, 5) if factor * power <= max(size, 1))
