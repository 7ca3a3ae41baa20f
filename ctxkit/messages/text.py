"""A message as a person reads it: its text, and the role under which charts and tables show it.

The word `None` never appears (bojieli/ai-agent-book#739), and a picture is a word, not its data.
"""

from __future__ import annotations

import re
from typing import Any

from ctxkit.messages.parts import part_kind
from ctxkit.messages.values import Message

_THINKING = re.compile(r"\s*<think>(.*?)(?:</think>|\Z)\s*", re.DOTALL)

DISPLAY_ROLES = ("system", "summary", "user", "assistant", "tool")


def content_text(message: Message) -> str:
    """All text of a message's content, parts joined by line breaks; "" for None.

    >>> content_text(Message.user(["What is this?", {"type": "image_url", "image_url": {"url": "data:,"}}]))
    'What is this?\\n[image]'
    """
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(_part_text(part) for part in message.content)


def split_thinking(text: str) -> tuple[str, str]:
    """What a reasoning model thought, and its answer; a think block counts only at the very start.

    Later ones are quotations. One without an end is all thinking.

    >>> split_thinking("<think>Easy.</think> 30, or <think>"), split_thinking("30")
    (('Easy.', '30, or <think>'), ('', '30'))
    """
    found = _THINKING.match(text)
    return (found[1].strip(), text[found.end() :]) if found else ("", text)


def display_role(message: Message) -> str:
    """The role to show: one of `DISPLAY_ROLES`; a developer message shows as system, a summary as summary.

    >>> display_role(Message("developer", "Answer in French."))
    'system'
    """
    if message.kind == "summary":
        return "summary"
    return "system" if message.role == "developer" else message.role


def _part_text(part: str | dict[str, Any]) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part.get("text"), str):
        return part["text"]
    kind = part_kind(part)
    return "[image]" if kind == "image" else f"[{str(part.get('type') or 'part').removeprefix('input_')}]"
