"""What Ollama does with a prompt that is too long, step by step as its source of August 2026 does it.

Contract: written from the source of the server, apart from `ctxkit.transforms`, so that it can judge that
code. The prompt is rendered and counted anew for each number of messages left out, as the server does.
"""

from __future__ import annotations

import json

NUM_KEEP = 4


class Refused(Exception):
    """HTTP 400: the prompt is over the window and may not be shifted."""


def words(messages, tools=()):
    """The test server's tokens: the words of the rendered prompt."""
    return len(render(messages, tools).split())


def render(messages, tools=()):
    lines = [json.dumps(tool) for tool in tools]
    for message in messages:
        calls = [json.dumps(call) for call in message.get("tool_calls", ())]
        lines.append(" ".join([f"<{message['role']}>", message.get("content", ""), *calls]))
    return "\n".join([*lines, "<assistant>"])


def drop_messages(messages, tools, num_ctx, count=words):
    """The messages of the prompt: system messages, and the longest end that fits with them; the last in any
    case."""
    for start in range(len(messages)):
        system = [m for m in messages[:start] if m["role"] == "system"]
        prompt = [*system, *messages[start:]]
        if count(prompt, tools) <= num_ctx:
            return prompt
    return [*(m for m in messages[:-1] if m["role"] == "system"), *messages[-1:]]


def shifted(tokens, num_ctx, shift=True, num_keep=NUM_KEEP):
    """How many tokens of a prompt the runner reads: all, or num_keep and an end of about half the window."""
    if tokens <= num_ctx - 1:
        return tokens
    if not shift:
        raise Refused
    return num_ctx - (num_ctx - num_keep) // 2
