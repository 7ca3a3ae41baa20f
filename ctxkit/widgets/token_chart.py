"""`TokenUsageChart`: tokens by role at each model call, and what was left out.

Contract: one stacked bar a call, from left to right; what is not sent stands on top as an outline, so that
a bar is as high as the whole conversation was, with the summaries that are sent on top of that. Equal inputs
give equal pictures. The title says the finding. Estimates are marked by "≈".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ctxkit import _arguments
from ctxkit._arguments import counter_or_none, whole_number
from ctxkit.messages import load_messages
from ctxkit.replay.calls import Call, Ledger, call_of, sampled
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms import Outcome
from ctxkit.widgets.escape import visible
from ctxkit.widgets.palette import number, plural
from ctxkit.widgets.shown import Shown

MOST_BARS = 100


class TokenUsageChart(Shown):
    """A bar for each model call of a conversation.

    limit: tokens that the window holds, drawn as a line (default None: no line). counter: default a shared
    cl100k_base counter. tools: schemas that every call carries. title: a name that stands before the
    finding. Raises TypeError or ValueError for other values.

    A call is known by how many messages the conversation had when it was made. `append` adds a message: the
    last bar is the next call, which would send all there is, and an assistant message ends it. `show` draws
    what an `Outcome` sends and drops in place of that call's bar. Of more than 100 calls, 100 are drawn,
    evenly spread, the last always among them.

    >>> from ctxkit import KeepRecentMessages, Message, run
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("What is 15% of 200?")]
    >>> chart = TokenUsageChart(limit=50)
    >>> for message in talk:
    ...     chart.append(message)
    >>> chart
    2 model calls, all within 50 tokens.
    The last one, after message 2, sends 27 tokens: request frame 3, user 18, assistant 6.
    >>> chart.show(run(KeepRecentMessages(1).apply(talk)))
    >>> chart
    2 model calls, all within 50 tokens.
    The last one, after message 2, sends 16 tokens: request frame 3, user 13. Left out: 11 tokens.
    """

    def __init__(
        self,
        limit: int | None = None,
        *,
        counter: TokenCounter | None = None,
        tools: Sequence[Any] = (),
        title: str | None = None,
    ) -> None:
        self._limit = None if limit is None else whole_number("limit", limit, minimum=1)
        self._tools = tuple(tools)
        self._name = None if title is None else visible(_arguments.text("title", title))
        self._ledger = Ledger((), counter_or_none(counter) or shared_counter(), self._tools)
        self._calls: dict[int, Call] = {}
        self._next: int | None = None  # the call that grows with each message
        super().__init__()
        from ctxkit.widgets.call_bars import CallBars  # loads plotly's widget, which takes a second

        self.widget: CallBars = CallBars()
        self._redraw()

    def append(self, message: Any) -> None:
        """Add a message (or dict) to the conversation and draw the next call, which sends all of it.

        Raises TypeError or ValueError naming the field for a message that is none.
        """
        [loaded] = load_messages([message])
        self._ledger.append(loaded)
        if self._next is not None and loaded.role != "assistant":
            del self._calls[self._next]
        self._next = len(self._ledger.messages)
        self._calls[self._next] = self._ledger.everything(self._next)
        self._redraw()

    def show(self, outcome: Outcome) -> None:
        """Draw what a transform sends and drops as the call it was made for."""
        call = call_of(outcome, self._ledger.counter, self._tools)
        self._calls[call.upto] = call
        self._redraw()

    def draw(self, calls: Iterable[Call], *, limit: int | None, places: int | None = None) -> None:
        """Draw all calls anew, in one step.

        limit: the new limit, or None. places: bars that there will be (default: as many as calls), so that
        bars stay where they are while a conversation is stepped through.
        """
        self._calls = {call.upto: call for call in calls}
        self._next = None
        self._limit = limit
        self._redraw(places)

    def as_text(self) -> str:
        calls = self._in_order()
        if not calls:
            return "No model call yet."
        last = calls[-1]
        overview = f"{plural(len(calls), 'model call')}{_within(calls, self._limit)}."
        summaries = sum(call.summarised for call in calls)
        overview += f" A summary was made for {number(summaries)} of them." if summaries else ""
        if last.required is not None:
            end = f"could not be made: at least {_tokens(last.required, last)} had to be sent."
        else:
            parts = ", ".join(f"{part} {number(tokens)}" for part, tokens in last.sent.items())
            end = f"sends {_tokens(last.total, last)}: {parts}."
            end += f" Left out: {_tokens(last.not_sent, last)}." if last.not_sent else ""
        name = f"{self._name}: " if self._name else ""
        return f"{name}{overview} The last one, after message {last.upto - 1}, {end}"

    def _in_order(self) -> list[Call]:
        return [self._calls[upto] for upto in sorted(self._calls)]

    def _redraw(self, places: int | None = None) -> None:
        calls = sampled(self._in_order(), MOST_BARS)
        self.widget.draw(calls, self._limit, places or len(calls), self._name, finding(calls, self._limit))


def finding(calls: Sequence[Call], limit: int | None) -> str:
    """What a chart of these calls says, short enough for the title of a narrow one.

    >>> finding([Call(1, {"user": 60}), Call(3, {"user": 120})], limit=100)
    'Over 100 tokens from message 2 on'
    """
    if not calls:
        return "No model call yet"
    last = calls[-1]
    if last.required is not None:
        allowed = f", {number(limit)} allowed" if limit is not None else ""
        return f"Nothing can be sent: {_tokens(last.required, last)} needed{allowed}"
    over = [call for call in calls if limit is not None and call.total > limit]
    if over and limit is not None:
        if over == [*calls[-len(over) :]]:
            return f"Over {number(limit)} tokens from message {over[0].upto - 1} on"
        return f"{len(over)} of {plural(len(calls), 'call')} over {number(limit)} tokens"
    if last.not_sent:
        # What a summary replaces is left out, and the summary is sent: without its size the sum would be off.
        summary = last.sent.get("summary", 0)
        sent = f"{_tokens(last.total, last)} sent"
        if summary:  # without the word "tokens", which stands beside the bars: a narrow page has no room
            sent = f"{'' if last.exact else '≈ '}{number(last.total)} sent (summary {number(summary)})"
        return f"{sent}, {number(last.not_sent)} left out"
    return f"{_tokens(last.total, last)}, all sent"


def _within(calls: Sequence[Call], limit: int | None) -> str:
    if limit is None:
        return ""
    over = sum(1 for call in calls if call.total > limit or call.required is not None)
    return (
        f", {number(over)} of them over {number(limit)} tokens"
        if over
        else f", all within {number(limit)} tokens"
    )


def _tokens(count: int, call: Call) -> str:
    return f"{'' if call.exact else '≈ '}{plural(count, 'token')}"
