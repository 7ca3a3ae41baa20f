"""`OllamaModel` and its parts beyond the cases: settings, loops, errors as values, what a cut looks like."""

import asyncio
import copy
import pickle
import subprocess
import sys

import pytest

from ctxkit import run
from ctxkit.models import ChatModel, ModelError, errors
from ctxkit.models.base import model_key
from ctxkit.models.ollama import OllamaModel
from ctxkit.models.ollama.cuts import PromptSizes
from tests.histories import S, U
from tests.servers.ollama import Installed, OllamaServer
from tests.servers.script import HANG, Page, error, last, piece, says, stream


def test_it_is_a_chat_model_with_a_name_and_a_window():
    model = OllamaModel("qwen3:8b", num_ctx=4096)
    assert isinstance(model, ChatModel)
    assert model_key(model) == "OllamaModel qwen3:8b"
    assert model.num_ctx == 4096


def test_nothing_is_loaded_and_no_socket_opened_before_the_first_request():
    code = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(event) if event.startswith("socket.") else None)
from ctxkit.models import pick
from ctxkit.models.ollama import OllamaModel
OllamaModel("llama3.2")
print([m for m in ("ollama", "httpx", "pydantic", "anyio", "jinja2") if m in sys.modules], opened)
"""
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout == "[] []\n"


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"name": 5}, TypeError),
        ({"num_ctx": 0}, ValueError),
        ({"num_ctx": "8192"}, TypeError),
        ({"timeout": 0}, ValueError),
        ({"timeout": None}, TypeError),
        ({"total_timeout": float("inf")}, ValueError),
        ({"options": {"stop": {1}}}, TypeError),
    ],
)
def test_other_settings_are_refused(options, kind):
    with pytest.raises(kind):
        OllamaModel(**options)


def test_options_and_thinking_are_sent():
    with OllamaServer() as server:
        options = {"seed": 7, "stop": ["END"]}
        run(OllamaModel(host=server.url, options=options, think=True).chat([U()]))
    assert server.chats[0]["options"] == {"seed": 7, "stop": ["END"], "num_ctx": 8192}
    assert server.chats[0]["think"] is True


def test_one_model_serves_two_event_loops_and_many_requests_at_once():
    with OllamaServer() as server:
        model = OllamaModel(host=server.url)

        async def several():
            return await asyncio.gather(*(model.chat([U(f"tide {i}")]) for i in range(5)))

        replies = [*run(several()), *asyncio.run(several())]
    assert len(replies) == len(server.chats) == 10


def test_a_failure_is_forgotten_by_the_next_request():
    with OllamaServer(error(500, "out of memory"), "Low tide.") as server:
        model = OllamaModel(host=server.url)
        with pytest.raises(errors.ServerFailed, match="out of memory"):
            run(model.chat([U()]))
        assert run(model.chat([U()])).message.content == "Low tide."


def test_a_structured_refusal_gives_its_numbers():
    """As the runner writes it."""
    body = {
        "error": {
            "message": "the request exceeds the available context size, try increasing it",
            "n_prompt_tokens": 5120,
            "n_ctx": 4096,
        }
    }
    with OllamaServer(Page(400, body)) as server, pytest.raises(errors.WindowExceeded) as caught:
        run(OllamaModel(host=server.url).chat([U()]))
    assert (caught.value.tokens, caught.value.limit) == (5120, 4096)


def test_a_hanging_side_question_does_not_lose_the_reply(monkeypatch):
    monkeypatch.setattr("ctxkit.models.ollama.model.SIDE_QUESTION", 0.2)
    history = [S("lantern " * 9000), U()]
    with OllamaServer(says("Yes.", prompt_eval_count=4000), pages={"/api/ps": HANG}) as server:
        reply = run(OllamaModel(host=server.url).chat(history))
    assert reply.message.content == "Yes."
    assert "window of 8,192 tokens" in reply.notes[0]


def test_a_key_that_is_wanted_is_named():
    server = OllamaServer(error(401, "unauthorized"))
    with server, pytest.raises(errors.ServerFailed, match="OLLAMA_API_KEY"):
        run(OllamaModel(host=server.url).chat([U()]))


def test_a_hostile_page_is_one_short_line():
    server = OllamaServer(error(500, "x\n" * 10_000))
    with server, pytest.raises(errors.ServerFailed) as caught:
        run(OllamaModel(host=server.url).chat([U()]))
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


def test_lengths_of_a_model_that_is_not_there():
    with OllamaServer() as server, pytest.raises(errors.ModelNotPulled, match="'nothing'"):
        run(OllamaModel("nothing", host=server.url).context_lengths())


@pytest.mark.parametrize(
    "raised",
    [
        errors.ReplyCutShort("It broke off.", partial="The tide", thinking="Hm"),
        errors.WindowExceeded("Too long.", tokens=5, limit=4),
        errors.ServerFailed("Failed.", status=500, partial="x"),
        errors.BadAddress("Bad."),
        errors.SummaryFailed("the reply was empty"),
    ],
)
def test_errors_are_values(raised):
    for other in (pickle.loads(pickle.dumps(raised)), copy.copy(raised)):  # our own bytes
        assert isinstance(other, ModelError)
        assert (type(other), str(other), vars(other)) == (type(raised), str(raised), vars(raised))


class TestSizes:
    @pytest.mark.parametrize(
        ("sent", "read", "window"),
        [
            (6000, 2050, 4096),
            (4200, 2050, 4096),
            (3900, 2048, 4096),
            (5000, 4000, 4096),
            (20_000, 8000, 8192),
        ],
    )
    def test_a_cut_is_noted(self, sent, read, window):
        note = PromptSizes(sent, read).cut_note(window)
        assert f"read {read:,} of about {sent:,} tokens" in note

    @pytest.mark.parametrize(
        ("sent", "read", "window"),
        [
            (6000, None, 4096),
            (3000, 2900, 4096),
            (3000, 2200, 4096),  # a denser vocabulary
            (3000, 4000, 4096),  # a coarser one
            (1000, 30, 4096),  # an old server, which counts only what its cache does not hold
            (4200, 4000, 4096),
        ],
    )
    def test_what_something_else_explains_is_not(self, sent, read, window):
        assert PromptSizes(sent, read).cut_note(window) is None

    def test_a_guess_needs_more(self):
        assert PromptSizes(5000, 3000, exact=False).cut_note(4096) is None
        assert PromptSizes(9000, 3000, exact=False).cut_note(4096) is not None


class TestServer:
    """The test server keeps the protocol, or the tests above prove nothing."""

    def test_streamed_or_not_the_reply_is_the_same(self):
        import ollama

        script = stream(piece("Low "), piece("tide", [("clock", {})]), last(prompt_eval_count=7))
        with OllamaServer(script) as server:
            client = ollama.Client(server.url)
            whole = client.chat(model="llama3.2", messages=[{"role": "user", "content": "Hi"}])
            client.close()
            reply = run(OllamaModel(host=server.url).chat([U()]))
        assert whole.message.content == reply.message.content == "Low tide"
        assert whole.message.tool_calls[0].function.name == reply.message.tool_calls[0].name
        assert whole.prompt_eval_count == reply.usage.prompt_tokens == 7

    def test_it_lists_what_it_has_and_shows_it(self):
        import ollama

        with OllamaServer(models={"phi:latest": Installed(2048, ("completion",), "phi2")}) as server:
            client = ollama.Client(server.url)
            assert [m.model for m in client.list().models] == ["phi:latest"]
            assert client.show("phi").modelinfo["phi2.context_length"] == 2048
            assert client.show("phi").capabilities == ["completion"]
            assert client.ps().models == []
            client.close()

    def test_it_is_gone_when_its_block_ends(self):
        with OllamaServer() as server:
            url = server.url
        with pytest.raises(errors.ServerNotRunning):
            run(OllamaModel(host=url).chat([U()]))

    def test_a_fault_of_its_own_is_not_hidden(self):
        server = OllamaServer(count=lambda messages, tools: 1 // 0)
        with pytest.raises(ZeroDivisionError), server, pytest.raises(errors.ReplyCutShort):
            run(OllamaModel(host=server.url).chat([U()]))
