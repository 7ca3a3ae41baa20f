"""What is sent: text that HTTP can carry, tools whole, and nothing that the model did not say."""

import copy
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from ctxkit import Message, TokenCounter, ToolCall, run
from ctxkit.models.errors import RequestRefused
from ctxkit.models.ollama import OllamaModel
from ctxkit.models.ollama.wire import in_call_order, wire_tools
from tests.histories import A, C, D, S, T, U
from tests.servers.ollama import OllamaServer
from tests.servers.script import last, piece, stream

NESTED = {
    "type": "function",
    "function": {
        "name": "book",
        "description": "Book a ferry.",
        "parameters": {
            "type": "object",
            "properties": {
                "trip": {"type": "object", "properties": {"to": {"$ref": "#/$defs/port"}}},
                "seats": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 1},
            },
            "$defs": {"port": {"type": "string", "enum": ["Bergen", "Oban"]}},
        },
    },
}


def sent(history, tools=()):
    with OllamaServer() as server:
        run(OllamaModel(host=server.url).chat(history, tools))
    return server.chats[0]


@pytest.mark.parametrize(
    ("text", "arrives"),
    [("\ud83d", "\ufffd"), ("\ud83d\udc4d", "👍"), ("ok \udbc0 end", "ok \ufffd end"), ("🍕 é", "🍕 é")],
)
def test_lone_surrogates_do_not_break_the_request(text, arrives):
    call = Message.assistant(text, [ToolCall("a", "search", {text: [text]})])
    body = sent([S(text), U(text), call, T("a", text)])
    assert [m["content"] for m in body["messages"]] == [arrives] * 4
    assert body["messages"][2]["tool_calls"][0]["function"]["arguments"] == {arrives: [arrives]}


def test_a_developer_message_goes_as_system():
    assert [m["role"] for m in sent([D("rules"), U()])["messages"]] == ["system", "user"]


def test_a_schema_arrives_whole():
    """The client's own class would leave out all below the first level, `anyOf` and `$ref`."""
    assert sent([U()], [NESTED])["tools"] == [NESTED]


class Schema(BaseModel):
    type: str = "function"
    function: dict = {"name": "clock", "parameters": {"type": "object"}}


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": {"name": "clock", "parameters": {"type": "object"}}},
        {"name": "clock", "parameters": {"type": "object"}},
        SimpleNamespace(schema={"name": "clock", "parameters": {"type": "object"}}),
        Schema(),
    ],
)
def test_tools_are_taken_in_each_shape(tool):
    clock = {"name": "clock", "parameters": {"type": "object"}}
    assert wire_tools([tool]) == [{"type": "function", "function": clock}]


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "search", "description": "Looks up.", "input_schema": {"type": "object"}},
        {"name": "search", "description": "Looks up.", "inputSchema": {"type": "object"}},
        {
            "toolSpec": {
                "name": "search",
                "description": "Looks up.",
                "inputSchema": {"json": {"type": "object"}},
            }
        },
    ],
    ids=["Anthropic", "MCP", "Bedrock"],
)
def test_tools_of_other_clients_keep_their_parameters(tool):
    """A model that is not told of arguments makes none."""
    search = {"name": "search", "description": "Looks up.", "parameters": {"type": "object"}}
    given = copy.deepcopy(tool)
    assert wire_tools([tool]) == [{"type": "function", "function": search}]
    assert tool == given
    counted = TokenCounter().count_all([], [tool])
    assert counted == TokenCounter().count_all([], [search])


@pytest.mark.parametrize(
    "tools", ["clock", {"name": "clock"}, None, [print], [5], [{"name": ""}], [{"function": {}}]]
)
def test_what_is_no_tool_is_refused_by_name(tools):
    with pytest.raises((TypeError, ValueError), match="tools"):
        wire_tools(tools)


def test_a_tool_that_the_client_refuses_is_refused_before_sending():
    broken = {"name": "clock", "parameters": {"type": "array"}}
    with OllamaServer() as server, pytest.raises(RequestRefused, match="parameters"):
        run(OllamaModel(host=server.url).chat([U()], [broken]))
    assert server.requests == []


def test_a_reused_id_belongs_to_the_nearest_call():
    first, second = C("a", "b", name="search"), C("b", "a", name="clock")
    history = [
        U(),
        first,
        T("b", "2"),
        T("a", "1"),
        second,
        T("a", "4"),
        T("b", "3"),
        A("done"),
        T("a", "late"),
    ]
    ordered = in_call_order(history)
    assert [m.content for m in ordered if m.role == "tool"] == ["1", "2", "3", "4", "late"]
    assert [m for m in ordered if m.role != "tool"] == [m for m in history if m.role != "tool"]


def test_a_sound_history_goes_out_in_its_own_order():
    history = [U(), C("a", "b"), T("a"), T("b"), A("done"), U()]
    assert all(x is y for x, y in zip(in_call_order(history), history, strict=True))


def test_the_ids_of_a_servers_own_are_not_taken():
    """Newer servers send random ones, so they would differ each time that a cell runs."""
    chunk = piece(calls=[("clock", {})])
    chunk["message"]["tool_calls"][0]["id"] = "call_random"
    with OllamaServer(stream(chunk, last())) as server:
        reply = run(OllamaModel(host=server.url).chat([U()]))
    assert reply.message.tool_calls[0].id.startswith("call_")
    assert reply.message.tool_calls[0].id != "call_random"


def test_dicts_and_notes_of_the_caller_are_taken_too():
    body = sent([{"role": "user", "content": "Hi", "id": "mine"}])
    assert body["messages"] == [{"role": "user", "content": "Hi"}]
    assert body["stream"] is True
