"""One request to a test server with the real client: what the cases G4 share.

The server speaks Ollama's protocol on loopback; a script says what it answers.
"""

from __future__ import annotations

import pytest

from ctxkit import Message, run
from ctxkit.models import errors
from ctxkit.models.ollama import OllamaModel
from tests.histories import S, U
from tests.servers.ollama import OllamaServer

LOOKUP = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}
HELLO = (U(),)
LONG = [S("Answer briefly."), *(Message(("user", "assistant")[i % 2], "lantern " * 300) for i in range(19))]
"""19 turns, about 5,800 tokens by the kit's count; ends with a question."""


def answered(*script, history=HELLO, tools=(), server=None, **options):
    """The reply to a history by a server with this script."""
    with OllamaServer(*script, **server or {}) as running:
        return run(OllamaModel(host=running.url, **options).chat(history, tools))


def refused(kind, *script, history=HELLO, tools=(), **options):
    """The error that a server with this script leads to; the history must be as it was."""
    before = list(history)
    with pytest.raises(kind) as caught:
        answered(*script, history=history, tools=tools, **options)
    assert list(history) == before
    assert isinstance(caught.value, errors.ModelError)
    return caught.value
