"""`OfflineModel`: the model of the kit that needs no server, no download and no luck.

Contract: the same messages and tools give the same reply on every machine. It reads and quotes; it is no
language model and knows nothing that does not stand in the window it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxkit.messages import Message
from ctxkit.models.base import Reply, Usage
from ctxkit.tokens import shared_counter


class OfflineModel:
    """A reader, not a language model: it answers only from the messages it is sent, by quoting one, and
    says so when the answer isn't there, or when it is not sure of what it quotes.

    The last user message is the question; everything else is evidence, in the order given and numbered from
    0. It summarises, when the kit's summarisers ask, by picking passages within their cap. It calls an
    offered tool when the question asks for it and no result is there yet. English only. `usage` is counted
    in cl100k_base tokens.

    >>> from ctxkit import run
    >>> told, asked = Message.user("The bus leaves at 10:15."), Message.user("When does the bus leave?")
    >>> reply = run(OfflineModel().chat([told, asked]))
    >>> reply.message.content, reply.usage.prompt_tokens
    ('Message 0 says: "The bus leaves at 10:15."', 26)
    >>> run(OfflineModel().chat([asked])).message.content
    'The answer is not in the messages I was sent.'
    >>> run(OfflineModel().chat([told, Message.user("When does the morning bus leave?")])).message.content
    'I am not sure that the answer is in the messages I was sent. Message 0 says: "The bus leaves at 10:15."'
    """

    name = "offline"

    async def chat(self, messages: Sequence[Message], tools: Sequence[Any] = ()) -> Reply:
        """Answer the last user message, summarise, or call a tool. Raises TypeError for a tool without a
        schema."""
        from ctxkit.models.offline.answering import reply_to  # late, for the price of `import ctxkit`

        messages = list(messages)
        message = reply_to(messages, tools)
        counter = shared_counter()
        usage = Usage(
            prompt_tokens=counter.count_all(messages, tools), completion_tokens=counter.count(message)
        )
        return Reply(message, usage, done_reason="stop")

    def __repr__(self) -> str:
        return "OfflineModel()"
