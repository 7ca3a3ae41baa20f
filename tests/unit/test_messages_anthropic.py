"""Anthropic's Messages shape: blocks of calls and results become calls and tool messages."""

from __future__ import annotations

import json

import pytest

from ctxkit import Conversation, Message, ToolCall, check, load_messages

CALL = {"type": "tool_use", "id": "a", "name": "clock", "input": {"zone": "CET"}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "Noon."}
TALK = {
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "What time is it?"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, CALL]},
        {"role": "user", "content": [RESULT, {"type": "text", "text": "And tomorrow?"}]},
    ],
}


@pytest.mark.parametrize("source", [TALK, json.dumps(TALK)], ids=["object", "JSON text"])
def test_a_conversation_is_read_whole(source):
    assert load_messages(source) == [
        Message.system("Be brief."),
        Message.user("What time is it?"),
        Message.assistant([{"type": "text", "text": "I look."}], [ToolCall("a", "clock", {"zone": "CET"})]),
        Message.tool("Noon.", "a"),
        Message.user([{"type": "text", "text": "And tomorrow?"}]),
    ]
    assert check(load_messages(source)) == []


def test_parallel_results_come_first_in_their_order():
    calls = [CALL, CALL | {"id": "b"}]
    said = {"type": "text", "text": "Here they are:"}
    results = [RESULT | {"tool_use_id": "b", "is_error": True, "content": "No clock."}, said, RESULT]
    history = load_messages(
        [
            {"role": "user", "content": "Times?"},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": results},
        ]
    )
    assert [(m.role, m.tool_call_id) for m in history[2:]] == [("tool", "b"), ("tool", "a"), ("user", None)]
    assert history[1].content is None
    assert [call.id for call in history[1].tool_calls] == ["a", "b"]


def test_a_system_prompt_of_blocks_and_results_of_blocks_are_kept():
    text = {"type": "text", "text": "Be brief."}
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    history = load_messages(
        {
            "system": [text],
            "messages": [
                {"role": "assistant", "content": [CALL]},
                {"role": "user", "content": [RESULT | {"content": [text, picture]}]},
            ],
        }
    )
    assert history[0] == Message.system([text])
    assert history[2].content == [text, picture]


@pytest.mark.parametrize("beside", [[], ["a"], ["b"], ["a", "b"]])
def test_calls_beside_the_blocks_are_kept_once_each(beside):
    calls = [{"id": i, "function": {"name": "clock", "arguments": {"zone": "CET"}}} for i in beside]
    [message] = load_messages([{"role": "assistant", "content": [CALL], "tool_calls": calls}])
    expected = [ToolCall(i, "clock", {"zone": "CET"}) for i in ["a", *(i for i in beside if i != "a")]]
    assert list(message.tool_calls) == expected


def test_what_stands_beside_the_blocks_and_is_no_call_is_named():
    with pytest.raises(TypeError, match=r"messages\[0\].tool_calls"):
        load_messages([{"role": "assistant", "content": [CALL], "tool_calls": 5}])


def test_a_result_without_content_has_none():
    result = {"type": "tool_result", "tool_use_id": "a"}
    history = load_messages([{"role": "assistant", "content": [CALL]}, {"role": "user", "content": [result]}])
    assert history[1] == Message.tool(None, "a")


@pytest.mark.parametrize(
    ("role", "block", "error", "where"),
    [
        ("user", CALL, ValueError, r"messages\[1\].content\[0\]: a tool_use block"),
        ("assistant", RESULT, ValueError, r"messages\[1\].content\[0\]: a tool_result"),
        ("assistant", CALL | {"id": 3}, ValueError, r"content\[0\].id"),
        ("assistant", CALL | {"name": None}, ValueError, r"content\[0\].name"),
        ("assistant", CALL | {"input": [1]}, TypeError, r"messages\[1\].tool_calls"),
        ("user", RESULT | {"tool_use_id": None}, ValueError, r"content\[0\].tool_use_id"),
        ("user", RESULT | {"content": 5}, TypeError, r"messages\[1\].content\[0\].content"),
    ],
)
def test_a_bad_block_is_named(role, block, error, where):
    with pytest.raises(error, match=where):
        load_messages([{"role": "user", "content": "Hi"}, {"role": role, "content": [block]}])


@pytest.mark.parametrize("messages", [5, "text", {"role": "user"}, None])
def test_messages_of_an_object_must_be_a_list(messages):
    with pytest.raises(TypeError, match="messages: expected a list"):
        load_messages({"messages": messages})


def test_a_conversation_takes_such_messages_one_by_one():
    talk = Conversation()
    for message in TALK["messages"]:
        talk.append(message)
    assert list(talk.messages) == load_messages(TALK["messages"])
