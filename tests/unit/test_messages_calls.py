"""Tool calls as clients write them: no argument is lost, whatever it is called."""

from __future__ import annotations

import pytest

from ctxkit import Message, TokenCounter, ToolCall, check, load_messages

TIDE = {"q": "tide"}
SEARCH = ToolCall("a", "search", TIDE)


def loaded(call):
    [message] = load_messages([{"role": "assistant", "content": "", "tool_calls": [call]}])
    return message


@pytest.mark.parametrize(
    "call",
    [
        {"name": "search", "args": TIDE, "id": "a", "type": "tool_call"},
        {"name": "search", "input": TIDE, "id": "a"},
        {"name": "search", "parameters": TIDE, "id": "a"},
        {"name": "search", "arguments": TIDE, "id": "a"},
        {"id": "a", "function": {"name": "search", "args": '{"q": "tide"}'}},
        {"id": "a", "function": {"name": "search", "parameters": TIDE}},
        {"id": "a", "args": TIDE, "function": {"name": "search"}},
        {"id": "a", "args": TIDE, "function": {"name": "search", "arguments": ""}},
        {"id": "a", "args": TIDE, "function": {"name": "search", "arguments": '{"q":"tide"}'}},
        {"id": "a", "function": {"name": "search", "arguments": TIDE}, "extra_content": {"google": {}}},
    ],
)
def test_arguments_are_read_under_the_names_that_clients_give_them(call):
    """Case 63: under a name that nobody looked at they counted as nothing, and were gone."""
    assert loaded(call).tool_calls == (SEARCH,)


def test_arguments_of_any_name_are_counted():
    long = {"body": "tide " * 10_000}
    costs = {
        TokenCounter().count(loaded({"id": "a", "name": "write", field: long}))
        for field in ("arguments", "args", "input", "parameters")
    }
    assert costs == {TokenCounter().count(Message.assistant("", [ToolCall("a", "write", long)]))}
    assert min(costs) > 10_000


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"id": "a", "name": "search", "kwargs": TIDE}, r"tool_calls\[0\]\.kwargs: .* name it arguments"),
        (
            {"id": "a", "function": {"name": "search", "inputs": TIDE}},
            r"tool_calls\[0\]\.function\.inputs: .* name it arguments",
        ),
        (
            {"id": "a", "name": "search", "args": TIDE, "input": {"q": "moon"}},
            r"tool_calls\[0\]\.input: other arguments than under 'args'",
        ),
        ({"id": "a", "name": "search", "args": "{"}, r"tool_calls\[0\]\.args of call 'a': not valid JSON"),
    ],
)
def test_arguments_that_cannot_be_told_are_named(call, says):
    with pytest.raises(ValueError, match=r"^messages\[0\]\." + says):
        loaded(call)


@pytest.mark.parametrize(
    "arguments", [{}, {"arguments": None}, {"args": {}}, {"arguments": "", "type": "function"}]
)
def test_a_call_without_arguments_has_none(arguments):
    assert loaded({"id": "a", "name": "now", **arguments}).tool_calls == (ToolCall("a", "now", {}),)


@pytest.mark.parametrize(
    ("in_call", "in_result"),
    [
        ("id", "tool_use_id"),
        ("toolCallId", "toolCallId"),
        ("call_id", "call_id"),
        ("call_id", "tool_call_id"),
    ],
)
def test_results_find_their_call_whatever_its_id_is_called(in_call, in_result):
    """Case 77: a result without an id goes to the next open call, so these would have changed places."""
    item = {} if in_call == "id" else {"id": "item"}
    calls = [{**item, in_call: call_id, "name": "search", "arguments": {}} for call_id in "ab"]
    results = [{"role": "tool", in_result: call_id, "content": call_id} for call_id in "ba"]
    history = load_messages([{"role": "assistant", "content": "", "tool_calls": calls}, *results])
    assert [call.id for call in history[0].tool_calls] == ["a", "b"]
    assert [(m.tool_call_id, m.content) for m in history[1:]] == [("b", "b"), ("a", "a")]


def test_a_call_of_a_reloaded_module_is_called_so():
    """Case 118: "expected a ToolCall, got ToolCall" helps nobody."""
    before = type("ToolCall", (), {"__module__": ToolCall.__module__})()
    with pytest.raises(TypeError, match=r"^tool_calls\[0\]: .* before ctxkit was reloaded; .* restart"):
        Message.assistant("", [before])
    other = type("ToolCall", (), {"__module__": "elsewhere"})()
    with pytest.raises(TypeError, match=r"^tool_calls\[0\]: expected a ToolCall, got elsewhere\.ToolCall"):
        Message.assistant("", [other])


def test_the_id_of_a_call_under_function_is_the_one_its_result_names():
    call = {
        "id": "call_1",
        "call_id": "fc_9",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
    }
    talk = [{"role": "user", "content": "?"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    assert check([*talk, {"role": "tool", "tool_call_id": "call_1", "content": "14:20"}]) == []


@pytest.mark.parametrize(
    "beside",
    [{"function": {"parameters": {"type": "object", "properties": {}}}}, {"input": "raw text"}],
)
def test_what_stands_beside_the_arguments_is_not_taken_for_them(beside):
    function = {"name": "search", "arguments": {"q": "tide"}, **beside.get("function", {})}
    call = {"id": "a", **beside, "function": function}
    [_, loaded] = load_messages(
        [{"role": "user", "content": "?"}, {"role": "assistant", "tool_calls": [call]}]
    )
    assert loaded.tool_calls[0].arguments == {"q": "tide"}


@pytest.mark.parametrize("beside", [{}, {"tool_calls": []}, {"reasoning_content": "hm"}, {"thinking": "x"}])
def test_an_assistant_that_said_nothing_needs_no_content(beside):
    assert load_messages([{"role": "assistant", **beside}])[0].content is None
