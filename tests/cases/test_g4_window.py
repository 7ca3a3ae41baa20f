"""Cases G4, Ollama: the window, its limits and counts (72, 73, 75, 83 and 92)."""

from __future__ import annotations

import pytest

from ctxkit import (
    KeepWithinTokens,
    Usage,
    run,
)
from ctxkit.models import errors
from ctxkit.models.ollama import OllamaModel
from tests.cases.ask_ollama import LONG, answered, refused
from tests.histories import S, U
from tests.servers.ollama import Installed, OllamaServer
from tests.servers.script import error, last, says, stream


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
