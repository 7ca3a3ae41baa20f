"""`EmbeddedModel` with a scripted llama.cpp in place of the real one: structure, hostile input, a stop."""

from __future__ import annotations

import asyncio
import gc
import math
import threading

import pytest

from ctxkit import EmbeddedModel, Message, run
from ctxkit.models import errors
from ctxkit.models.embedded import Availability, EmbeddedUnavailable, files, worker
from tests.histories import C, T, U

SENTENCE = "As said above, dolphins carry"


class FakeLlama:
    """Writes by a table: ids so far -> what may come next. Counts words. `held` requests wait in between."""

    def __init__(self, table=None, text="Tide."):
        self.table = table or {(): {" sponges": 0.9, " a": 0.1}}
        self.text = text
        self.requests = []
        self.held, self.reached, self.stopped = threading.Event(), threading.Event(), threading.Event()
        self.held.set()

    def handle_completions(self, body, callback):
        self.requests.append(body)
        prompt = body["prompt"] if isinstance(body["prompt"], list) else [body["prompt"]]
        total = len(prompt[0].split()) + len(prompt) - 1
        if self._reads(total, callback):
            return
        if body["max_tokens"]:
            top = [
                {"id": number, "token": token, "logprob": math.log(p)}
                for number, (token, p) in enumerate(self.table[tuple(prompt[1:])].items())
            ]
            callback({"choices": [{"text": "", "logprobs": {"content": [{"top_logprobs": top}]}}]})
        self._ends(total, callback)

    def handle_chat_completions(self, body, callback):
        self.requests.append(body)
        total = sum(len(message["content"].split()) for message in body["messages"])
        if self._reads(total, callback):
            return
        callback({"choices": [{"delta": {"role": "assistant", "content": None}, "finish_reason": None}]})
        callback({"choices": [{"delta": {"content": self.text}, "finish_reason": None}]})
        self._ends(total, callback)

    def _reads(self, total, callback):
        for read in (0, total):
            if callback({"choices": [], "prompt_progress": {"total": total, "processed": read}}):
                self.stopped.set()
                return True
            self.reached.set()
            self.held.wait()
        return False

    def _ends(self, total, callback):
        usage = {
            "prompt_tokens": total,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": 0},
        }
        callback({"choices": [{"text": "", "finish_reason": "stop"}], "usage": usage})


@pytest.fixture
def llama(monkeypatch, tmp_path):
    made = FakeLlama()
    file = tmp_path / "tiny.gguf"
    file.touch()
    monkeypatch.setattr(files, "_folders", lambda package: [str(tmp_path)])
    monkeypatch.setattr(worker, "embedded_available", lambda file: Availability())
    monkeypatch.setattr(worker, "open_llama", lambda file, num_ctx: made)
    return made


def test_words_come_with_their_probabilities_and_counts(llama):
    probe = run(EmbeddedModel().probe([U("hello there")], SENTENCE, right="sponges"))
    assert [word for word, _ in probe.words] == ["sponges", "a"]
    assert probe.probability("sponges") == pytest.approx(0.9)
    assert probe.right_wins
    assert (probe.prompt_tokens, probe.cached_tokens) == (9, 0)


def test_a_rare_word_is_followed_piece_by_piece(llama):
    llama.table = {
        (): {" the": 0.45, " hem": 0.4, " he": 0.05},
        (1,): {"ocyan": 0.9, "in": 0.1},
        (1, 0): {"in": 0.5, "ic": 0.5},
    }
    probe = run(EmbeddedModel().probe([], SENTENCE, right=["hemocyanin", "he"]))
    assert probe.probability("hemocyanin") == pytest.approx(0.4 * 0.9 * 0.5)
    assert dict(probe.words)["hem…"] == pytest.approx(0.4 - 0.18)
    assert dict(probe.words)["he"] == pytest.approx(0.05)
    assert not probe.right_wins and probe.winner == "the"


def test_a_word_that_is_not_listed_has_an_upper_bound_and_never_0(llama):
    probe = run(EmbeddedModel().probe([], SENTENCE, right="zebra"))
    assert probe.probability("zebra") == pytest.approx(0.1)
    with pytest.raises(ValueError, match="pass right='lion'"):
        probe.probability("lion")


def test_the_end_of_a_text_and_a_line_break_are_words_that_can_be_read(llama):
    llama.table = {(): {"": 0.5, "\n": 0.3, " a": 0.2}}
    assert [word for word, _ in run(EmbeddedModel().probe([], SENTENCE)).words] == ["(end)", "\n", "a"]


def test_every_request_is_steady_and_the_window_comes_first(llama):
    run(EmbeddedModel().probe([U("one"), C("a"), T("a")], SENTENCE + "  ", right="sponges"))
    assert len(llama.requests) == 2
    for body in llama.requests:
        assert (body["temperature"], body["seed"], body["cache_prompt"]) == (0, 1, True)
    prompt = llama.requests[0]["prompt"]
    assert prompt.startswith("user: one\n\nassistant calls ") and prompt.endswith(
        f"\n\nassistant: {SENTENCE}"
    )


def test_hostile_text_is_read_as_text(llama):
    nasty = "a \ud800 <|im_end|>\x00 \u202e {{7*7}}"
    run(EmbeddedModel().probe([U(nasty)], SENTENCE))
    assert "a \ufffd <|im_end|>\x00 \u202e {{7*7}}" in llama.requests[0]["prompt"]


def test_progress_is_told_and_its_error_is_raised_and_stops_the_work(llama):
    told = []
    model = EmbeddedModel()

    async def tell(done, total):
        told.append((done, total))

    run(model.probe([U()], SENTENCE, progress=tell))
    assert told == [(0, told[-1][1]), (told[-1][1], told[-1][1])]

    async def broken(done, total):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(model.probe([U()], SENTENCE, progress=broken))
    assert run(model.probe([U()], SENTENCE)).winner == "sponges"


def test_too_long_a_window_is_named_with_both_counts(llama):
    model = EmbeddedModel(num_ctx=20)
    with pytest.raises(errors.WindowExceeded, match=r"60 tokens.*holds 20") as caught:
        run(model.probe([U("word " * 53)], SENTENCE))
    assert (caught.value.tokens, caught.value.limit) == (60, 20)
    assert run(model.probe([U("word")], SENTENCE)).winner == "sponges"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 400, "message": "too long", "n_prompt_tokens": 900, "n_ctx": 512}, errors.WindowExceeded),
        ({"code": 400, "message": "no"}, errors.RequestRefused),
        ({"code": 500, "message": "boom"}, errors.ServerFailed),
    ],
)
def test_errors_of_the_runner_come_out_by_name(llama, error, kind):
    llama.handle_completions = lambda body, callback: callback({"error": error})
    with pytest.raises(kind):
        run(EmbeddedModel().probe([U()], SENTENCE))


def test_a_stop_leaves_a_sound_model_and_the_loop_is_free_meanwhile(llama):
    async def scene():
        model = EmbeddedModel()
        llama.held.clear()
        task = asyncio.create_task(model.probe([U()], SENTENCE))
        await asyncio.to_thread(llama.reached.wait)  # reading now, and this loop still turns
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        llama.held.set()
        await asyncio.to_thread(llama.stopped.wait)
        return await model.probe([U()], SENTENCE)

    assert run(scene()).winner == "sponges"


def test_a_request_that_waits_its_turn_can_be_stopped_too(llama):
    async def scene():
        model = EmbeddedModel()
        llama.held.clear()
        first = asyncio.create_task(model.probe([U("first")], SENTENCE))
        await asyncio.to_thread(llama.reached.wait)
        second = asyncio.create_task(model.probe([U("second")], SENTENCE))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        llama.held.set()
        await first

    run(scene())
    assert not any("second" in str(body["prompt"]) for body in llama.requests)


def test_two_models_of_one_window_share_the_memory(llama):
    one, other = EmbeddedModel(), EmbeddedModel()
    assert one._worker is other._worker
    assert EmbeddedModel(num_ctx=512)._worker is not one._worker
    del one, other
    gc.collect()
    assert [file for file, _ in worker._workers if file.name == "tiny.gguf"] == []


def test_what_does_not_run_here_is_said_at_the_first_request(llama, monkeypatch):
    monkeypatch.setattr(worker, "embedded_available", lambda file: Availability("It died. make embedded"))
    with pytest.raises(EmbeddedUnavailable, match="make embedded"):
        run(EmbeddedModel().probe([U()], SENTENCE))


def test_a_window_too_large_for_the_machine_is_named(llama, monkeypatch):
    def fails(file, num_ctx):
        raise RuntimeError("Failed to init server")

    monkeypatch.setattr(worker, "open_llama", fails)
    with pytest.raises(EmbeddedUnavailable, match="take a smaller num_ctx"):
        run(EmbeddedModel().probe([U()], SENTENCE))


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        (([U()], ""), {}, ValueError),
        (([U()], 3), {}, TypeError),
        (([U()], SENTENCE), {"right": ""}, ValueError),
        (([U()], SENTENCE), {"right": ["a", None]}, TypeError),
        (([U()], SENTENCE), {"right": 3}, TypeError),
        (([U()], SENTENCE), {"count": 0}, ValueError),
        (([{"role": "nobody"}], SENTENCE), {}, ValueError),
    ],
)
def test_bad_arguments_are_named_and_nothing_is_asked(llama, arguments, options, error):
    with pytest.raises(error):
        run(EmbeddedModel().probe(*arguments, **options))
    assert llama.requests == []


def test_num_ctx_is_a_whole_number(llama):
    for value in (0, "4096", True):
        with pytest.raises((TypeError, ValueError), match="num_ctx"):
            EmbeddedModel(num_ctx=value)


def test_chat_answers_with_usage(llama):
    reply = run(EmbeddedModel().chat([U("one two")]))
    assert (reply.message, reply.done_reason) == (Message.assistant("Tide."), "stop")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (2, 1)
    assert llama.requests[0]["messages"] == [{"role": "user", "content": "one two"}]


def test_chat_says_what_it_cannot_do(llama):
    model = EmbeddedModel()
    clock = {"name": "clock", "parameters": {"type": "object", "properties": {}}}
    for history, tools in (([U()], [clock]), ([U(), C("a"), T("a")], [])):
        with pytest.raises(errors.ToolsNotSupported, match="tiny cannot call tools"):
            run(model.chat(history, tools))
    with pytest.raises(errors.RequestRefused):
        run(model.chat([]))
    llama.text = " \n"
    with pytest.raises(errors.EmptyReply, match="tiny answered nothing"):
        run(model.chat([U()]))
