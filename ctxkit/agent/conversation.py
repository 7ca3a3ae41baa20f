"""`Conversation`: what is stored. Transforms decide what is sent; only `append` changes what is stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ctxkit.messages import Message, load_messages


class Conversation:
    """The messages of a conversation, in the order in which they came.

    messages: to begin with, in any shape that `load_messages` reads (default none).

    >>> talk = Conversation([{"role": "system", "content": "Be brief."}])
    >>> talk.add_user("What is 15% of 200?")
    >>> [message.role for message in talk.messages]
    ['system', 'user']
    """

    def __init__(self, messages: Iterable[Any] = ()) -> None:
        self._messages = list(load_messages(messages))

    @property
    def messages(self) -> list[Message]:
        """A copy of the list: changing it changes nothing here."""
        return list(self._messages)

    def add_user(self, text: str) -> None:
        """Append a user message."""
        self.append(Message.user(text))

    def append(self, message: Any) -> None:
        """Append a message, dict or client object. Raises TypeError or ValueError for anything else."""
        [loaded] = load_messages([message])
        self._messages.append(loaded)

    def __len__(self) -> int:
        return len(self._messages)

    def __repr__(self) -> str:
        return f"Conversation({len(self)} messages)"
