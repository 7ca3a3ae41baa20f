"""Servers' replies, kept whole, are read as the message inside them."""

from __future__ import annotations

import json

import pytest

from ctxkit import Message, load_messages

SAID = {"role": "assistant", "content": "Noon."}
OPENAI = {
    "id": "r1",
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {**SAID, "refusal": None}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2},
}
OLLAMA = {"model": "m", "created_at": "2026-01-01T12:00:00Z", "message": SAID, "done": True}


@pytest.mark.parametrize("reply", [OPENAI, OLLAMA])
def test_a_reply_is_its_message_alone_or_in_a_conversation(reply):
    asked = {"role": "user", "content": "What time?"}
    assert load_messages(reply) == load_messages(json.dumps(reply)) == [Message.assistant("Noon.")]
    assert load_messages([asked, reply]) == [Message.user("What time?"), Message.assistant("Noon.")]
    assert load_messages({"messages": [asked, reply]})[1] == Message.assistant("Noon.")


def test_a_clients_reply_is_read_as_it_comes():
    from ollama import ChatResponse

    assert load_messages(ChatResponse(**OLLAMA)) == [Message.assistant("Noon.")]


def test_the_calls_of_a_reply_are_read():
    call = {"id": "a", "type": "function", "function": {"name": "clock", "arguments": "{}"}}
    reply = {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}
    assert [call.name for call in load_messages(reply)[0].tool_calls] == ["clock"]


@pytest.mark.parametrize(
    ("reply", "error", "says"),
    [
        ({"choices": [{"message": SAID}] * 3}, ValueError, r"messages\[0\]\.choices: .* has 3$"),
        ({"choices": []}, ValueError, r"messages\[0\]\.choices: .* has 0$"),
        ({"choices": {}}, TypeError, r"messages\[0\]\.choices: expected a list, got dict"),
        ({"choices": [{"delta": SAID}]}, ValueError, r"messages\[0\]\.choices\[0\]\.message: missing"),
        ({"choices": [5]}, ValueError, r"messages\[0\]\.choices\[0\]\.message: missing"),
        ({"message": SAID, "done": False}, ValueError, r"messages\[0\]: a piece of a streamed reply"),
        ({"message": {"content": "Hi"}}, ValueError, r"messages\[0\]\.message\.role: missing"),
        ({"message": "Hi"}, ValueError, r"messages\[0\]\.role: missing"),
    ],
)
def test_what_holds_no_message_is_named(reply, error, says):
    with pytest.raises(error, match=says):
        load_messages(reply)
