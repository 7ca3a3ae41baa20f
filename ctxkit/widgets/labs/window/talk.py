"""`Talk`: the conversation of the lab, which can be chosen, pasted, loaded from a file, and added to.

Contract: a change that cannot be made raises a TypeError or ValueError that names the place, and leaves the
conversation as it was. Each change makes a new list, so that what was worked out for the old one is not
mistaken for the new one's. Pasted text is only ever read as JSON, never as the path of a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from typing import Any

from ctxkit._arguments import text as text_argument
from ctxkit.messages import Message, load_messages
from ctxkit.recall import Quiz
from ctxkit.samples import load_sample, sample_names
from ctxkit.samples.quizzes import load_quiz

FIRST = "dolphins"
"""The sample of a lab that is given no conversation."""

ROLES = ("user", "assistant", "system")
"""Roles of messages that can be added by hand; a tool's result would need its call."""

_TITLES = {"dolphins": "Dolphins to octopus", "harbour": "A day at the harbour"}


State = tuple[str | None, str, list[Message], Quiz | None]
"""Name of the sample, title, messages, and quiz."""


@cache
def samples() -> dict[str, str]:
    """Titles of the samples that the lab offers, by name; those with a fault are for `check` and `repair`.

    >>> samples()["dolphins"]
    'Dolphins to octopus (41 messages)'
    """
    names = [name for name in sample_names() if not name.startswith("broken_")]
    names.sort(key=lambda name: name != FIRST)
    return {name: f"{_title(name)} ({len(load_sample(name)):,} messages)" for name in names}


def _title(name: str) -> str:
    return _TITLES.get(name, name.replace("_", " ").capitalize())


class Talk:
    """A conversation and where it comes from.

    messages: of your own (default None: the sample about dolphins). quiz: facts that your conversation tells.
    Raises TypeError or ValueError for other values, for no message at all, and for a fact beyond the end.

    >>> talk = Talk()
    >>> talk.add("assistant", "A sponge, for protection.")
    >>> talk.title, len(talk.messages), talk.sample
    ('Dolphins to octopus, changed', 42, 'dolphins')
    >>> talk.paste("[")
    Traceback (most recent call last):
    ValueError: messages: broken JSON at line 1, column 2: Expecting value
    >>> talk.reset()
    >>> len(talk.messages)
    41
    """

    def __init__(self, messages: Iterable[Any] | None = None, quiz: Quiz | None = None) -> None:
        if quiz is not None and not isinstance(quiz, Quiz):
            raise TypeError(f"quiz: expected a Quiz, got {type(quiz).__name__}")
        self._first: State
        if messages is None:
            self._first = (FIRST, _title(FIRST), load_sample(FIRST), quiz or load_quiz(FIRST))
        else:
            self._first = (None, "Your conversation", _some(load_messages(messages)), quiz)
        for i, fact in enumerate(quiz or ()):
            if max(fact.messages) >= len(self._first[2]):
                raise ValueError(f"quiz.facts[{i}]: there is no message {max(fact.messages)}")
        self.reset()

    @property
    def state(self) -> State:
        """What `restore` takes to come back here."""
        return self.sample, self.title, self.messages, self.quiz

    def restore(self, state: State) -> None:
        self.sample, self.title, self.messages, self.quiz = state

    def reset(self) -> None:
        """Back to the conversation that the lab was given."""
        self.restore(self._first)

    def choose(self, sample: str) -> None:
        """Take one of the samples, with its quiz."""
        messages, quiz = load_sample(sample), load_quiz(sample)
        self.sample, self.title, self.messages, self.quiz = sample, _title(sample), messages, quiz

    def paste(self, text: str) -> None:
        """Take a conversation from JSON text, in the shapes of OpenAI, Ollama and Anthropic."""
        # Halves of surrogate pairs have no UTF-8; their escape means the same in JSON.
        self.load(text_argument("text", text).encode("utf-8", "backslashreplace"), "Pasted conversation")

    def load(self, content: bytes, title: str) -> None:
        """Take a conversation from the content of a JSON file."""
        messages = _some(load_messages(bytes(content)))
        self.sample, self.title, self.messages, self.quiz = None, title, messages, None

    def add(self, role: str, text: str) -> None:
        """Add a message at the end."""
        if role not in ROLES:
            raise ValueError(f"role: expected one of {', '.join(ROLES)}, got {role!r}")
        if not text_argument("text", text).strip():
            raise ValueError("text: an empty message says nothing; type some words first")
        self.messages = [*self.messages, Message(role, text)]
        self.title = f"{self.title.removesuffix(', changed')}, changed"

    @property
    def changed(self) -> bool:
        """Whether it is no longer the conversation that it was chosen or loaded as."""
        return self.title.endswith(", changed")

    @property
    def digest(self) -> str:
        """The same for the same messages, and hardly ever for others."""
        all_of_them = "".join(message.digest for message in self.messages)
        return hashlib.sha256(all_of_them.encode()).hexdigest()[:16]

    @property
    def question(self) -> str:
        """Something that could be asked: the first question of the quiz, else the user's last words."""
        from ctxkit.messages.text import content_text

        if self.quiz is not None and len(self.quiz):
            return self.quiz.facts[0].question
        asked = [content_text(message) for message in self.messages if message.role == "user"]
        return " ".join(asked[-1][:800].split())[:200] if asked else ""


def _some(messages: list[Message]) -> list[Message]:
    if not messages:
        raise ValueError("messages: there is none in it; a lab needs at least one")
    return messages
