"""`ToolResultsLab`, the lab of lesson 4: which tool results are shortened, and when.

The learner sets how long a result may be and how long it stays whole, and sees what a conversation costs,
what its summaries cost, and whether a line that was asked for is still there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from ctxkit._arguments import counter_or_none, text, whole_number
from ctxkit.models import OfflineModel
from ctxkit.tokens import TokenCounter
from ctxkit.transforms import Outcome, SummarizeToolResults, SummaryCache
from ctxkit.transforms.summaries.excerpt import BARE
from ctxkit.transforms.summaries.lines import LONGEST_LINE
from ctxkit.transforms.summaries.memory import Memory
from ctxkit.transforms.summaries.tool_results import text_of
from ctxkit.widgets.escape import short
from ctxkit.widgets.labs.discarding import nice_step
from ctxkit.widgets.labs.reading import Reader
from ctxkit.widgets.labs.replayed import Picture, ReplayLab
from ctxkit.widgets.palette import number, percent, plural


class ToolResultsLab(ReplayLab):
    """Shorten long tool results once they are no longer fresh.

    messages: the conversation. max_tokens: tokens above which a result is shortened, at first (default
    2,500). min_age: assistant messages that must follow a result before it is shortened, at first (0).
    chunk_tokens: material of one summary call (2,500). question: what the offline reader is asked at each
    setting (default None: nothing). limit: tokens of the window that is drawn (default None: no window).
    upto: index of the last message at first (default: the last). counter: default a cl100k_base counter.
    Raises TypeError or ValueError for other values.

    >>> from ctxkit.samples.logs import log_talk
    >>> lab = ToolResultsLab(log_talk(), max_tokens=200)
    >>> lab.status
    'Sent. 1 of 1 tool result is shortened, 0 whole: 10,062 → 151 tokens.
    Summary calls paid so far: 1, one per new chunk; 0 chunks came from the cache.'
    >>> lab.age.value = 1
    >>> lab.status
    'Sent. 0 of 1 tool result is shortened, 1 whole: 10,062 tokens.
    Summary calls paid so far: 0, one per new chunk; 0 chunks came from the cache.'
    """

    def __init__(
        self,
        messages: Iterable[Any],
        *,
        max_tokens: int = 2_500,
        min_age: int = 0,
        chunk_tokens: int = 2_500,
        question: str | None = None,
        limit: int | None = None,
        upto: int | None = None,
        counter: TokenCounter | None = None,
    ) -> None:
        self._start_size = whole_number("max_tokens", max_tokens, minimum=1)
        self._start_age = whole_number("min_age", min_age)
        self._chunk_tokens = whole_number("chunk_tokens", chunk_tokens, minimum=16)
        self._window = None if limit is None else whole_number("limit", limit, minimum=1)
        self._model = OfflineModel()
        self._reader = None if question is None else Reader(self._model, text("question", question))
        self._chunk_counts: Memory[int] = Memory()
        ask = f"The question is “{question}” Can it still be answered? " if question else ""
        super().__init__(
            "Shorten tool results",
            f"{ask}Results over a size are shortened, unless they are still fresh.",
            messages,
            upto=upto,
            counter=counter_or_none(counter) or LineCounter(),
        )

    def _controls(self) -> Sequence[Any]:
        from ctxkit.widgets.controls import SliderWithBox  # loads ipywidgets

        counter, history = self._ledger.counter, self._ledger.messages
        longest = max((counter.count(message) for message in history if message.role == "tool"), default=1)
        least, most = counter.count_text(BARE), max(longest, self._start_size)
        step = nice_step(most // 40)
        self.size = SliderWithBox(
            "Shorten over (tokens)",
            self._start_size,
            least,
            max(least, -(-most // step) * step),
            self.refresh,
            step=step,
        )
        replies = sum(message.role == "assistant" for message in history)
        self.age = SliderWithBox(
            "Whole until (replies after it)", self._start_age, 0, max(replies, self._start_age), self.refresh
        )
        return [self.size.widget, self.age.widget]

    def _setting(self) -> Hashable:
        return self.size.value, self.age.value

    def _transform(self, cache: SummaryCache) -> SummarizeToolResults:
        size, age, counter = self.size.value, self.age.value, self._ledger.counter
        return SummarizeToolResults(self._model, size, self._chunk_tokens, age, counter=counter, cache=cache)

    def _limit(self) -> int | None:
        return self._window

    def _say(self, picture: Picture, outcome: Outcome) -> None:
        facts = f"{self._sizes(picture, outcome)} {self._price(picture)}{self._read(outcome)}"
        over = picture.limit is not None and picture.last.call.total > picture.limit
        verdict = "Over the window." if over else "Fits." if picture.limit is not None else "Sent."
        if outcome.error is not None:
            over, verdict = True, f"No summary was made: {short(str(outcome.error))}."
        self._status.say("over" if over else "ok", verdict, facts)

    def _sizes(self, picture: Picture, outcome: Outcome) -> str:
        """How many results are shortened, and what is sent in all."""
        call, cut = picture.last.call, len(self._shortened(outcome))
        results = sum(message.role == "tool" for message in self._ledger.messages[: call.upto])
        sent = sum(
            message.role == "tool" and source is not None
            for message, source in zip(outcome.messages, outcome.sources, strict=True)
        )
        whole = self._ledger.total(call.upto)
        verb = "is" if 1 in (cut, results) else "are"
        facts = f"{number(cut)} of {plural(results, 'tool result')} {verb} shortened, "
        facts += f"{number(sent - cut)} whole"
        facts += f", {number(results - sent)} without a call and not sent" if sent < results else ""
        facts += f": {'' if call.exact else '≈ '}"
        facts += "" if call.total == whole else f"{number(whole)} → "
        facts += plural(call.total, "token")
        if picture.limit is not None:
            facts += f", {percent(call.total / picture.limit)} of the {number(picture.limit)}-token window"
        return f"{facts}."

    def _price(self, picture: Picture) -> str:
        """What the summaries took up to this call: each call needs all chunks of what it shortens."""
        made = [step.made for step in picture.steps if isinstance(step.made, Outcome)]
        needed = sum(self._chunks(index) for outcome in made for index in self._shortened(outcome))
        paid = picture.model_calls
        reused = max(0, needed - paid)  # a call that failed paid for nothing that is used
        return (
            f"Summary calls paid so far: {number(paid)}, one per new chunk; "
            f"{plural(reused, 'chunk')} came from the cache."
        )

    def _shortened(self, outcome: Outcome) -> list[int]:
        """Indexes of the results that were shortened; the decisions of all calls would take long."""
        own = self._ledger.messages
        return [
            source
            for message, source in zip(outcome.messages, outcome.sources, strict=True)
            if message.role == "tool" and source is not None and message.content != own[source].content
        ]

    def _chunks(self, index: int) -> int:
        """Into how many chunks a result is cut; no setting changes that."""
        message = self._ledger.messages[index]
        return self._chunk_counts.get(
            message.digest, lambda: len(self._transform(SummaryCache())._chunks(text_of(message)))
        )


class LineCounter(TokenCounter):
    """A counter that remembers lines too: at each setting the transform counts the same ones again.

    >>> counter = LineCounter()
    >>> counter.count_text("waiting for the archive"), counter.count_text("waiting for the archive")
    (4, 4)
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: Memory[int] = Memory()

    def count_text(self, text: str) -> int:
        if not isinstance(text, str) or len(text) > LONGEST_LINE or not self.has_vocabulary:
            return super().count_text(text)  # an estimate is not kept: the next try may count
        return self._lines.get(text, lambda: super(LineCounter, self).count_text(text))
