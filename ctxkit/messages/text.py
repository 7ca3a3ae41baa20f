"""A message as a person reads it: its text, and the role under which charts and tables show it.

The word `None` never appears (bojieli/ai-agent-book#739), and a picture is a word, not its data. What a part
without `text` says is text too: JSON, a refusal, a document.
"""

from __future__ import annotations

from ctxkit.messages.part_text import part_text
from ctxkit.messages.thinking import is_thinking, split_thinking
from ctxkit.messages.values import Message

DISPLAY_ROLES = ("system", "summary", "user", "assistant", "tool")


def content_text(message: Message) -> str:
    """All text of a message's content, parts joined by line breaks; "" for None.

    >>> content_text(Message.user(["What is this?", {"type": "image_url", "image_url": {"url": "data:,"}}]))
    'What is this?\\n[image]'
    """
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(part_text(part) for part in message.content)


def answer_text(message: Message) -> str:
    """The text of a model's message without what it thought before.

    >>> thinking = {"type": "thinking", "thinking": "15 % of 200"}
    >>> answer_text(Message.assistant([thinking, {"type": "text", "text": "<think>Easy.</think>30"}]))
    '30'
    """
    parts = message.content if isinstance(message.content, list) else [message.content or ""]
    return split_thinking("\n".join(part_text(part) for part in parts if not is_thinking(part)))[1]


def display_role(message: Message) -> str:
    """The role to show: one of `DISPLAY_ROLES`; a developer message shows as system, a summary as summary.

    >>> display_role(Message("developer", "Answer in French."))
    'system'
    """
    if message.kind == "summary":
        return "summary"
    return "system" if message.role == "developer" else message.role
