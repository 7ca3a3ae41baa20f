"""A conversation played into a thread, exchange by exchange: what a thread would hold after each of them.

Contract: it is played from message 1 in a fresh thread on a `MemoryStore`, with the replies that were given
then, and with the offline reader as the summariser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit.messages import Message
from ctxkit.models.offline import OfflineModel
from ctxkit.stores import Change, MemoryStore
from ctxkit.threads import SummaryThread
from ctxkit.threads.state import state_of
from ctxkit.tokens import TokenCounter


@dataclass(frozen=True)
class Exchange:
    """A thread after an exchange.

    end: messages of the conversation so far. start: index of the first that is still in the state, the head
    not counted. before: messages in the state when the condition looked at them; None when it did not,
    because the user still waits. removed: how many went. summary: "" for none. tokens: of all that the next
    prompt begins with.
    """

    end: int
    start: int
    before: int | None
    removed: int
    summary: str
    tokens: int


@dataclass(frozen=True)
class Played:
    """The exchanges so far; the last is the one that is shown."""

    exchanges: Sequence[Exchange]

    @property
    def last(self) -> Exchange:
        return self.exchanges[-1]

    @property
    def summaries(self) -> list[int]:
        """The exchanges, from 1, that ended in a summary."""
        return [place for place, exchange in enumerate(self.exchanges, 1) if exchange.removed]


async def play(
    talk: Sequence[Message], ends: Sequence[int], most: int, keep: int, counter: TokenCounter
) -> list[Exchange]:
    """Play a sound conversation. ends: of its exchanges. most, keep: `max_messages` and `keep`.

    Raises whatever kept a summary from being made.

    >>> from ctxkit import TokenCounter, load_sample, run
    >>> talk = load_sample("lighthouse")
    >>> played = run(play(talk, ends(talk, 0), 6, 2, TokenCounter()))
    >>> [(one.before, one.removed) for one in played[:5]]
    [(2, 0), (4, 0), (6, 0), (8, 6), (4, 0)]
    """
    loop = SummaryThread(OfflineModel(), MemoryStore(), "played", most, keep, counter=counter).loop
    at = loop.look()
    played: list[Exchange] = []
    begin = 0
    for end in ends:
        at = loop.commit(at, Change("reply", tuple(talk[begin:end])))
        begin, before, removed = end, None, 0
        if talk[end - 1].role == "assistant" and not talk[end - 1].tool_calls:
            looked = at
            at, events = await loop.summarise(at)
            for event in events:
                if event.error is not None:
                    raise event.error
            before, removed = len(looked.live), at.start - looked.start
        tokens = counter.count_all(state_of(at).as_messages())
        played.append(Exchange(end, at.start, before, removed, at.summary, tokens))
    return played


def ends(talk: Sequence[Message], head: int) -> list[int]:
    """The ends of the exchanges: each begins with a user message, or several in a row."""
    if not any(message.role == "user" for message in talk):
        return []
    starts = [i for i in range(head + 1, len(talk)) if talk[i].role == "user" and talk[i - 1].role != "user"]
    return [*starts, len(talk)]
