"""What a test tells a server to say: whole pages, streams of lines, and ways to break off."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

HANG = object()
"""In a stream or as an answer: say nothing more until the server closes."""

DROP = object()
"""In a stream or as an answer: close the connection in the middle."""


@dataclass(frozen=True)
class Drip:
    """In a stream: the same chunk again and again, for ten seconds."""

    chunk: dict


@dataclass(frozen=True)
class Page:
    """A whole answer: status, body (a dict goes as JSON) and content type."""

    status: int = 200
    body: object = ""
    kind: str = "application/json"

    @property
    def data(self):
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass(frozen=True)
class Stream:
    """An answer in lines: dicts go as JSON, text as it is; HANG, DROP and Drip end it."""

    parts: list = field(default_factory=list)


def stream(*parts):
    return Stream(list(parts))


def piece(content="", calls=(), thinking=None):
    """One chunk of a reply that goes on. calls: (name, arguments) pairs."""
    message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [{"function": {"name": n, "arguments": a}} for n, a in calls]
    if thinking is not None:
        message["thinking"] = thinking
    return {"model": "test", "message": message, "done": False}


def last(content="", calls=(), thinking=None, reason="stop", **counts):
    """The chunk that ends a reply; counts: prompt_eval_count=..., eval_count=..."""
    return {**piece(content, calls, thinking), "done": True, "done_reason": reason, **counts}


def says(text, **counts):
    """A reply in two chunks and the last one, which has no text."""
    half = len(text) // 2
    return stream(piece(text[:half]), piece(text[half:]), last(**counts))


def error(status, text):
    """An error as Ollama writes it."""
    return Page(status, {"error": text})
