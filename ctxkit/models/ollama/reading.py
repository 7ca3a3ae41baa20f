"""What a finished reply means: an answer, with notes for the reader, or a named state that is none.

Contract: an empty answer is never given back. "The window is full" is said only where the server's own counts
show it: a reply also ends with "length" at `num_predict` (pfrankov/obsidian-ai-providers#28). The API has no
call ids, so they are made up here: the same for the same request and reply, different for any other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ctxkit.messages import Message, ToolCall
from ctxkit.messages.plain import canonical_json
from ctxkit.messages.thinking import split_thinking
from ctxkit.models.answers import is_blank
from ctxkit.models.base import Reply, Usage
from ctxkit.models.errors import EmptyReply, OnlyLoaded, RanOutWhileThinking, UnreadableReply, WindowExceeded
from ctxkit.models.ollama.cuts import TRIM, too_large
from ctxkit.models.ollama.stream import Draft


def read_reply(draft: Draft, history: Sequence[Message], window: int) -> Reply:
    """The reply to a history, from a draft that is done.

    window: tokens of the context window. Raises EmptyReply, RanOutWhileThinking, OnlyLoaded or WindowExceeded
    where there is no answer, and UnreadableReply for tool calls that cannot be read.

    >>> draft = Draft()
    >>> draft.take({"message": {"content": "<think>Easy.</think>30"}, "done": True, "done_reason": "stop"})
    >>> reply = read_reply(draft, [Message.user("What is 15% of 200?")], 8192)
    >>> reply.message.content, reply.thinking
    ('30', 'Easy.')
    """
    thought, text = split_thinking(draft.text)
    thinking = draft.thinking + thought
    if is_blank(text) and not draft.calls:
        raise _no_answer(draft, thinking, window)
    message = Message.assistant(text, _calls(draft, history))
    notes = (_cut_off(draft.usage, window),) if draft.done_reason == "length" else ()
    return Reply(message, draft.usage, draft.done_reason, thinking, notes)


def _no_answer(draft: Draft, thinking: str, window: int) -> EmptyReply | WindowExceeded:
    full = _is_full(draft.usage, window)
    if draft.done_reason == "load":
        return OnlyLoaded("The server loaded the model and sent no answer. Send the request again.")
    if thinking and draft.done_reason == "length":
        why = (
            f"the context window of {window:,} tokens is full"
            if full
            else "the limit of its length was reached"
        )
        return RanOutWhileThinking(
            f"The model ran out while thinking: {why} before an answer began. {TRIM if full else _LONGER}",
            thinking=thinking,
        )
    if full and draft.done_reason == "length":
        tokens = draft.usage.prompt_tokens
        return WindowExceeded(
            f"{too_large(tokens, window, 'fills')} No room was left for an answer. {TRIM}",
            tokens=tokens,
            limit=window,
        )
    what = "thought and then answered nothing" if thinking else "answered nothing"
    hint = f" It stopped at a limit of its length. {_LONGER}" if draft.done_reason == "length" else ""
    return EmptyReply(f"The model {what}.{hint or ' Ask again, or ask differently.'}", thinking=thinking)


_LONGER = "Raise num_predict in options, or leave it out."


def _cut_off(usage: Usage, window: int) -> str:
    if _is_full(usage, window):
        return f"The answer is cut off: the context window of {window:,} tokens is full. {TRIM}"
    return (
        "The answer is cut off at a limit of its length, perhaps num_predict; "
        "the server's counts do not show a full window."
    )


def _is_full(usage: Usage, window: int) -> bool:
    if usage.prompt_tokens is None:
        return False
    return usage.prompt_tokens + (usage.completion_tokens or 0) >= window - 1


def _calls(draft: Draft, history: Sequence[Message]) -> list[ToolCall]:
    """The calls with ids from a hash of the history and the reply, so that none is used again in a longer
    history and all are the same when the cell runs again (microsoft/agent-framework#6788: names as ids do not
    tell two calls apart)."""
    seen = [message.digest for message in history]
    try:
        said = canonical_json([seen, draft.text, [list(call) for call in draft.calls]])
        mark = hashlib.sha256(said.encode("ascii")).hexdigest()[:12]
        return [
            ToolCall(f"call_{mark}_{i}", name, arguments) for i, (name, arguments) in enumerate(draft.calls)
        ]
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableReply(
            f"The model made a tool call that cannot be read: {error}. Ask again.", partial=draft.text
        ) from None
