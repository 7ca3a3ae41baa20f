"""A reply as it comes in, chunk by chunk.

Contract: every text, thought and tool call of every chunk is kept, in order, whichever chunk it comes in
(ollama/ollama-python#279), until the chunk that says `done`. What is no chunk of a chat raises ValueError or
TypeError. A draft that was interrupted still has what came, so that an error can show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ctxkit.messages.plain import as_mapping
from ctxkit.models.base import Usage


@dataclass
class Draft:
    """What has come so far.

    chunks: how many came. texts, thoughts: of the answer and of the thinking before it. calls: name and
    arguments of each tool call. done: whether the reply is whole. usage, done_reason: from its last chunk.

    >>> draft = Draft()
    >>> draft.take({"message": {"content": "30"}, "done": False})
    >>> draft.take({"message": {"content": "."}, "done": True, "prompt_eval_count": 41, "eval_count": 2})
    >>> draft.text, draft.usage
    ('30.', Usage(prompt_tokens=41, completion_tokens=2, cached_tokens=None))
    """

    chunks: int = 0
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[tuple[str, Any]] = field(default_factory=list)
    done: bool = False
    done_reason: str | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def text(self) -> str:
        """The text of the answer so far."""
        return "".join(self.texts)

    @property
    def thinking(self) -> str:
        """What was thought so far."""
        return "".join(self.thoughts)

    def take(self, chunk: object) -> None:
        """Take one more chunk."""
        fields = as_mapping(chunk)
        if fields is None:
            raise TypeError(f"expected an object, got {type(chunk).__name__}")
        done = fields.get("done") is True
        message = as_mapping(fields.get("message"))
        if message is None:
            if not done:
                raise ValueError("a chunk without a message")
            message = {}
        self._take_message(message)
        self.chunks += 1
        if done:
            self._finish(fields)

    def _take_message(self, message: Mapping[Any, Any]) -> None:
        calls = [_call(call) for call in message.get("tool_calls") or ()]
        text, thought = _text(message, "content"), _text(message, "thinking")
        self.texts.append(text)
        self.thoughts.append(thought)
        self.calls += calls

    def _finish(self, fields: Mapping[Any, Any]) -> None:
        self.done = True
        reason = fields.get("done_reason")
        self.done_reason = reason if isinstance(reason, str) and reason else None
        # 0 is what servers report for a prompt that came from the cache: unknown (ollama/ollama#2068).
        self.usage = Usage(
            _count(fields.get("prompt_eval_count")) or None,
            _count(fields.get("eval_count")) or None,
            _count(fields.get("prompt_eval_cached_count")),
        )


def _text(message: Mapping[Any, Any], field: str) -> str:
    value = message.get(field)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{field}: expected text, got {type(value).__name__}")
    return value or ""


def _call(call: object) -> tuple[str, Any]:
    fields = as_mapping(call)
    function = None if fields is None else as_mapping(fields.get("function"))
    name = None if function is None else function.get("name")
    if function is None or not isinstance(name, str) or not name:
        raise ValueError("a tool call without the name of its tool")
    return name, function.get("arguments")


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
