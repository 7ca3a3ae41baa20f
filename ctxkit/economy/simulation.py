"""The figures of a simulation: turn by turn, strategy by strategy, and as plain rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ctxkit.economy.pricing import Pricing
from ctxkit.replay import Call, Made
from ctxkit.window import ContextWindow


@dataclass(frozen=True, slots=True)
class Turn:
    """One call of the model, in tokens.

    call: what was sent, by role, and what was not. made: the outcome, or why nothing could be sent. fits:
    False when prompt and reserve are over the window, or nothing could be sent: the call is refused, costs
    nothing and answers nothing. cached: prompt tokens that the call before had sent already. reply: tokens of
    the answer that the conversation holds. summary_calls, summary_prompt, summary_reply: what summaries took
    before this call. money: of both together, None without a pricing. known: for each fact of the quiz
    whether it was answered, None for one not told yet, or that the reader can't be asked.
    probabilities: for each fact that of the right word, None where nothing was measured; empty where the
    reader gives none.
    """

    call: Call
    made: Made = field(repr=False, compare=False)
    fits: bool
    cached: int
    reply: int
    summary_calls: int
    summary_prompt: int
    summary_reply: int
    money: float | None
    known: tuple[bool | None, ...] = ()
    probabilities: tuple[float | None, ...] = ()

    @property
    def upto(self) -> int:
        """Messages that the conversation had."""
        return self.call.upto

    @property
    def prompt(self) -> int:
        """Tokens of the prompt; 0 for a call that was refused."""
        return self.call.total if self.fits else 0

    def cost(self, pricing: Pricing) -> float:
        """Money for this call and the summaries before it."""
        call = pricing.cost(self.call.total, self.cached, self.reply) if self.fits else 0.0
        return call + pricing.cost(self.summary_prompt, 0, self.summary_reply)

    @property
    def facts(self) -> int:
        """Facts that were answered."""
        return sum(known is True for known in self.known)

    @property
    def told(self) -> int:
        """Facts that were asked for: those that the conversation had told by then."""
        return sum(known is not None for known in self.known)

    @property
    def measured(self) -> list[int]:
        """Places of the facts that have a probability."""
        return [place for place, likely in enumerate(self.probabilities) if likely is not None]


@dataclass(frozen=True)
class Course:
    """A conversation under one strategy."""

    strategy: str
    turns: Sequence[Turn]

    @property
    def prompt(self) -> int:
        """Prompt tokens of all calls, without those of summaries."""
        return sum(turn.prompt for turn in self.turns)

    @property
    def cached(self) -> int:
        """How many of them came from the prefix cache."""
        return sum(turn.cached for turn in self.turns)

    @property
    def summary_calls(self) -> int:
        return sum(turn.summary_calls for turn in self.turns)

    @property
    def summary_tokens(self) -> int:
        """What the summariser was sent."""
        return sum(turn.summary_prompt for turn in self.turns)

    @property
    def refused(self) -> int:
        """Calls that did not fit."""
        return sum(not turn.fits for turn in self.turns)

    @property
    def reuse(self) -> float:
        """Share of all prompt tokens that came from the prefix cache."""
        return self.cached / self.prompt if self.prompt else 0.0

    @property
    def money(self) -> float | None:
        """Of the whole conversation; None where calls have no price. One without a call costs nothing."""
        amounts = [turn.money for turn in self.turns if turn.money is not None]
        return sum(amounts, 0.0) if len(amounts) == len(self.turns) else None


@dataclass(frozen=True)
class Simulation:
    """A conversation under several strategies, call by call.

    courses: one for each strategy, in their order.
    """

    courses: Sequence[Course]
    window: ContextWindow
    pricing: Pricing | None

    def __getitem__(self, strategy: str) -> Course:
        """The course under the strategy of this name. Raises KeyError listing all names."""
        for course in self.courses:
            if course.strategy == strategy:
                return course
        names = ", ".join(repr(course.strategy) for course in self.courses)
        raise KeyError(f"no strategy is called {strategy!r}; there are {names}")

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each strategy and call: plain values, fit for a CSV file or a data frame.

        "probability_3" is that of the fact at place 3 of the quiz, where some call measured it.
        """
        measured = sorted({place for turn in self._turns() for place in turn.measured})
        return [
            {
                "strategy": course.strategy,
                "message": turn.upto - 1,
                "prompt_tokens": turn.prompt,
                "cached_tokens": turn.cached,
                "left_out_tokens": turn.call.not_sent,
                "reply_tokens": turn.reply,
                "summary_calls": turn.summary_calls,
                "summary_prompt_tokens": turn.summary_prompt,
                "summary_reply_tokens": turn.summary_reply,
                "fits": turn.fits,
                "money": turn.money,
                "facts_known": turn.facts,
                "facts_told": turn.told,
                **{f"{part}_tokens": tokens for part, tokens in turn.call.sent.items()},
                **{f"probability_{place}": turn.probabilities[place] for place in measured},
            }
            for course in self.courses
            for turn in course.turns
        ]

    def _turns(self) -> list[Turn]:
        return [turn for course in self.courses for turn in course.turns]

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame. Raises ImportError where pandas is missing."""
        try:
            import pandas  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise ImportError("to_frame() needs pandas: pip install pandas, or use to_rows()") from None
        return pandas.DataFrame(self.to_rows())

    def __str__(self) -> str:
        names = max((len(course.strategy) for course in self.courses), default=8)
        columns = ("strategy", names), ("prompt", -9), ("reused", -6), ("summaries", -9), ("refused", -7)
        titles = [f"{title:{'>' if width < 0 else '<'}{abs(width)}}" for title, width in columns]
        lines = ["  ".join([*titles, f"{'money':>9}", "facts"])]
        for course in self.courses:
            last = course.turns[-1] if course.turns else None
            money = "" if course.money is None or self.pricing is None else self.pricing.show(course.money)
            facts = f"{last.facts}/{last.told}" if last and last.told else ""
            lines.append(
                f"{course.strategy:{names}}  {course.prompt:>9,}  {course.reuse:>6.0%}"
                f"  {course.summary_calls:>9,}  {course.refused:>7,}  {money:>9}  {facts:>5}"
            )
        return "\n".join(lines)
