"""Facts of a conversation, and whether a reader who sees only the window still knows them.

Contract: a fact counts as known when a reader, asked its question after the messages of a window, says all
that the fact expects. Nothing is taken for granted: a message that is still sent may yet be misread, and a
summary may have kept the fact or lost it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctxkit import _arguments
from ctxkit.messages import Message, load_messages
from ctxkit.messages.text import content_text
from ctxkit.models.base import ChatModel


@dataclass(frozen=True)
class Fact:
    """Something that a conversation tells.

    question: asks for it. expected: texts that must all stand in the answer, in small or capital letters;
    "3|three" offers spellings. messages: indexes of the messages that tell it. Raises TypeError or ValueError
    naming the field.

    >>> fact = Fact("How many hens does Ada keep?", ["12|twelve"], [1])
    >>> fact.stated_in("She keeps Twelve."), fact.stated_in("Some hens.")
    (True, False)
    """

    question: str
    expected: Sequence[str]
    messages: Sequence[int]

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

    async def known(self, messages: Sequence[Message], reader: ChatModel) -> bool:
        """Whether the reader answers the question from these messages.

        >>> from ctxkit import Message, OfflineModel, run
        >>> fact = Fact("How many hens does Ada keep?", ["12|twelve"], [0])
        >>> run(fact.known([Message.user("Ada keeps 12 hens.")], OfflineModel()))
        True
        """
        reply = await reader.chat([*messages, Message.user(self.question)])
        return self.stated_in(content_text(reply.message))


class Quiz:
    """Facts of one conversation.

    facts: `Fact`s, or dicts with "question", "expected" and "messages". Raises TypeError or ValueError naming
    the place.

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

    async def known(self, messages: Iterable[Any], reader: ChatModel | None = None) -> list[bool]:
        """For each fact, whether a reader knows it from these messages. reader: default `OfflineModel`."""
        history, reader = load_messages(messages), reader or _offline()
        return [await fact.known(history, reader) for fact in self.facts]


class Recall:
    """What a reader knows at each call of a conversation, asking no more than it must.

    A fact is asked for again only when one of its messages has entered or left the window, or when something
    that the kit made (a summary, a shortened result) has changed.
    """

    def __init__(self, quiz: Quiz, reader: ChatModel | None = None) -> None:
        self.quiz, self._reader = quiz, reader or _offline()
        self._known: dict[tuple[Fact, frozenset[int], tuple[str, ...]], bool] = {}

    async def at(
        self, upto: int, sent: Sequence[Message], sources: Sequence[int | None], history: Sequence[Message]
    ) -> list[bool | None]:
        """For each fact whether it is known, None for one not told yet.

        upto: messages that the conversation has. sent, sources: as in an `Outcome`. history: the whole
        conversation.
        """
        pairs = [*zip(sources, sent, strict=True)]
        whole = {s for s, message in pairs if s is not None and message is history[s]}
        made = tuple(message.digest for s, message in pairs if s is None or s not in whole)
        known: list[bool | None] = []
        for fact in self.quiz:
            if not fact.told(upto):
                known.append(None)
                continue
            key = (fact, frozenset(whole.intersection(fact.messages)), made)
            if key not in self._known:
                self._known[key] = await fact.known(sent, self._reader)
            known.append(self._known[key])
        return known


def _offline() -> ChatModel:
    from ctxkit.models.offline import OfflineModel  # late: most who load a quiz bring a reader

    return OfflineModel()


def _fact(value: Fact | Mapping[str, Any], where: str) -> Fact:
    if isinstance(value, Fact):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"{where}: expected a Fact or a dict, got {type(value).__name__}")
    fields = dict(value)
    missing = [name for name in ("question", "expected", "messages") if name not in fields]
    if missing:
        raise ValueError(f"{where}: {missing[0]!r} is missing")
    try:
        return Fact(fields["question"], fields["expected"], fields["messages"])
    except TypeError as error:
        raise TypeError(f"{where}.{error}") from None
    except ValueError as error:
        raise ValueError(f"{where}.{error}") from None
