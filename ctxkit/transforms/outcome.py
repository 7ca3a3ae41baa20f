"""What a transform made of a history: what is sent, and what became of each message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

from ctxkit.messages import Message
from ctxkit.transforms.handover import Prefix, Sent

Action = Literal["kept", "dropped", "summarised", "shortened", "cleared", "repaired"]
Sources = Sequence[int | None]


@dataclass(frozen=True)
class Decision:
    """What became of one input message.

    index: in the input. action: "kept", "dropped", "summarised", "shortened", "cleared" or "repaired".
    reason: a few words. tokens: what the message costs in the input.
    """

    index: int
    action: Action
    reason: str
    tokens: int


@dataclass(frozen=True)
class Outcome:
    """What a transform made of a history.

    sent: what is sent, in the form in which it is handed on. sources: for each of them its index in the
    input, None for one that the kit made. model_calls, cache_hits: what it took. error: why a summary could
    not be made, else None. stages: the outcome of each stage of a pipeline. messages: what is sent, as a
    list. decisions: one `Decision` for each input message. Both are made when first read: a thousand outcomes
    of a sound conversation that is sent whole are no thousand copies of it. (Of one that had to be repaired
    each outcome holds the sources of all its messages, so that a thousand hold the square of it.) Copied and
    pickled as values: what was sent and why, without the transform and its model. A model's own exception as
    `error` is pickled by Python's rules: one whose `__init__` takes other arguments than its `args` cannot be
    read back.
    """

    sent: list[Message] | Prefix
    sources: Sources
    explain: Callable[[], list[Decision]] = field(repr=False, compare=False)
    model_calls: int = 0
    cache_hits: int = 0
    error: BaseException | None = None
    stages: tuple[Outcome, ...] = ()

    @cached_property
    def messages(self) -> list[Message]:
        return Sent(self.sent, self.sent.head) if isinstance(self.sent, Prefix) else self.sent

    @cached_property
    def decisions(self) -> list[Decision]:
        return self.explain()

    def __getstate__(self) -> dict[str, Any]:
        rows = ((one.index, one.action, one.reason, one.tokens) for one in self.decisions)
        columns = [*zip(*rows, strict=True)]  # half the bytes: a long simulation has millions
        values = {**vars(self), "sent": self.messages, "explain": partial(_decisions, columns)}
        del values["decisions"]
        return values

    @property
    def all_in_place(self) -> bool:
        """Whether each input message is sent, or one in its place, and nothing else."""
        return self.sources == range(len(self.sent))


def _decisions(columns: Sequence[Sequence[Any]]) -> list[Decision]:
    return [Decision(*row) for row in zip(*columns, strict=True)]
