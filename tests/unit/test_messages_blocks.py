"""Calls and results that stand as blocks in a content, in the shapes of several clients (cases 18 and 50)."""

from __future__ import annotations

import pytest

from ctxkit import (
    KeepRecentMessages,
    Message,
    SummarizeOldMessages,
    ToolCall,
    check,
    load_messages,
    repair,
    run,
)
from tests.fakes import FakeModel
from tests.histories import A

SEARCH = ToolCall("a", "search", {"q": "tide"})
TEXT = {"type": "text", "text": "I look."}

BEDROCK = [
    {"role": "user", "content": [{"text": "When?"}]},
    {
        "role": "assistant",
        "content": [
            {"text": "I look."},
            {"toolUse": {"toolUseId": "a", "name": "search", "input": {"q": "tide"}}},
        ],
    },
    {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "14:20"}], "status": "success"}}],
    },
]
VERCEL = [
    {"role": "user", "content": "When?"},
    {
        "role": "assistant",
        "content": [
            TEXT,
            {"type": "tool-call", "toolCallId": "a", "toolName": "search", "input": {"q": "tide"}},
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "a",
                "toolName": "search",
                "output": {"type": "text", "value": "14:20"},
            }
        ],
    },
]


def vercel_result(**fields):
    return [
        {
            "role": "tool",
            "content": [{"type": "tool-result", "toolCallId": "a", "toolName": "search", **fields}],
        }
    ]


def test_bedrock():
    history = load_messages(BEDROCK)
    assert history == [
        Message.user([{"text": "When?"}]),
        Message.assistant([{"text": "I look."}], [SEARCH]),
        Message.tool([{"text": "14:20"}], "a"),
    ]
    assert check(history) == []


def test_vercel():
    history = load_messages(VERCEL)
    assert history == [
        Message.user("When?"),
        Message.assistant([TEXT], [SEARCH]),
        Message.tool("14:20", "a", "search"),
    ]
    assert check(history) == []


@pytest.mark.parametrize(
    ("fields", "content"),
    [
        ({"output": {"type": "text", "value": "14:20"}}, "14:20"),
        ({"output": {"type": "error-text", "value": "no tide"}}, "no tide"),
        ({"output": {"type": "json", "value": {"höhe": [1, None]}}}, '{"höhe": [1, null]}'),
        ({"output": {"type": "error-json", "value": 5}}, "5"),
        ({"output": {"type": "content", "value": [TEXT]}}, [TEXT]),
        ({"result": "14:20"}, "14:20"),
        ({"result": {"time": "14:20"}}, '{"time": "14:20"}'),
        ({"output": {"type": "json", "value": None}}, None),
    ],
)
def test_what_a_tool_gave_in_vercels_shapes(fields, content):
    assert load_messages(vercel_result(**fields)) == [Message.tool(content, "a", "search")]


def test_several_results_in_one_message_are_one_message_each():
    parts = [part for call in "ab" for part in vercel_result(result=call)[0]["content"]]
    parts[1] = {**parts[1], "toolCallId": "b"}
    history = load_messages([{"role": "tool", "content": parts}])
    assert [(m.tool_call_id, m.content) for m in history] == [("a", "a"), ("b", "b")]


def test_version_4_of_vercel_calls_the_input_args():
    part = {"type": "tool-call", "toolCallId": "a", "toolName": "search", "args": {"q": "tide"}}
    [message] = load_messages([{"role": "assistant", "content": [part]}])
    assert message.tool_calls == (SEARCH,)


def test_langchain_writes_each_call_in_both_places():
    call = {"type": "tool_call", "id": "a", "name": "search", "args": {"q": "tide"}}
    [message] = load_messages([{"role": "assistant", "content": [TEXT, call], "tool_calls": [call]}])
    assert message == Message.assistant([TEXT], [SEARCH])


@pytest.mark.parametrize("talk", [BEDROCK, VERCEL], ids=["Bedrock", "Vercel"])
def test_results_are_no_turns_and_are_never_lost(talk):
    """Vercel's were orphans that `repair` took away, Bedrock's counted as what the user said last."""
    next_question = {"role": "user", "content": "And tomorrow?"}
    assert [m.role for m in repair([*talk, next_question])] == ["user", "assistant", "tool", "user"]
    sent = run(KeepRecentMessages(2)([*talk, next_question]))
    assert [m.role for m in sent] == ["assistant", "tool", "user"]
    model = FakeModel("They spoke of the tide.")
    run(SummarizeOldMessages(model, 4, 1).apply([*talk, A("At 14:20."), next_question]))
    request = "\n".join(str(message.content) for message in model.requests[0])
    assert 'search (a): {"q":"tide"}' in request and "(a): 14:20" in request


@pytest.mark.parametrize(
    ("role", "part", "error", "says"),
    [
        (
            "user",
            {"toolUse": {"toolUseId": "a", "name": "f"}},
            ValueError,
            "a toolUse block belongs to .* 'assistant'",
        ),
        (
            "assistant",
            {"toolUse": {"toolUseId": 5, "name": "f"}},
            ValueError,
            r"\.toolUse\.toolUseId: .* needs one",
        ),
        (
            "assistant",
            {"toolUse": {"toolUseId": "a"}},
            ValueError,
            r"\.toolUse\.name: a toolUse block needs one",
        ),
        ("assistant", {"toolUse": "a"}, TypeError, r"\.toolUse: expected an object, got str"),
        ("assistant", {"toolResult": {"toolUseId": "a"}}, ValueError, "belongs to a message of role 'user'"),
        (
            "user",
            {"type": "tool-result", "toolCallId": "a"},
            ValueError,
            "belongs to a message of role 'tool'",
        ),
        (
            "tool",
            {"type": "tool-result", "toolCallId": "a", "output": 5},
            ValueError,
            r"\.toolName: .* needs one",
        ),
        (
            "assistant",
            {"functionCall": {"name": "f", "args": {}}},
            ValueError,
            "a functionCall block is not read",
        ),
        ("user", {"functionResponse": {"name": "f"}}, ValueError, "a functionResponse block is not read"),
        (
            "assistant",
            {"type": "function_call", "call_id": "a"},
            ValueError,
            "a function_call block is not read",
        ),
    ],
)
def test_a_block_that_cannot_be_read_is_named(role, part, error, says):
    with pytest.raises(error, match=r"^messages\[1\]\.content\[0\].*" + says):
        load_messages([{"role": "user", "content": "Hi"}, {"role": role, "content": [part]}])


def test_a_tool_message_holds_nothing_beside_its_blocks():
    [message] = vercel_result(result="14:20")
    with pytest.raises(ValueError, match=r"^messages\[0\]\.content: beside blocks with results"):
        load_messages([{**message, "content": [*message["content"], TEXT]}])


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool_use", "id": "a", "name": "search", "input": {}},
        {"type": "tool_result", "tool_use_id": "a", "content": "14:20"},
        {"toolUse": {"toolUseId": "a", "name": "search", "input": {}}},
        {"toolResult": {"toolUseId": "a", "content": []}},
        {"type": "tool-call", "toolCallId": "a", "toolName": "search", "input": {}},
        {"type": "tool_call", "id": "a", "name": "search", "args": {}},
        {"functionCall": {"name": "search"}},
    ],
    ids=lambda part: part.get("type") or next(iter(part)),
)
def test_a_message_made_by_hand_holds_no_block(part):
    """`check` would not see it, and it would be sent as a turn, without its call or its result."""
    for role in ("user", "assistant", "tool"):
        with pytest.raises(
            ValueError, match=r"^content\[1\]: a block of a tool call or result .* load_messages"
        ):
            Message(role, [TEXT, part])


@pytest.mark.parametrize(
    "part",
    [
        {"text": "Hi", "toolUse": None},
        {"type": "json", "toolUse": {"seen": 3}},
        {"type": "server_tool_use", "id": "a", "name": "web_search", "input": {}},
        {"type": ["tool_use"]},
    ],
)
def test_what_only_looks_like_a_block_stays_content(part):
    assert load_messages([{"role": "assistant", "content": [part]}]) == [Message.assistant([part])]


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"type": "execution-denied", "reason": "no"}, "no"),
        ({"type": "execution-denied"}, "Execution denied."),
        ("plain", "plain"),
        ({"type": "poem", "lines": 2}, '{"type": "poem", "lines": 2}'),
    ],
)
def test_whatever_a_tool_gave_is_a_result(output, text):
    call = {"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}}
    result = {"type": "tool-result", "toolCallId": "a", "toolName": "f", "output": output}
    talk = [{"role": "assistant", "content": [call]}, {"role": "tool", "content": [result]}]
    loaded = load_messages(talk)
    assert loaded[-1].content == text and loaded[-1].tool_call_id == "a"
