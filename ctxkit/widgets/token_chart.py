"""`TokenUsageChart`: tokens by role at each model call, and what was left out.

Contract: one stacked bar a call, from left to right; what is not sent stands on top as an outline, so that a bar is as high as the whole
conversation was. The traces are made once and only get new numbers (plotly/plotly.py#2689). The title says the finding. Estimates are marked by "≈".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxkit._arguments import whole_number
from ctxkit.messages import load_messages
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms import Outcome
from ctxkit.widgets.calls import Call, Ledger, call_of, sampled
from ctxkit.widgets.escape import visible
from ctxkit.widgets.palette import number, plural
from ctxkit.widgets.shown import Shown

MOST_BARS = 100


class TokenUsageChart(Shown):
    """A bar for each model call of a conversation.

    limit: tokens that the window holds, drawn as a line (default None: no line). counter: default a shared cl100k_base counter. tools: schemas that
    every call carries. title: a name that stands before the finding. Raises TypeError or ValueError for other values.

    A call is known by how many messages the conversation had when it was made. `append` adds a message; the last bar is the next call, which
    would send all there is, and an assistant message ends it. `show` draws what an `Outcome` sends and drops in place of the bar of that call.

    >>> from ctxkit import KeepRecentMessages, Message, run
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("What is 15% of 200?")]
    >>> chart = TokenUsageChart(limit=50)
    >>> for message in talk:
    ...     chart.append(message)
    >>> chart
    2 model calls, all within 50 tokens. The last, after message 2, sends 27 tokens: request frame 3, user 18, assistant 6.
    >>> chart.show(run(KeepRecentMessages(1).apply(talk)))
    >>> chart
    2 model calls, all within 50 tokens. The last, after message 2, sends 16 tokens: request frame 3, user 13. Not sent: 11 tokens.
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
        self._ledger = Ledger((), counter or shared_counter(), tools)
        self._tools = tools
        self._name = title
        self._calls: dict[int, Call] = {}
        self._next: int | None = None  # the call that grows with each message
        self._slots: int | None = None
        super().__init__()
        from ctxkit.widgets.call_bars import CallBars  # plotly's widget takes a second to load

        self.widget = CallBars()
        self._draw()

    def append(self, message: Any) -> None:
        """Add a message (or dict) to the conversation and draw the next call, which sends all of it."""
        [loaded] = load_messages([message])
        self._ledger.append(loaded)
        length = len(self._ledger.messages)
        if self._next is not None and loaded.role != "assistant":
            del self._calls[self._next]
        if loaded.role ...
