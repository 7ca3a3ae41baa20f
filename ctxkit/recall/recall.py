"""`Recall`: what a reader knows at each call of a conversation, asking no more than it must."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

from ctxkit._arguments import whole_number
from ctxkit.messages import Message
from ctxkit.recall.bearing import Bearing, mark
from ctxkit.recall.facts import Fact, Finding, Prober, Reader
from ctxkit.recall.quiz import Quiz

MEMORY = 4_096
"""Findings that are remembered: a few hundred bytes each."""


class Recall:
    """What a reader knows at each call of a conversation.

    A fact is asked for again only when what the window holds of it is not what it was before: `Bearing` says
    which messages these are. Others come and go without its being read anew. (At the calls of 44
    conversations under thirteen strategies 44,785 facts took 24,120 questions; 25 answers were others than
    asking at each call gave, since how rare a word is depends on all that is sent. In 240 random small talks
    on a few names, things and numbers, 2 of 38,004 were.) A probability depends on every word, so it is
    measured again in each window that is new. `measures` says whether the reader gives probabilities.

    memory: findings that are kept at most (default 4,096); those unused for longest go first. Raises
    TypeError or ValueError as `Quiz.reader` does.
    """

    def __init__(self, quiz: Quiz, reader: Reader | None = None, *, memory: int = MEMORY) -> None:
        self.quiz, self._reader = quiz, quiz.reader(reader)
        self.measures = isinstance(self._reader, Prober)
        self._memory = whole_number("memory", memory, minimum=1)
        self._found: OrderedDict[tuple[Fact, bytes], Finding] = OrderedDict()
        self._bearing = Bearing(quiz.facts)

    async def at(self, upto: int, sent: Sequence[Message], sources: Sequence[int | None]) -> list[Finding]:
        """What is known of each fact.

        upto: messages that the conversation has. sent, sources: as in an `Outcome`.
        """
        asked = [self._asked(fact, upto) for fact in self.quiz]
        if not any(asked):
            return [Finding(None) for _ in asked]
        facts = zip(self.quiz, asked, self._read(sent, sources), strict=True)
        return [
            await self._find(fact, read, sent) if is_asked else Finding(None)
            for fact, is_asked, read in facts
        ]

    def refused(self, upto: int) -> list[Finding]:
        """What is known at a call that was refused: nothing that was told, and nothing was measured."""
        return [Finding(False if self._asked(fact, upto) else None) for fact in self.quiz]

    def _asked(self, fact: Fact, upto: int) -> bool:
        return fact.told(upto) and (fact.sentence is not None or not self.measures)

    async def _find(self, fact: Fact, read: bytes, sent: Sequence[Message]) -> Finding:
        found = self._found.get((fact, read))
        if found is None:
            found = self._found[fact, read] = await fact.find([*sent], self._reader)
        self._found.move_to_end((fact, read))
        while len(self._found) > self._memory:
            self._found.popitem(last=False)
        return found

    def _read(self, sent: Sequence[Message], sources: Sequence[int | None]) -> Sequence[bytes]:
        """For each fact a digest of the messages on which the answer depends."""
        if self.measures:
            window = hashlib.sha256("".join(map(mark, sent)).encode("ascii")).digest()
            return [window] * len(self.quiz)
        return self._bearing.of(sent, sources)
