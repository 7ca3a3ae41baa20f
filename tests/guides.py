"""The rule of guide A (*discard old*) as the guide states it, written anew, for tests that must catch it."""

from __future__ import annotations


def guide_discard(messages, keep):
    """The last `keep` messages, and back to the call of each result among them."""
    start = len(messages) - len(messages[-keep:])
    for message in messages[start:]:
        if message.role == "tool":
            calls = [
                i
                for i, m in enumerate(messages)
                if message.tool_call_id in [call.id for call in m.tool_calls]
            ]
            if not calls:
                raise ValueError("Should not happen")
            start = min(start, calls[0])
    return messages[start:]
