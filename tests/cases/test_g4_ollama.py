"""Cases G4: Ollama, 72 to 93, with the real client against an Ollama-compatible test server on loopback."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import subprocess
import sys

import ollama
import pytest

from ctxkit import (
    KeepWithinTokens,
    Message,
    TokenCounter,
    ToolCall,
    Usage,
    check,
    dump_messages,
    load_messages,
    run,
)
from ctxkit.models import errors
from ctxkit.models.ollama import OllamaModel
from ctxkit.models.ollama.hosts import parse_host
from tests.histories import A, C, S, T, U
from tests.servers.ollama import Installed, OllamaServer
from tests.servers.script import DROP, HANG, Drip, Page, error, last, piece, says, stream

LOOKUP = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}
HELLO = (U(),)
LONG = [S("Answer briefly."), *(Message(("user", "assistant")[i % 2], "lantern " * 300) for i in range(19))]
"""19 turns, about 5,800 tokens by the kit's count; ends with a question."""


def answered(*script, history=HELLO, tools=(), server=None, **options):
    """The reply to a history by a server with this script."""
    with OllamaServer(*script, **server or {}) as running:
        return run(OllamaModel(host=running.url, **options).chat(history, tools))


def refused(kind, *script, history=HELLO, tools=(), **options):
    """The error that a server with this script leads to; the history must be as it was."""
    before = list(history)
    with pytest.raises(kind) as caught:
        answered(*script, history=history, tools=tools, **options)
    assert list(history) == before
    assert isinstance(caught.value, errors.ModelError)
    return caught.value


class TestWindow:
    def test_72_a_refused_and_a_silently_cut_prompt_are_told_alike(self):
        say = "The prompt exceeds the context window of 4,096 tokens"
        told = refused(
            errors.WindowExceeded,
            error(400, "the request exceeds the available context size (4096)"),
            history=LONG,
            num_ctx=4096,
        )
        assert str(told).startswith(say)
        assert told.limit == 4096
        reply = answered(says("Yes.", prompt_eval_count=2050), history=LONG, num_ctx=4096)
        assert reply.notes[0].startswith(say)
        assert "read 2,050 of about" in reply.notes[0]
        assert reply.message.content == "Yes."

    def test_72_the_servers_own_rule_leads_there_too(self):
        """No script: the server drops, counts and refuses by itself, which it takes for tokens."""
        reply = answered(history=LONG, num_ctx=4096)
        assert reply.usage.prompt_tokens <= 4096
        assert "cut its beginning" in reply.notes[0]
        history = [S("lantern " * 9000), U()]
        told = refused(errors.WindowExceeded, history=history, num_ctx=4096, server={"shift": False})
        assert told.limit == 4096

    def test_72_nothing_is_noted_where_all_was_read(self):
        assert answered(says("Yes.", prompt_eval_count=5900), history=LONG).notes == ()
        assert answered(says("Yes.", prompt_eval_count=4600), history=LONG).notes == ()  # another vocabulary
        assert answered(says("Yes.", prompt_eval_count=9), history=[U("Hi")]).notes == ()

    def test_72_advertised_and_loaded_length_are_two_things(self):
        small = {"models": {"phi:latest": Installed(context_length=2048)}}
        with OllamaServer() as server:
            model = OllamaModel(host=server.url, num_ctx=4096)
            before = run(model.context_lengths())
            run(model.chat([U()]))
            after = run(model.context_lengths())
        assert (before.advertised, before.loaded) == (131_072, None)
        assert (after.advertised, after.loaded) == (131_072, 4096)
        note = answered("Yes.", name="phi", history=LONG[:12], num_ctx=8192, server=small).notes[0]
        assert "window of 2,048 tokens" in note  # not the 8,192 that were asked for

    def test_73_num_ctx_is_always_sent(self):
        """The kit has a default and refuses None, so there is no request without one to warn about."""
        with OllamaServer() as server:
            run(OllamaModel(host=server.url).chat([U()]))
            run(OllamaModel(host=server.url, num_ctx=2048, options={"temperature": 0}).chat([U()]))
        assert [chat["options"] for chat in server.chats] == [
            {"num_ctx": 8192},
            {"temperature": 0, "num_ctx": 2048},
        ]
        with pytest.raises(TypeError, match="num_ctx"):
            OllamaModel(num_ctx=None)
        with pytest.raises(ValueError, match="num_ctx"):
            OllamaModel(options={"num_ctx": 2048})

    @pytest.mark.parametrize("counts", [{}, {"prompt_eval_count": 0}, {"prompt_eval_count": None}])
    def test_75_a_missing_count_is_unknown_not_0(self, counts):
        reply = answered(says("Yes.", **counts), history=LONG)
        assert reply.usage.prompt_tokens is None
        assert reply.usage.completion_tokens is None
        assert reply.notes == ()

    def test_75_cached_tokens_are_read_where_a_server_reports_them(self):
        counts = {"prompt_eval_count": 100, "prompt_eval_cached_count": 90, "eval_count": 2}
        assert answered(says("Yes.", **counts)).usage == Usage(100, 2, 90)
        assert answered(says("Yes.", prompt_eval_count=100)).usage.cached_tokens is None

    def test_83_a_full_window_is_one_request_and_says_so(self):
        full = stream(last(reason="length", prompt_eval_count=8191, eval_count=1))
        with OllamaServer(full) as server, pytest.raises(errors.WindowExceeded, match="num_ctx") as caught:
            run(OllamaModel(host=server.url).chat([U()]))
        assert len(server.chats) == 1
        assert (caught.value.tokens, caught.value.limit) == (8191, 8192)

    @pytest.mark.parametrize("counts", [{}, {"prompt_eval_count": 40, "eval_count": 1}])
    def test_83_length_alone_is_no_full_window(self, counts):
        told = refused(errors.EmptyReply, stream(last(reason="length", **counts)))
        assert "window" not in str(told)
        assert "num_predict" in str(told)
        [note] = answered(stream(last("Half an ans", reason="length", **counts))).notes
        assert "num_predict" in note
        assert "window of" not in note

    def test_83_an_answer_that_filled_the_window_says_so(self):
        [note] = answered(
            stream(last("Half", reason="length", prompt_eval_count=8000, eval_count=192)),
        ).notes
        assert "window of 8,192 tokens is full" in note

    def test_92_a_slider_moves_the_kits_budget_and_never_num_ctx(self):
        """Each new num_ctx makes the server load the model anew."""
        with OllamaServer() as server:
            model = OllamaModel(host=server.url)
            sizes = []
            for budget in (500, 1000, 2000, 4000, 8000):
                window = run(KeepWithinTokens(budget)(LONG))
                run(model.chat(window))
                sizes.append(len(window))
            with pytest.raises(AttributeError):
                model.num_ctx = 4096
        assert sizes == sorted(set(sizes))
        assert {chat["options"]["num_ctx"] for chat in server.chats} == {8192}
        assert server.loads == [("llama3.2:latest", 8192)]


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
        refused(errors.RequestRefused, history=[U([{"type": "image_url", "image_url": {"url": address}}])])

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


class TestReplies:
    def test_80_a_model_without_tools_is_named_and_asked_once(self):
        models = {"gemma:latest": Installed(capabilities=("completion",))}
        with OllamaServer(models=models) as server, pytest.raises(errors.ToolsNotSupported, match="'gemma'"):
            run(OllamaModel("gemma", host=server.url).chat([U()], [LOOKUP]))
        assert len(server.chats) == 1

    def test_80_another_400_is_a_failure_of_the_server_and_not_tried_again(self):
        server = OllamaServer(error(400, "invalid options"))
        with server, pytest.raises(errors.ServerFailed, match="invalid options") as caught:
            run(OllamaModel(host=server.url).chat([U()]))
        assert len(server.chats) == 1
        assert caught.value.status == 400

    @pytest.mark.parametrize(
        "script",
        [
            stream(piece(calls=[("f", {"n": 1}), ("f", {"n": 2})]), last(prompt_eval_count=5)),
            stream(last(calls=[("f", {"n": 1}), ("f", {"n": 2})], prompt_eval_count=5)),
            stream(piece(calls=[("f", {"n": 1})]), piece(calls=[("f", {"n": 2})]), last(prompt_eval_count=5)),
            stream(piece(calls=[("f", {"n": 1})]), last(calls=[("f", {"n": 2})], prompt_eval_count=5)),
        ],
    )
    def test_81_calls_are_collected_from_every_chunk(self, script):
        reply = answered(script, tools=[LOOKUP])
        assert [call.arguments for call in reply.message.tool_calls] == [{"n": 1}, {"n": 2}]
        assert reply.usage.prompt_tokens == 5

    def test_81_text_of_all_chunks_is_joined(self):
        script = stream(piece("Low "), piece("tide", [("f", {})]), piece(), last(" now."))
        assert answered(script).message.content == "Low tide now."

    def test_82_all_tokens_went_into_thinking(self):
        told = refused(
            errors.RanOutWhileThinking, stream(piece(thinking="Hm. "), last(thinking="So", reason="length"))
        )
        assert told.thinking == "Hm. So"
        assert "ran out while thinking" in str(told)
        assert "window" not in str(told)

    @pytest.mark.parametrize(
        "script",
        [
            stream(piece(thinking="15 % of 200"), piece("30"), last()),
            stream(piece("<think>15 % of 200</th"), piece("ink>\n\n30"), last()),
        ],
    )
    def test_82_thinking_stays_out_of_the_message(self, script):
        reply = answered(script)
        assert (reply.message.content, reply.thinking) == ("30", "15 % of 200")

    def test_82_only_a_think_block_at_the_very_start_is_thinking(self):
        text = "Write <think>like this</think>."
        assert answered(stream(piece(text), last())).message.content == text

    @pytest.mark.parametrize(
        "script", [stream(last()), stream(piece("  \n"), last()), stream(last(thinking="Hm"))]
    )
    def test_82_an_empty_answer_is_an_error_and_never_a_message(self, script):
        refused(errors.EmptyReply, script)

    def test_82_an_empty_load_reply_is_named(self):
        refused(errors.OnlyLoaded, stream(last(reason="load")))

    @pytest.mark.parametrize(
        "script",
        [
            stream(piece("par"), '{"error":"unexpected EOF"}'),
            stream(piece("par"), DROP),
            stream(piece("par")),
        ],
    )
    def test_87_a_reply_that_breaks_off_is_kept_on_the_error_only(self, script):
        told = refused(errors.ReplyCutShort, script)
        assert told.partial == "par"

    def test_87_an_error_line_that_comes_first_is_an_error_too(self):
        told = refused(errors.ReplyCutShort, stream('{"error":"model runner has stopped"}'))
        assert "model runner has stopped" in str(told)
        assert told.partial == ""

    def test_87_a_line_that_cannot_be_read_keeps_what_came(self):
        for line in (
            '{"mess',
            '{"message": {"content": 5}}',
            '{"other": 1}',
            "[1]",
            '{"error": {"code": 1}}',
        ):
            assert refused(errors.UnreadableReply, stream(piece("par"), line)).partial == "par"

    @pytest.mark.parametrize("name", ["qwen3", "qwen3:8b", "m@sha256:1f2e", "hub:5000/team/qwen3"])
    def test_89_a_missing_model_is_named_as_it_was_typed(self, name):
        told = refused(errors.ModelNotPulled, name=name)
        assert f"ollama pull {name}" in str(told)

    @pytest.mark.parametrize(
        ("asked", "installed"),
        [("qwen3", "qwen3:latest"), ("qwen3:8b", "qwen3:8b"), ("m@sha256:1f2e", "m@sha256:1f2e")],
    )
    def test_89_a_bare_name_is_latest_and_a_digest_is_untouched(self, asked, installed):
        with OllamaServer(models={installed: Installed()}) as server:
            model = OllamaModel(asked, host=server.url)
            run(model.chat([U()]))
            assert run(model.context_lengths()).loaded == 8192
        assert server.chats[0]["model"] == asked

    @pytest.mark.parametrize("name", ["", "  "])
    def test_89_an_empty_name_is_refused_at_once(self, name):
        with pytest.raises(ValueError, match="name"):
            OllamaModel(name)


HOSTS = {
    "0.0.0.0": "http://127.0.0.1:11434",
    "0.0.0.0:11434": "http://127.0.0.1:11434",
    "::": "http://[::1]:11434",
    "::1": "http://[::1]:11434",
    "[::1]:9999": "http://[::1]:9999",
    ":11500": "http://127.0.0.1:11500",
    "localhost": "http://localhost:11434",
    "http://localhost": "http://localhost:80",  # as for the `ollama` command; "not running" names the port
    "https://h/api/": "https://h:443",
    " localhost ": "http://localhost:11434",
    "": "http://127.0.0.1:11434",
}


class TestConnection:
    @pytest.mark.parametrize("given", HOSTS)
    def test_84_a_listen_address_becomes_one_to_connect_to(self, given, monkeypatch):
        monkeypatch.setenv("OLLAMA_HOST", given)
        assert OllamaModel().host == OllamaModel(host=given).host == HOSTS[given]

    def test_84_a_bad_address_says_what_is_wrong_with_it(self, monkeypatch):
        monkeypatch.setenv("OLLAMA_HOST", "localhost:abc")
        with pytest.raises(ValueError, match=r"OLLAMA_HOST: 'localhost:abc' .* 127\.0\.0\.1:11434"):
            OllamaModel()

    def test_84_the_client_is_imported_whatever_the_variable_holds(self):
        """`import ollama` alone raises ValueError for three of these."""
        values = [*HOSTS, "localhost:abc"]
        code = f"""
import os, sys
from ctxkit.models.ollama.connect import load_sdk
for value in {values!r}:
    for name in [n for n in sys.modules if n.split(".")[0] == "ollama" or n.endswith("ollama.sdk")]:
        del sys.modules[name]
    os.environ["OLLAMA_HOST"] = value
    print(load_sdk().Client.__name__, os.environ["OLLAMA_HOST"] == value)
"""
        assert _child(code).split("\n")[:-1] == ["Client True"] * len(values)

    def test_84_an_ipv6_loopback_is_reached(self):
        assert parse_host("::").loopback
        assert not parse_host("example.org").loopback

    def test_85_the_kit_works_under_a_socks_proxy_and_says_what_to_unset(self):
        code = """
import sys
sys.modules["socksio"] = None  # as where it is not installed
from ctxkit import Message, run, KeepRecentMessages
from ctxkit.models.errors import ClientUnavailable
from ctxkit.models.ollama import OllamaModel
print(len(run(KeepRecentMessages(1)([Message.user("a"), Message.user("b")]))))
try:
    run(OllamaModel(host="127.0.0.1:1").chat([Message.user("Hi")]))
except ClientUnavailable as error:
    print(error)
"""
        for proxy in ("socks5h://user:secret@127.0.0.1:9", "socks5://127.0.0.1:9"):
            told = _child(code, HTTP_PROXY=proxy)
            assert told.startswith("2\n")
            assert "Unset HTTP_PROXY" in told
            assert "secret" not in told

    @pytest.mark.parametrize(
        "page",
        [
            Page(502, ""),
            Page(502, "<html>Bad Gateway</html>", "text/html"),
            Page(200, "<html>Log in</html>", "text/html"),
            Page(503, "", "text/html"),
            Page(200, ""),
        ],
    )
    def test_86_a_page_in_place_of_an_answer_hints_at_the_proxy(self, page):
        told = refused(errors.ProxyInTheWay, page)
        assert "NO_PROXY=localhost,127.0.0.1" in str(told)

    def test_86_a_real_proxy_is_named_by_its_variable(self, monkeypatch):
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        with OllamaServer(pages={"*": Page(502, "")}) as proxy:
            monkeypatch.setenv("HTTP_PROXY", f"http://user:secret@{proxy.address}")
            with pytest.raises(errors.ProxyInTheWay, match="HTTP_PROXY") as caught:
                run(OllamaModel(host="127.0.0.1:1").chat([U()]))
            assert proxy.requests[0][1] == "http://127.0.0.1:1/api/chat"
        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize("body", ["null", "[]", "7"])
    @pytest.mark.parametrize("status", [200, 500])
    def test_86_a_body_that_is_no_object_is_unreadable(self, body, status):
        refused((errors.UnreadableReply, errors.ServerFailed), Page(status, body))

    def test_86_another_web_server_is_not_a_missing_model(self):
        told = refused(errors.UnreadableReply, Page(404, "404 page not found", "text/plain"))
        assert "no Ollama" in str(told)

    def test_88_no_server(self):
        with pytest.raises(errors.ServerNotRunning, match=r"127\.0\.0\.1:1 .*ollama serve"):
            run(OllamaModel(host="http://127.0.0.1:1").chat([U()]))

    def test_88_a_server_that_never_answers(self):
        told = refused(errors.ModelTimeout, HANG, timeout=1)
        assert "silent for 1 s" in str(told)

    def test_88_a_server_that_falls_silent(self):
        assert refused(errors.ModelTimeout, stream(piece("par"), HANG), timeout=2).partial == "par"

    def test_88_a_server_that_never_ends(self):
        told = refused(errors.ModelTimeout, stream(Drip(piece("x"))), timeout=5, total_timeout=2)
        assert set(told.partial) == {"x"}
        assert "total_timeout" in str(told)

    def test_88_a_connection_that_is_closed_at_once(self):
        assert refused(errors.ReplyCutShort, DROP).partial == ""

    def test_88_a_stop_ends_the_request_and_leaves_the_history(self):
        history = [U()]

        async def stopped(server):
            task = asyncio.ensure_future(OllamaModel(host=server.url).chat(history))
            while not server.chats:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        with OllamaServer(HANG) as server:
            asyncio.run(stopped(server))
        assert history == [U()]


def _child(code, **environment):
    whole = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=whole
    ).stdout
