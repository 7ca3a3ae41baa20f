"""The context window: how much of it a request fills, and the error for what can never fit.

Contract: a measure is taken of the exact list handed over, tool schemas included; its parts add up to
`total`. `reserve` is the room kept for the reply. A required part that cannot fit is a named error before any
call, never a shorter prompt in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit.messages import load_messages
from ctxkit.messages.text import display_role
from ctxkit.tokens import TokenCounter, shared_counter

Status = Literal["ok", "warning", "over"]


class BudgetImpossible(ValueError):
    """The smallest set of messages that must be sent is over the budget.

    required: indexes of those messages in the input. tokens: what they cost, tool schemas included. budget:
    tokens allowed.

    >>> print(BudgetImpossible([0, 2], 130, 100))
    At least 130 tokens must be sent (messages 0, 2), but the budget is 100.
    Raise the budget or shorten these messages.
    """

    def __init__(self, required: Sequence[int], tokens: int, budget: int) -> None:
        self.required, self.tokens, self.budget = list(required), tokens, budget
        shown = ", ".join(map(str, self.required[:12])) + (", …" if len(self.required) > 12 else "")
        noun = "message" if len(self.required) == 1 else "messages"
        what = f" ({noun} {shown})" if self.required else " (tool schemas alone)"
        super().__init__(
            f"At least {tokens:,} tokens must be sent{what}, but the budget is {budget:,}. "
            "Raise the budget or shorten these messages."
        )

    def seen_from(self, sources: Sequence[int | None] | None) -> BudgetImpossible:
        """The same error with the indexes of an earlier list, where message i came from `sources[i]`."""
        if sources is None:
            return self
        required = [sources[i] for i in self.required]
        return BudgetImpossible(sorted(i for i in required if i is not None), self.tokens, self.budget)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.required, self.tokens, self.budget))


@dataclass(frozen=True)
class WindowUsage:
    """What a request takes of a window, in tokens.

    by_role: tokens of "system", "summary", "user", "assistant" and "tool" messages where there are any, of
    the tool schemas under "tools", and of the start of the reply under "priming"; they add up to `total`.
    fraction: total / limit. status: "ok", "warning" or "over". exact: False when a text is counted by a
    stand-in vocabulary or by none, or when there is a picture; frames, calls and schemas always cost the
    documented figures of `ctxkit.tokens.cost`.
    """

    total: int
    limit: int
    reserve: int
    by_role: dict[str, int]
    fraction: float
    status: Status
    exact: bool

    @property
    def free(self) -> int:
        """Tokens left after prompt and reserve; negative when over."""
        return self.limit - self.reserve - self.total


@dataclass(frozen=True)
class ContextWindow:
    """A model's context window.

    limit: tokens that the window holds. reserve: tokens kept for the reply (default 0). warn_at: fraction of
    the limit from which the status is "warning" (default 0.8). counter: default a shared cl100k_base counter.
    Raises ValueError for a reserve that leaves no room (it would quietly turn trimming off:
    felinics/Memoh#207) or a `warn_at` outside 0..1.

    >>> from ctxkit import Message
    >>> usage = ContextWindow(limit=20, reserve=5).measure([Message.user("What is 15% of 200?")])
    >>> usage.total, usage.status, usage.by_role
    (16, 'over', {'user': 13, 'priming': 3})
    """

    limit: int
    reserve: int = 0
    warn_at: float = 0.8
    counter: TokenCounter | None = None

    def __post_init__(self) -> None:
        counter_or_none(self.counter)
        whole_number("limit", self.limit, minimum=1)
        whole_number("reserve", self.reserve)
        if self.reserve >= self.limit:
            raise ValueError(f"reserve: {self.reserve} tokens leave no room in a window of {self.limit}")
        if isinstance(self.warn_at, bool) or not isinstance(self.warn_at, (int, float)):
            raise TypeError(f"warn_at: expected a fraction, got {type(self.warn_at).__name__}")
        if not 0 < self.warn_at <= 1:
            raise ValueError(f"warn_at: expected a fraction above 0 and up to 1, got {self.warn_at}")

    @property
    def budget(self) -> int:
        """Tokens that the prompt may take: limit minus reserve."""
        return self.limit - self.reserve

    def measure(self, messages: Iterable[Any], tools: Sequence[Any] = ()) -> WindowUsage:
        """Count a request, its tool schemas included.

        "over" means total + reserve > limit. Compaction cannot shrink the schemas: they stand apart in
        `by_role`.
        """
        counter = self.counter or shared_counter()
        history = load_messages(messages)
        exact = counter.exact_for(history)  # asked first: what is counted afterwards is at least as good
        by_role: dict[str, int] = {}
        for message in history:
            role = display_role(message)
            by_role[role] = by_role.get(role, 0) + counter.count(message)
        priming = counter.count_all(())
        schemas = counter.count_all((), tools) - priming
        if schemas:
            by_role["tools"] = schemas
        by_role["priming"] = priming
        total = sum(by_role.values())
        fraction = total / self.limit
        status: Status = "over" if total > self.budget else "warning" if fraction >= self.warn_at else "ok"
        return WindowUsage(total, self.limit, self.reserve, by_role, fraction, status, exact)
