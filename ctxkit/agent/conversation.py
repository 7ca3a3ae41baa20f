"""`Conversation`: what is stored. Transforms decide what is sent; only `append` changes what is stored.

Contract: a message is read as a part of its conversation, so that messages appended one by one become what
they would be as one list: Ollama's wire has no ids, and those made up for its calls are unique in the whole
conversation. A message in which two calls share an id is refused, because no result could say which of them
it answers; a transcript to begin with is taken as it is, faults and all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ctxkit._links import unique_calls
from ctxkit.messages import Message, load_messages
from ctxkit.messages.load import Reader


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
        self._reader = Reader()
        self._reader.accept(self._messages)

    @property
    def messages(self) -> list[Message]:
        """A copy of the list: changing it changes nothing here."""
        return list(self._messages)

    def add_user(self, text: str) -> None:
        """Append a user message."""
        self.append(Message.user(text))

    def append(self, message: Any, *, after: Sequence[Message] = ()) -> None:
        """Append a message, dict or client object; one of Anthropic's with results becomes several.

        after: the messages that it answers (default none); user messages which came since then stay behind
        it. Raises TypeError or ValueError for anything else, and ValueError for two calls of one id; nothing
        is appended then.
        """
        added = [message] if isinstance(message, Message) else self._reader.read_next(message)
        for loaded in added:
            ids = [call.id for call in loaded.tool_calls]
            if len(unique_calls(loaded)) < len(ids):
                twice = next(call_id for call_id in ids if ids.count(call_id) > 1)
                raise ValueError(f"tool_calls: two calls have the id {twice!r}; give each an id of its own")
        place = len(self._messages)
        while after and place and _is_new_question(self._messages[place - 1], after):
            place -= 1
        self._messages[place:place] = added
        self._reader.accept(added)

    def __len__(self) -> int:
        return len(self._messages)

    def __repr__(self) -> str:
        return f"Conversation({len(self)} messages)"


def _is_new_question(message: Message, known: Sequence[Message]) -> bool:
    return message.role == "user" and all(message is not other for other in reversed(known))
