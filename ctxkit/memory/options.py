"""The options of a memory, checked: plain data, so that they can be saved with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from ctxkit._arguments import text, whole_number
from ctxkit.memory.levels import Stack
from ctxkit.memory.limits import Limit, Limits
from ctxkit.models.base import ChatModel, window_of
from ctxkit.tokens import TokenCounter
from ctxkit.transforms.summaries.summariser import Summariser

DEFAULT_REQUEST = 8_192
"""Tokens of a whole summary request where the model does not say how large its window is."""


@dataclass(frozen=True)
class Options:
    """What `HierarchicalMemory` was made with; it says what each of them means.

    Raises TypeError or ValueError naming the option.

    >>> Options(10, 30, 2_000, None, (400,), 4, None, "Summarise.")
    Traceback (most recent call last):
    ValueError: threshold_tokens: missing; window_tokens and threshold_tokens go together
    """

    window_size: int
    summary_threshold: int
    window_tokens: int | None
    threshold_tokens: int | None
    level_tokens: Sequence[int]
    folds_per_level: int
    request_tokens: int | None
    instruction: str

    def __post_init__(self) -> None:
        self._turns()
        self._tokens()
        whole_number("folds_per_level", self.folds_per_level, minimum=1)
        if self.request_tokens is not None:
            whole_number("request_tokens", self.request_tokens, minimum=1)
        text("instruction", self.instruction)
        object.__setattr__(self, "level_tokens", _caps(self.level_tokens))

    def limits(self, counter: TokenCounter) -> Limits:
        """When to fold, and what stays."""
        return Limits(self._turns(), self._tokens(), counter)

    def stack(self, model: ChatModel, counter: TokenCounter) -> Stack:
        """How turns become levels. Raises ValueError where a request would have no room for any turn."""
        window = self.request_tokens or window_of(model) or DEFAULT_REQUEST
        summarisers = [Summariser(model, counter, cap, window, self.instruction) for cap in self.level_tokens]
        return Stack(summarisers, self.folds_per_level)

    def _turns(self) -> Limit:
        return Limit.named(("window_size", self.window_size), ("summary_threshold", self.summary_threshold))

    def _tokens(self) -> Limit | None:
        names = ("window_tokens", self.window_tokens), ("threshold_tokens", self.threshold_tokens)
        missing = [name for name, value in names if value is None]
        if len(missing) == 2:
            return None
        if missing:
            raise ValueError(f"{missing[0]}: missing; window_tokens and threshold_tokens go together")
        return Limit.named(*names)


def _caps(value: object) -> tuple[int, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise TypeError(f"level_tokens: expected a list of numbers, got {type(value).__name__}")
    if not value:
        raise ValueError("level_tokens: expected a number for each level, got none")
    caps = cast("Sequence[object]", value)
    return tuple(whole_number(f"level_tokens[{i}]", cap, minimum=16) for i, cap in enumerate(caps))
