"""What of a reply is an answer: what enters a history, and what is none.

Contract: thinking is put back into no history, but for parts that stand beside calls, which providers want
back with them. An answer that shows nothing is a named error and never an empty message.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ctxkit.messages import Message
from ctxkit.messages.thinking import is_thinking, split_thinking
from ctxkit.models.base import Reply
from ctxkit.models.errors import EmptyReply, RanOutWhileThinking


def answer_of(reply: Reply) -> Message:
    """The message of a reply as it is to be stored, without what the model thought before.

    Raises TypeError for a message in another role than the assistant's, EmptyReply for one that shows nothing
    and calls no tool, RanOutWhileThinking where its length ended before an answer began.

    >>> answer_of(Reply(Message.assistant("<think>15 % of 200 ...</think>30"))).content
    '30'
    >>> answer_of(Reply(Message.assistant("<think>15 % of 200 ...")))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ctxkit.models.errors.EmptyReply: The model thought and then answered nothing. ...
    """
    message = reply.message
    if message.role != "assistant":
        raise TypeError(f"model: expected an assistant message, got one of role {message.role!r}")
    content, thought = _without_thinking(message)
    thinking = reply.thinking + thought
    if message.tool_calls or _shows(content):
        return message if content == message.content else replace(message, content=content)
    if thinking and reply.done_reason == "length":
        raise RanOutWhileThinking(
            "The model ran out while thinking, before an answer began. Send less, or allow longer replies.",
            thinking=thinking,
        )
    what = "thought and then answered nothing" if thinking else "answered with no text and no tool call"
    raise EmptyReply(f"The model {what}. Ask again, or ask differently.", thinking=thinking)


def is_blank(text: str) -> bool:
    r"""Whether a text shows nothing: only white space, controls, and characters without width.

    >>> is_blank(" \n\u200b"), is_blank("?")
    (True, False)
    """
    from unicodedata import category  # late: few programs come here

    return all(char.isspace() or category(char) in ("Cc", "Cf") for char in text)


def _without_thinking(message: Message) -> tuple[Any, str]:
    """Content, and what was thought before it."""
    content = message.content
    if isinstance(content, str):
        thought, text = split_thinking(content)
        return text, thought
    if not content or message.tool_calls:
        return content, ""
    thoughts = [part for part in content if is_thinking(part)]
    parts = [part for part in content if not is_thinking(part)]
    said = [str(part.get(part["type"], "")) for part in thoughts if isinstance(part, dict)]
    text = _text(parts[0]) if parts else None
    if text is not None:
        thought, answer = split_thinking(text)
        said.append(thought)
        parts[0] = answer if isinstance(parts[0], str) else {**parts[0], "text": answer}
    return parts, "\n".join(filter(None, said))


def _shows(content: Any) -> bool:
    parts: list[Any] = content if isinstance(content, list) else [content or ""]
    return any((text := _text(part)) is None or not is_blank(text) for part in parts)


def _text(part: str | dict[str, Any]) -> str | None:
    """The text of a part, None for a picture and the like."""
    return part if isinstance(part, str) else part.get("text")
