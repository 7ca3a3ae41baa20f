"""The strategies of the window lab, as data: what each is called, what can be set, and what it is made of.

Contract: a choice says its stages once, as names and options; the transforms that the lab runs and the code
that it shows both come from there. Values are whole numbers, one for each dial, and `settled` moves any that
are out of bounds inside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ctxkit.models.base import ChatModel
from ctxkit.tokens import TokenCounter
from ctxkit.transforms import MessageTransform
from ctxkit.widgets.palette import plural
from ctxkit.window import ContextWindow

Values = tuple[int, ...]
Cap = Literal["messages", "tokens", "window", "first"]

RECENT_BESIDE_A_SUMMARY = 5
"""Messages that stay word for word where all is done in a row; it has no dial for it."""


@dataclass(frozen=True)
class Stage:
    """A transform: its public name, its options, and whether it asks a model."""

    name: str
    options: Mapping[str, int]
    asks: bool = False


@dataclass(frozen=True)
class Dial:
    """A number that a strategy takes.

    label: what it sets, and its unit. start, least, step: at first, the smallest, and between two notches.
    cap: what it may reach: as many "messages" or "tokens" as there are, the "window"'s budget, or one less
    than the "first" dial.
    """

    label: str
    start: int
    least: int
    cap: Cap
    step: int = 1


@dataclass(frozen=True)
class Choice:
    """A strategy that can be chosen.

    name: on its tab. dials: at most two. stages: of some values in a window. about: one sentence or two on
    it with some values.
    """

    name: str
    dials: tuple[Dial, ...]
    stages: Callable[[Values, ContextWindow], list[Stage]]
    about: Callable[[Values], str]

    @property
    def start(self) -> Values:
        """The values at first."""
        return tuple(dial.start for dial in self.dials)

    def window(self, limit: int, reserve: int, counter: TokenCounter | None = None) -> ContextWindow:
        """The window of this strategy where one of so many tokens is set.

        >>> [choice(name).window(2048, 112).budget for name in ("Keep recent", "What Ollama does")]
        [1936, 2048]
        """
        window = ContextWindow(limit, reserve, counter=counter)
        keeps_room = all(_maker(stage).keeps_room for stage in self.stages(self.start, window))
        return window if keeps_room else replace(window, reserve=0)

    def bounds(self, values: Values, window: ContextWindow, messages: int) -> list[tuple[int, int]]:
        """The smallest and the largest value of each dial, for a conversation of so many messages."""
        tops = {
            "messages": max(40, messages),
            "tokens": max(2_048, window.limit),
            "window": window.budget,
            "first": values[0] - 1 if values else 0,
        }
        return [(dial.least, max(dial.least, tops[dial.cap])) for dial in self.dials]

    def settled(self, values: Sequence[int], window: ContextWindow, messages: int) -> Values:
        """The values, moved inside their bounds, the first dial before the second.

        >>> choice("Summarise old").settled((8, 20), ContextWindow(2048), 41)
        (8, 7)
        """
        done: Values = tuple(values)
        for place in range(len(self.dials)):
            low, high = self.bounds(done, window, messages)[place]
            done = (*done[:place], min(max(done[place], low), high), *done[place + 1 :])
        return done

    def transforms(self, values: Values, window: ContextWindow, model: ChatModel) -> list[MessageTransform]:
        """The transforms, made anew. model: who summarises."""
        made: list[MessageTransform] = []
        for stage in self.stages(values, window):
            counted = {"counter": window.counter} if counts(stage, window) else {}
            made.append(_maker(stage)(*([model] if stage.asks else []), **stage.options, **counted))
        return made


def _maker(stage: Stage) -> Any:
    """The class of a stage's transform."""
    import ctxkit

    return getattr(ctxkit, stage.name)


def counts(stage: Stage, window: ContextWindow) -> bool:
    """Whether a stage gets the window's counter; one that only counts messages takes none."""
    return window.counter is not None and stage.name != "KeepRecentMessages"


def _shorten(longest: int, fresh: int) -> Stage:
    return Stage("SummarizeToolResults", {"max_tokens": longest, "min_age": fresh}, asks=True)


def _summarise(above: int, recent: int) -> Stage:
    return Stage("SummarizeOldMessages", {"max_messages": above, "min_messages": recent}, asks=True)


def _recent_beside(above: int) -> int:
    return min(RECENT_BESIDE_A_SUMMARY, above - 1)


def _serves(gap: int) -> str:
    """How long a summary is in use; with it are sent the newest messages and all that come meanwhile."""
    return f"A summary serves until {plural(gap, 'new message')} {'has' if gap == 1 else 'have'} come"


_LONGEST = Dial("Longest tool result (tokens)", 400, 64, "tokens", 16)
_ABOVE = Dial("Summarise above (messages)", 20, 1, "messages")

CHOICES: tuple[Choice, ...] = (
    Choice(
        "Send everything",
        (),
        lambda values, window: [],
        lambda values: "Nothing is left out; once the window is full, calls are refused.",
    ),
    Choice(
        "Keep recent",
        (Dial("Keep (messages)", 10, 1, "messages"),),
        lambda values, window: [Stage("KeepRecentMessages", {"keep": values[0]})],
        lambda values: "The newest messages are sent, however long they are.",
    ),
    Choice(
        "Fit a token budget",
        (Dial("Cut down to (tokens)", 1_536, 16, "window", 16),),
        lambda values, window: [
            Stage(
                "KeepWithinTokens",
                {"max_tokens": window.budget, "low_water": min(values[0], window.budget)},
            )
        ],
        lambda values: (
            "What fits is sent; when it no longer does, a larger piece is cut, so that the cache survives."
        ),
    ),
    Choice(
        "Shorten tool results",
        (_LONGEST, Dial("Whole while fresh (replies)", 2, 0, "messages")),
        lambda values, window: [_shorten(*values)],
        lambda values: "Long tool results are shortened once some replies have followed them.",
    ),
    Choice(
        "Summarise old",
        (_ABOVE, Dial("Keep recent (messages)", 5, 0, "first")),
        lambda values, window: [_summarise(*values)],
        lambda values: (
            "Above so many messages, all but the newest are folded into one summary. "
            f"{_serves(values[0] - values[1])}, so more than {values[1]} recent ones may be sent."
        ),
    ),
    Choice(
        "All in a row",
        (_LONGEST, _ABOVE),
        lambda values, window: [
            _shorten(values[0], 2),
            _summarise(values[1], _recent_beside(values[1])),
            Stage("KeepWithinTokens", {"max_tokens": window.budget}),
        ],
        lambda values: (
            "Tool results are shortened, old messages summarised, and the budget guards the end. "
            f"{_serves(values[1] - _recent_beside(values[1]))}."
        ),
    ),
    Choice(
        "What Ollama does",
        (),
        lambda values, window: [Stage("OllamaTruncation", {"num_ctx": window.limit})],
        lambda values: (
            "Left alone, the server drops messages from the front and says nothing. "
            "It keeps no room for the reply and refuses nothing."
        ),
    ),
)
NAMES = tuple(one.name for one in CHOICES)


def choice(name: object) -> Choice:
    """The choice of this name. Raises ValueError listing all names.

    >>> choice("Keep recent").start
    (10,)
    """
    for one in CHOICES:
        if one.name == name:
            return one
    raise ValueError(f"strategy: none is called {name!r}; there are {', '.join(map(repr, NAMES))}")
