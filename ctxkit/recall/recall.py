"""`Recall`: what a reader knows at each call of a conversation, asking no more than it must."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from ctxkit._arguments import whole_number
from ctxkit.messages import Message
from ctxkit.recall.facts import Fact, Finding, Prober, Reader
from ctxkit.recall.quiz import Quiz

MEMORY = 4_096
"""Findings that are remembered: a few hundred bytes each."""

BEFORE = 2
"""Messages before one that tells a fact which give it its sense: the question that it answers, the call."""


class Recall:
    """What a reader knows at each call of a conversation.

    A fact is asked for again only when what the window holds of it is not the same text as before: the
    messages that tell it and the two before each, there, gone or shortened, and what the kit added, such as a
    summary. Others come and go without its being read anew. (Asking at each call of the samples under a dozen
    strategies, 18,135 times, gave the same answers.) A probability depends on every word, so it is measured
    again in each window that is new. memory: findings that are kept at most (default 4,096); those unused for
    longest go first. `measures` says whether the reader gives probabilities. Raises TypeError or ValueError
    as `Quiz.reader` does.
    """

    def __init__(self, quiz: Quiz, reader: Reader | None = None, *, memory: int = MEMORY) -> None:
        self.quiz, self._reader = quiz, quiz.reader(reader)
        self.measures = isinstance(self._reader, Prober)
        self._memory = whole_number("memory", memory, minimum=1)
        self._found: OrderedDict[tuple[Fact, str], Finding] = OrderedDict()
        self._telling = {fact: _telling(fact) for fact in quiz}

    async def at(self, upto: int, sent: Sequence[Message], sources: Sequence[int | None]) -> list[Finding]:
        """What is known of each fact.

        upto: messages that the conversation has. sent, sources: as in an `Outcome`.
        """
        told = [fact for fact in self.quiz if self._asked(fact, upto)]
        read = self._read(told, sent, sources) if told else {}
        return [
            await self._find(fact, read[fact], sent) if fact in read else Finding(None) for fact in self.quiz
        ]

    def refused(self, upto: int) -> list[Finding]:
        """What is known at a call that was refused: nothing that was told, and nothing was measured."""
        return [Finding(False if self._asked(fact, upto) else None) for fact in self.quiz]

    def _asked(self, fact: Fact, upto: int) -> bool:
        return fact.told(upto) and (fact.sentence is not None or not self.measures)

    async def _find(self, fact: Fact, read: str, sent: Sequence[Message]) -> Finding:
        found = self._found.get((fact, read))
        if found is None:
            found = self._found[fact, read] = await fact.find([*sent], self._reader)
        self._found.move_to_end((fact, read))
        while len(self._found) > self._memory:
            self._found.popitem(last=False)
        return found

    def _read(
        self, facts: Sequence[Fact], sent: Sequence[Message], sources: Sequence[int | None]
    ) -> dict[Fact, str]:
        """For each fact a digest of the texts on which the answer depends."""
        if self.measures:
            return dict.fromkeys(facts, _digest(message.digest for message in sent))
        places: range | dict[int | None, int]
        if isinstance(sources, range):  # each message in its place, nothing added
            places, added = sources, []
        else:
            places = {source: place for place, source in enumerate(sources)}
            pairs = zip(sources, sent, strict=True)
            added = [message.digest for source, message in pairs if source is None]
        read: dict[Fact, str] = {}
        for fact in facts:
            told = (
                sent[places[index]].digest if index in places else "gone" for index in self._telling[fact]
            )
            read[fact] = _digest([*told, *added])
        return read


def _telling(fact: Fact) -> list[int]:
    """Indexes of the messages that tell a fact, and of the two before each.

    >>> _telling(Fact("How many hens?", ["12"], [1, 9]))
    [0, 1, 7, 8, 9]
    """
    return sorted({before for index in fact.messages for before in range(max(0, index - BEFORE), index + 1)})


def _digest(texts: Iterable[str]) -> str:
    """One digest of a row of digests; "gone" stands for none."""
    return hashlib.sha256(" ".join(texts).encode("ascii")).hexdigest()
