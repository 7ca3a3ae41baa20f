"""Cases G4, Ollama: what goes over the wire (77, 78, 79, 90, 91 and 93)."""

from __future__ import annotations

import copy
import json

import ollama
import pytest

from ctxkit import (
    Message,
    TokenCounter,
    ToolCall,
    check,
    dump_messages,
    load_messages,
    run,
)
from ctxkit.models import errors
from ctxkit.models.ollama import OllamaModel
from tests.cases.ask_ollama import LOOKUP, answered, refused
from tests.histories import A, C, S, T, U
from tests.servers.ollama import OllamaServer
from tests.servers.script import last, piece, stream


class TestShapes:
    def test_77_made_up_ids_are_unique_and_the_same_when_the_cell_runs_again(self):
        two = stream(piece(calls=[("search", {"q": "a"}), ("search", {"q": "a"})]), last())

        def conversation():
            with OllamaServer(two) as server:
                model = OllamaModel(host=server.url)
                history = [U("Find it, twice.")]
                for _ in range(3):
                    reply = run(model.chat(history, [LOOKUP]))
                    results = [Message.tool("found", call.id) for call in reply.message.tool_calls]
                    history += [reply.message, *results]
            return history

        first, again = conversation(), conversation()
        ids = [call.id for message in first for call in message.tool_calls]
        assert len(set(ids)) == 6
        assert ids == [call.id for message in again for call in message.tool_calls]
        assert check(first) == []

    def test_48_77_made_up_ids_do_not_depend_on_the_marks_of_messages(self):
        script = stream(piece(calls=[("search", {"q": "a"})]), last())
        marked = [[Message("user", "Find it.", id=mark)] for mark in (None, "m1", "m2")]
        ids = {answered(script, history=history).message.tool_calls[0].id for history in marked}
        assert len(ids) == 1

    def test_77_results_go_out_in_call_order_with_their_tools_name_and_without_ids(self):
        calls = [ToolCall("a", "search", {"q": 1}), ToolCall("b", "clock", {})]
        history = [U(), Message.assistant("", calls), Message.tool("noon", "b"), Message.tool("found", "a")]
        with OllamaServer() as server:
            run(OllamaModel(host=server.url).chat(history))
        sent = server.chats[0]["messages"]
        assert [(m.get("tool_name"), m["content"]) for m in sent if m["role"] == "tool"] == [
            ("search", "found"),
            ("clock", "noon"),
        ]
        assert "id" not in json.dumps(sent)

    @pytest.mark.parametrize("arguments", ['{"c":1}', {"c": 1}])
    def test_78_arguments_go_out_as_an_object(self, arguments):
        call = {"id": "a", "function": {"name": "search", "arguments": arguments}}
        history = load_messages([*dump_messages([U()]), {"role": "assistant", "tool_calls": [call]}])
        with OllamaServer() as server:
            run(OllamaModel(host=server.url).chat([*history, T("a")]))
        assert server.chats[0]["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"c": 1}

    @pytest.mark.parametrize("arguments", ["", None, "  "])
    def test_78_no_arguments_are_an_empty_object(self, arguments):
        reply = answered(stream(piece(calls=[("clock", arguments)]), last()))
        assert reply.message.tool_calls[0].arguments == {}

    def test_78_arguments_that_are_no_json_are_reported_with_the_call(self):
        with pytest.raises(ValueError, match="call_7"):
            ToolCall("call_7", "search", "not json")
        told = refused(errors.UnreadableReply, stream(piece("Wait.", [("search", "not json")]), last()))
        assert "arguments of tool call 'call_" in str(told)
        assert told.partial == "Wait."

    def test_79_list_content_becomes_text_and_pictures(self):
        url = {"url": "data:image/png;base64,aGFyYm91cg=="}
        parts = [{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": url}, "there"]
        with OllamaServer() as server:
            run(OllamaModel(host=server.url).chat([U(parts)]))
        assert server.chats[0]["messages"] == [
            {"role": "user", "content": "hi\nthere", "images": ["aGFyYm91cg=="]}
        ]

    def test_79_a_pictures_data_is_never_taken_for_the_name_of_a_file(self, tmp_path, monkeypatch):
        """The client opens a file of that name and sends what is in it; a transcript could name any."""
        (tmp_path / "aGFyYm91cg==").write_text("a secret")
        monkeypatch.chdir(tmp_path)
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGFyYm91cg=="}}
        with OllamaServer() as server:
            run(OllamaModel(host=server.url).chat([U([picture])]))
        assert server.chats[0]["messages"][0]["images"] == ["aGFyYm91cg=="]

    @pytest.mark.parametrize(
        "address", ["https://example.org/a.png", "data:image/png;base64,/etc/passwd.png"]
    )
    def test_79_a_picture_that_cannot_be_sent_is_refused(self, address):
        picture = {"type": "image_url", "image_url": {"url": address}}
        assert "picture" in str(refused(errors.RequestRefused, history=[U([picture])]))

    def test_90_client_objects_become_plain_values_on_entry(self):
        call = ollama.Message.ToolCall.Function(name="search", arguments={"q": "tide"})
        mine = ollama.Message(role="assistant", tool_calls=[ollama.Message.ToolCall(function=call)])
        loaded = load_messages([U(), mine, {"role": "tool", "tool_name": "search", "content": "low"}])
        assert check(loaded) == []
        assert copy.deepcopy(loaded) == loaded
        assert (
            json.loads(json.dumps(dump_messages(loaded)))[1]["tool_calls"][0]["function"]["name"] == "search"
        )
        assert len(loaded[1].digest) == 64
        assert TokenCounter().count(loaded[1]) > 10
        with OllamaServer() as server:
            run(OllamaModel(host=server.url).chat(loaded))
        assert [m["role"] for m in server.chats[0]["messages"]] == ["user", "assistant", "tool"]

    @pytest.mark.parametrize(
        ("given", "sent"), [(-1, -1), ("-1", -1), ("0", 0), ("5m", "5m"), (300, 300), (" 300 ", 300)]
    )
    def test_91_digits_are_a_number(self, given, sent):
        with OllamaServer() as server:  # it refuses text without a unit, as the real one does
            run(OllamaModel(host=server.url, keep_alive=given).chat([U()]))
        assert server.chats[0]["keep_alive"] == sent

    @pytest.mark.parametrize("given", ["soon", "", "5 minutes", float("nan")])
    def test_91_what_is_no_time_is_refused(self, given):
        with pytest.raises(ValueError, match="keep_alive"):
            OllamaModel(keep_alive=given)

    @pytest.mark.parametrize("history", [[U(), A("Thanks, I am")], [U(), C("a")]])
    def test_93_a_list_that_ends_with_the_assistant_is_a_continuation(self, history):
        with OllamaServer() as server, pytest.raises(errors.RequestRefused, match="continuation"):
            run(OllamaModel(host=server.url).chat(history))
        assert server.requests == []

    @pytest.mark.parametrize("history", [[], [S()], [S(), C("a"), T("a")]])
    def test_93_a_list_without_a_user_message_is_refused(self, history):
        with OllamaServer() as server, pytest.raises(errors.RequestRefused, match="no user message"):
            run(OllamaModel(host=server.url).chat(history))
        assert server.requests == []
