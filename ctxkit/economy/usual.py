"""The strategies that one would try first, for lessons and labs that compare.

Contract: the same names in the same order in every window, so that charts keep their colours. Who summarises
is the offline reader: the figures come out the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctxkit._arguments import whole_number
from ctxkit.economy.strategy import Strategy, ollama_alone, send_everything
from ctxkit.messages import Message
from ctxkit.transforms import (
    KeepRecentMessages,
    KeepWithinTokens,
    SummarizeOldMessages,
    SummarizeToolResults,
)

SHORT = 120
"""Tokens above which a tool result is shortened."""


def usual_strategies(window: int, messages: Sequence[Message] = ()) -> list[Strategy]:
    """Six strategies for a window of so many tokens, and a seventh where the messages hold tool results.

    Raises TypeError or ValueError for anything but a whole number from 8 on.

    >>> [strategy.name for strategy in usual_strategies(2_048)][:4]
    ['send everything', 'keep recent 10', 'fit the window', 'fit, with low water']
    """
    from ctxkit.models.offline import OfflineModel  # late: its vocabulary is large

    whole_number("window", window, minimum=8)
    model = OfflineModel()
    strategies = [
        send_everything(),
        Strategy("keep recent 10", [KeepRecentMessages(10)]),
        Strategy("fit the window", [KeepWithinTokens(window)]),
        Strategy("fit, with low water", [KeepWithinTokens(window, low_water=-(-window // 2))]),
        Strategy("summarise old", [SummarizeOldMessages(model)]),
        ollama_alone(window),
    ]
    if any(message.role == "tool" for message in messages):
        strategies.append(Strategy("shorten tool results", [SummarizeToolResults(model, max_tokens=SHORT)]))
    return strategies
