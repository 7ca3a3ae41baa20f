"""A fact of a conversation, and how a reader is asked for it or measured by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from ctxkit import _arguments
from ctxkit.messages import Message
from ctxkit.messages.text import content_text
from ctxkit.models.base import ChatModel


class Measured(Protocol):
    """What a `Prober` finds: whether the right word is the likeliest, and the probability of a word."""

    @property
    def right_wins(self) -> bool: ...

    def probability(self, word: str) -> float: ...


@runtime_checkable
class Prober(Protocol):
    """A model that tells how a sentence goes on, for one who has read a window; such as `EmbeddedModel`."""

    async def probe(self, messages: Sequence[Message], text: str, right: str) -> Measured: ...


Reader = ChatModel | Prober
"""Who is asked for facts. One that can do both is measured, not asked."""


class Finding(NamedTuple):
    """What a reader knows of one fact.

    known: None for a fact that was not told yet, or that this reader can't be asked. probability: of the
    right word, from 0 to 1; None where nothing was measured.
    """

    known: bool | None
    probability: float | None = None


@dataclass(frozen=True)
class Fact:
    """Something that a conversation tells.

    question: asks for it. expected: texts that must all stand in the answer, in small or capital letters;
    "3|three" offers spellings. messages: indexes of the messages that tell it. sentence, word: the start of a
    sentence and the word that goes on with it, for a reader that gives probabilities (default: none, such a
    reader can't be asked for this fact). Raises TypeError or ValueError naming the field.

    >>> fact = Fact("How many hens does Ada keep?", ["12|twelve"], [1])
    >>> fact.stated_in("She keeps Twelve."), fact.stated_in("Some hens.")
    (True, False)
    """

    question: str
    expected: Sequence[str]
    messages: Sequence[int]
    sentence: str | None = None
    word: str | None = None

    def __post_init__(self) -> None:
        if not _arguments.text("question", self.question).strip():
            raise ValueError("question: a fact needs one")
        for name in ("expected", "messages"):
            value = getattr(self, name)
            if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
                raise TypeError(f"{name}: expected a list, got {type(value).__name__}")
            if not value:
                raise ValueError(f"{name}: expected at least one")
            object.__setattr__(self, name, tuple(value))
        for i, text in enumerate(self.expected):
            if not _arguments.text(f"expected[{i}]", text).strip("| "):
                raise ValueError(f"expected[{i}]: an empty text stands in every answer")
        for i, index in enumerate(self.messages):
            _arguments.whole_number(f"messages[{i}]", index)
        for name, other in (("sentence", "word"), ("word", "sentence")):
            value = getattr(self, name)
            if value is None and getattr(self, other) is not None:
                raise ValueError(f"{name}: expected one, as there is a {other}")
            if value is not None and not _arguments.text(name, value).strip():
                raise ValueError(f"{name}: expected a text, got nothing but blanks")
            object.__setattr__(self, name, value and value.strip())

    def told(self, upto: int) -> bool:
        """Whether one of its messages is among the first `upto`."""
        return min(self.messages) < upto

    def stated_in(self, answer: str) -> bool:
        """Whether an answer holds all that is expected."""
        answer = answer.casefold()
        return all(
            any(spelling.strip() and spelling.casefold() in answer for spelling in text.split("|"))
            for text in self.expected
        )

    async def find(self, messages: Sequence[Message], reader: Reader) -> Finding:
        """What the reader makes of these messages: it is asked the question, or measured by the sentence.

        An answer counts by what it says: one that quotes the fact and is not sure of it is known. What goes
        wrong with the reader is raised, such as WindowExceeded.

        >>> from ctxkit import Message, OfflineModel, run
        >>> fact = Fact("How many hens does Ada keep?", ["12|twelve"], [0])
        >>> run(fact.find([Message.user("Ada keeps 12 hens.")], OfflineModel()))
        Finding(known=True, probability=None)
        """
        if not isinstance(reader, Prober):
            reply = await reader.chat([*messages, Message.user(self.question)])
            return Finding(self.stated_in(content_text(reply.message)))
        if self.sentence is None or self.word is None:
            return Finding(None)
        probe = await reader.probe(messages, self.sentence, self.word)
        return Finding(probe.right_wins, probe.probability(self.word))
