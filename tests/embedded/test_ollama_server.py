"""`OllamaModel` against an Ollama-compatible server with real tokens: what it reads, drops and reports."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from ctxkit import Message, OllamaModel, OllamaTruncation, load_sample, run
from ctxkit.models import errors
from ctxkit.models.embedded.files import model_file
from ctxkit.models.embedded.llama import open_llama
from tests.histories import A, S, U
from tests.servers.embedded import KEY, EmbeddedOllamaServer, Tokens

NAME = "smollm2:135m"
TALK = [S(), *load_sample("dolphins")]


@pytest.fixture(scope="module")
def llama(available):
    return open_llama(model_file(), 1024, KEY)


@pytest.fixture
def server(llama):
    with EmbeddedOllamaServer(llama) as running:
        yield running


class RealCounter:
    """A counter with the model's own tokens, in the shape of `TokenCounter`: a message by its template."""

    def __init__(self, llama):
        self._tokens = Tokens(llama)
        self._known = {}
        # The template puts a system prompt of its own before a first message of any other role, and leaves
        # the last message open where it is the assistant's: so each is counted between two others.
        self._base = self._of(S(), U())
        self._frame = self._base - self.count(S()) - self.count(U())

    def count(self, message):
        if message.digest not in self._known:
            self._known[message.digest] = self._of(S(), message, U()) - self._base
        return self._known[message.digest]

    def count_all(self, messages, tools=()):
        return self._frame + sum(self.count(message) for message in messages)

    def _of(self, *messages):
        return self._tokens.count([{"role": m.role, "content": m.content} for m in messages])


def chat(server, messages, num_ctx=2048, **options):
    model = OllamaModel(NAME, host=server.url, num_ctx=num_ctx, options=options or None)
    return run(model.chat(messages))


def test_the_runners_own_port_is_on_loopback_and_closed_by_its_key(llama):
    assert llama.listening_address.startswith("http://127.0.0.1:")
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(f"{llama.listening_address}/tokenize", b'{"content": "tide"}', timeout=30)
    assert refused.value.code == 401
    refused.value.close()


def test_a_count_is_what_the_model_has_read(server, llama):
    reply = chat(server, TALK[:4])
    assert reply.usage.prompt_tokens == RealCounter(llama).count_all(TALK[:4])
    assert 0 < reply.usage.completion_tokens <= 12
    assert reply.message.content and not any("of about" in note for note in reply.notes)


@pytest.mark.parametrize(("upto", "num_ctx"), [(12, 400), (20, 400), (20, 620), (40, 300)])
def test_after_a_cut_the_count_is_what_ollama_truncation_predicts(server, llama, upto, num_ctx):
    counter = RealCounter(llama)
    history = [*TALK[:upto], U("And what do they wear?")]
    predicted = run(OllamaTruncation(num_ctx, counter=counter).apply(history)).messages
    reply = chat(server, history, num_ctx)
    assert 1 < len(predicted) < len(history)
    assert reply.usage.prompt_tokens == counter.count_all(predicted) <= num_ctx
    assert [m["content"] for m in server.prompts[-1]] == [m.content for m in predicted]


def test_a_cut_is_noticed(server):
    reply = chat(server, [*TALK[:20], U("And what do they wear?")], 400)
    assert f"read {reply.usage.prompt_tokens:,} of about" in reply.notes[0]


def test_a_last_message_over_the_window_loses_half_of_it(server):
    reply = chat(server, [U("The tide turned at the old pier again. " * 60)], 256)
    assert reply.usage.prompt_tokens == 256 - (256 - 4) // 2
    assert reply.notes


def test_without_shift_it_is_refused_with_both_counts(llama):
    with EmbeddedOllamaServer(llama, shift=False) as server, pytest.raises(errors.WindowExceeded) as caught:
        chat(server, [U("The tide turned at the old pier again. " * 60)], 256)
    assert caught.value.limit == 256 < caught.value.tokens


def test_a_schema_holds_the_answer(server):
    import ollama

    schema = {
        "type": "object",
        "properties": {"animal": {"type": "string", "enum": ["dolphin", "octopus"]}},
        "required": ["animal"],
    }
    client = ollama.Client(server.url)
    try:
        made = client.chat(
            model=NAME,
            messages=[{"role": "user", "content": "Which animal has three hearts?"}],
            format=schema,
            options={"num_predict": 40},
        )
    finally:
        client.close()
    assert json.loads(made.message.content)["animal"] in ("dolphin", "octopus")


def test_the_client_reads_all_that_it_says(server):
    import ollama

    client = ollama.Client(server.url)
    try:
        assert [entry.model for entry in client.list().models] == [NAME]
        assert client.show(NAME).modelinfo["llama.context_length"] == 8192
        asked = {"model": NAME, "messages": [{"role": "user", "content": "Hi"}]}
        whole = client.chat(**asked, options={"num_ctx": 512})
        pieces = list(client.chat(**asked, options={"num_ctx": 512}, stream=True))
        assert "".join(part.message.content for part in pieces) == whole.message.content
        assert pieces[-1].done and pieces[-1].prompt_eval_count == whole.prompt_eval_count > 10
        assert [(entry.model, entry.context_length) for entry in client.ps().models] == [(NAME, 512)]
        with pytest.raises(ollama.ResponseError) as caught:
            client.chat(model="nothing", messages=asked["messages"])
        assert caught.value.status_code == 404
    finally:
        client.close()


def test_a_model_that_is_not_there_and_tools_are_named(server):
    with pytest.raises(errors.ModelNotPulled):
        run(OllamaModel("nothing", host=server.url).chat([U()]))
    clock = {"name": "clock", "parameters": {"type": "object", "properties": {}}}
    with pytest.raises(errors.ToolsNotSupported):
        run(OllamaModel(NAME, host=server.url).chat([U(), A(), Message.user("Time?")], [clock]))
