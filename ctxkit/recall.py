"""Facts of a conversation, and whether a reader who sees only the window still knows them.

Contract: a fact counts as known when a reader, asked its question after the messages of a window, says all
that the fact expects. A reader that gives probabilities (`EmbeddedModel`) is not asked but measured: it knows
a fact when the right word is the likeliest to go on with the fact's sentence. Nothing is taken for granted: a
message that is still sent may yet be misread, and a summary may have kept the fact or lost it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ctxkit import _arguments
from ctxkit.messages import Message, load_messages
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

        What goes wrong with the reader is raised, such as WindowExceeded.

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


class Quiz:
    """Facts of one conversation.

    facts: `Fact`s, or dicts with "question", "expected" and "messages", and with "sentence" and "word" or
    without. Raises TypeError or ValueError naming the place.

    >>> quiz = Quiz([{"question": "How many hens?", "expected": ["12"], "messages": [0]}])
    >>> len(quiz), quiz.facts[0].messages
    (1, (0,))
    """

    def __init__(self, facts: Iterable[Fact | Mapping[str, Any]]) -> None:
        self.facts = tuple(_fact(fact, f"facts[{i}]") for i, fact in enumerate(facts))

    def __len__(self) -> int:
        return len(self.facts)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __repr__(self) -> str:
        return f"Quiz({len(self)} facts)"

    async def known(self, messages: Iterable[Any], reader: Reader | None = None) -> list[bool | None]:
        """For each fact, whether a reader knows it from these messages.

        reader: default `OfflineModel`. None stands for a fact without a sentence, where the reader gives
        probabilities. Raises as `reader` does.
        """
        history, reader = load_messages(messages), self.reader(reader)
        return [(await fact.find(history, reader)).known for fact in self.facts]

    def fits(self, messages: int) -> None:
        """Raises ValueError for a fact beyond the end of a conversation of so many messages."""
        for i, fact in enumerate(self.facts):
            if max(fact.messages) >= messages:
                raise ValueError(f"quiz.facts[{i}]: message {max(fact.messages)} of {messages} is not there")

    def reader(self, reader: Reader | None) -> Reader:
        """This reader, or `OfflineModel` for None.

        Raises TypeError for anything that can't read, ValueError for a reader that gives probabilities where
        no fact has a sentence.
        """
        if reader is None:
            return _offline()
        if isinstance(reader, type) or not isinstance(reader, (Prober, ChatModel)):
            raise TypeError(f"reader: expected a model with chat or probe, got {reader!r:.60}")
        if isinstance(reader, Prober) and self.facts and not any(fact.sentence for fact in self.facts):
            raise ValueError(
                f"reader: {type(reader).__name__} measures how a sentence goes on, and no fact of the quiz "
                "has a sentence and a word. Give some facts both, or take a reader that answers questions."
            )
        return reader


class Recall:
    """What a reader knows at each call of a conversation, asking no more than it must.

    A fact is asked for again only when one of its messages has entered or left the window, or when something
    that the kit made (a summary, a shortened result) has changed. A probability depends on every word, so it
    is measured again in each window that is new. Raises TypeError or ValueError as `Quiz.reader` does.
    """

    def __init__(self, quiz: Quiz, reader: Reader | None = None) -> None:
        self.quiz, self._reader = quiz, quiz.reader(reader)
        self._found: dict[tuple[Fact, frozenset[int], tuple[str, ...]], Finding] = {}

    async def at(
        self, upto: int, sent: Sequence[Message], sources: Sequence[int | None], history: Sequence[Message]
    ) -> list[Finding]:
        """What is known of each fact.

        upto: messages that the conversation has. sent, sources: as in an `Outcome`. history: the whole
        conversation.
        """
        pairs = [*zip(sources, sent, strict=True)]
        whole = {s for s, message in pairs if s is not None and message is history[s]}
        made = [message.digest for s, message in pairs if s is None or s not in whole]
        read = tuple(message.digest for message in sent) if self.measures else tuple(made)
        found: list[Finding] = []
        for fact in self.quiz:
            if not self._asked(fact, upto):
                found.append(Finding(None))
                continue
            key = (fact, frozenset(whole.intersection(fact.messages)), read)
            if key not in self._found:
                self._found[key] = await fact.find(sent, self._reader)
            found.append(self._found[key])
        return found

    def refused(self, upto: int) -> list[Finding]:
        """What is known at a call that was refused: nothing that was told, and nothing was measured."""
        return [Finding(False if self._asked(fact, upto) else None) for fact in self.quiz]

    @property
    def measures(self) -> bool:
        """Whether the reader gives probabilities."""
        return isinstance(self._reader, Prober)

    def _asked(self, fact: Fact, upto: int) -> bool:
        return fact.told(upto) and (fact.sentence is not None or not self.measures)


def _offline() -> ChatModel:
    from ctxkit.models.offline import OfflineModel  # late: most who load a quiz bring a reader

    return OfflineModel()


def _fact(value: Fact | Mapping[str, Any], where: str) -> Fact:
    if isinstance(value, Fact):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"{where}: expected a Fact or a dict, got {type(value).__name__}")
    fields: dict[str, Any] = {"sentence": None, "word": None, **value}
    missing = [name for name in ("question", "expected", "messages") if name not in fields]
    if missing:
        raise ValueError(f"{where}: {missing[0]!r} is missing")
    try:
        return Fact(*(fields[name] for name in ("question", "expected", "messages", "sentence", "word")))
    except TypeError as error:
        raise TypeError(f"{where}.{error}") from None
    except ValueError as error:
        raise ValueError(f"{where}.{error}") from None
