"""`Quiz`: the facts of one conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ctxkit.messages import load_messages
from ctxkit.models.base import ChatModel
from ctxkit.recall.facts import Fact, Prober, Reader


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
