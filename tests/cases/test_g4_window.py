"""Cases G4, Ollama: the window, its limits and counts (72, 73, 75, 83 and 92)."""

from __future__ import annotations

import pytest

from ctxkit import (
    HierarchicalMemory,
    KeepWithinTokens,
    MemoryStore,
    Message,
    SummarizeOldMessages,
    SummarizeToolResults,
    SummaryThread,
    Usage,
    run,
)
from ctxkit.models import errors
from ctxkit.models.ollama import OllamaModel
from tests.cases.ask_ollama import LONG, answered, refused
from tests.histories import A, C, S, T, U
from tests.servers.ollama import Installed, OllamaServer
from tests.servers.script import error, last, piece, says, stream


async def told(thread, text):
    return [event async for event in thread.send(text)]


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
        assert reply.prompt_cut
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
        whole = answered(says("Yes.", prompt_eval_count=5900), history=LONG)
        assert (whole.notes, whole.prompt_cut) == ((), False)
        assert answered(says("Yes.", prompt_eval_count=4600), history=LONG).notes == ()  # another vocabulary
        assert answered(says("Yes.", prompt_eval_count=9), history=[U("Hi")]).notes == ()

    def test_30_72_73_a_summary_of_a_request_that_the_server_cut_takes_nobodys_place(self):
        """The model holds 2,048 tokens though 8,192 are asked for: nothing of what was lost is folded."""
        small = {"models": {"llama3.2:latest": Installed(context_length=2048)}}
        talk = [Message(("user", "assistant")[i % 2], f"fact {i} " + "word " * 250) for i in range(30)]
        log = "\n".join(f"row {i} " + "ab " * 9 for i in range(1500))
        with OllamaServer("They spoke of words.", **small) as server:
            model = OllamaModel(host=server.url)
            old = run(SummarizeOldMessages(model).apply(talk))
            history = [U("Why?"), C("a"), T("a", log), A(), U("And now?")]
            results = run(SummarizeToolResults(model, 300, chunk_tokens=4000).apply(history))
            memory = HierarchicalMemory(model, 2, 12)
            added = [run(memory.add(f"fact {i} " + "word " * 300, "ok")) for i in range(12)][-1]
            thread = SummaryThread(model, MemoryStore(), "harbour", max_messages=6, keep=2)
            events = [event for i in range(4) for event in run(told(thread, f"fact {i} " + "word " * 900))]
        assert old.messages == talk and results.messages == history
        assert added.folded == 0 and len(memory.recent) + len(memory.pending) == 12
        assert len(thread.state.messages) == 8 and thread.state.summary == ""
        [event] = [event for event in events if event.kind == "error"]
        for failure in (old.error, results.error, added.error, event.error):
            assert isinstance(failure, errors.SummaryFailed)
            assert "never read its beginning" in str(failure) and "request_tokens" in str(failure)

    def test_30_72_with_what_the_advice_says_the_same_server_reads_all(self):
        small = {"models": {"llama3.2:latest": Installed(context_length=2048)}}
        talk = [Message(("user", "assistant")[i % 2], f"fact {i} " + "word " * 250) for i in range(30)]
        with OllamaServer("They spoke of words.", **small) as server:
            outcome = run(SummarizeOldMessages(OllamaModel(host=server.url), request_tokens=1500).apply(talk))
            read = str(server.prompts)
        assert outcome.error is None and len(outcome.messages) == 6
        assert all(f"fact {i} " in read for i in range(25))

    def test_83_87_a_summary_that_ended_at_a_limit_takes_nobodys_place(self):
        cut_off = stream(piece("They spoke of"), last(reason="length", prompt_eval_count=50, eval_count=3))
        talk = [Message(("user", "assistant")[i % 2], f"message {i}") for i in range(30)]
        with OllamaServer(cut_off) as server:
            outcome = run(SummarizeOldMessages(OllamaModel(host=server.url)).apply(talk))
        assert outcome.messages == talk
        assert "raise that limit (such as num_predict in options)" in str(outcome.error)

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
