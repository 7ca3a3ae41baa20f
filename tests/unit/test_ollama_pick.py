"""`pick_model`: which model is taken, and the one line that says so."""

import pytest

from ctxkit import run
from ctxkit.models import pick
from ctxkit.models.offline import OfflineModel
from ctxkit.models.ollama import OllamaModel
from ctxkit.models.pick import pick_model
from tests.histories import U
from tests.servers.ollama import Installed, OllamaServer
from tests.servers.script import HANG, Page, error

CHAT = Installed()
EMBEDDING = Installed(capabilities=("embedding",), family="nomic-bert")


@pytest.fixture(autouse=True)
def not_forced(monkeypatch):
    monkeypatch.delenv("CTXKIT_MODEL", raising=False)
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


def picked(capsys, models=None, pages=None, name=None, **options):
    with OllamaServer(models=models, pages=pages) as server:
        model = pick_model(name, host=server.url, **options)
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("Model: ")
    return model, line


def test_a_server_with_a_model_is_taken(capsys):
    with OllamaServer() as server:
        model = pick_model(host=server.url, num_ctx=4096)
        assert run(model.chat([U()])).message.content == "I read 3 words."
    assert isinstance(model, OllamaModel)
    said = f"Model: llama3.2:latest on Ollama at {server.url}, context window 4,096 tokens.\n"
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    ("models", "name"),
    [
        ({"qwen3:8b": CHAT, "llama3.2:latest": CHAT}, "llama3.2:latest"),
        ({"nomic-embed-text:latest": EMBEDDING, "qwen3:8b": CHAT}, "qwen3:8b"),
        ({"gpt-oss:120b-cloud": CHAT, "glm:cloud": CHAT, "qwen3:8b": CHAT}, "qwen3:8b"),
    ],
)
def test_which_of_several(capsys, models, name):
    model, line = picked(capsys, models)
    assert model.name == name
    assert name in line


def test_a_model_can_be_asked_for(capsys, monkeypatch):
    models = {"llama3.2:latest": CHAT, "qwen3:latest": CHAT, "glm:cloud": CHAT}
    assert picked(capsys, models, name="qwen3")[0].name == "qwen3"
    assert picked(capsys, models, name="glm:cloud")[0].name == "glm:cloud"
    monkeypatch.setenv("CTXKIT_MODEL", "qwen3")
    assert picked(capsys, models)[0].name == "qwen3"


@pytest.mark.parametrize(
    ("models", "pages", "name", "why"),
    [
        ({}, None, None, "ollama pull llama3.2"),
        ({"nomic:latest": EMBEDDING}, None, None, "ollama pull llama3.2"),
        ({"glm:cloud": CHAT}, None, None, "ollama pull llama3.2"),
        (None, None, "qwen3", "ollama pull qwen3"),
        (None, {"*": Page(502, "")}, None, "a proxy is probably in the way"),
        (None, {"*": Page(200, "<html>")}, None, "a proxy is probably in the way"),
        (None, {"*": Page(200, "null")}, None, "no reply of Ollama"),
    ],
)
def test_else_the_offline_reader_and_why(capsys, models, pages, name, why):
    model, line = picked(capsys, models, pages, name)
    assert isinstance(model, OfflineModel)
    assert line.startswith("Model: the offline reader. ")
    assert why in line


def test_a_model_that_cannot_be_shown_does_not_hide_the_others(capsys):
    class Server(OllamaServer):
        def _show(self, body):
            return error(500, "corrupt manifest") if body["model"] == "broken:1b" else super()._show(body)

    with Server(models={"broken:1b": CHAT, "qwen3:8b": CHAT}) as server:
        assert pick_model(host=server.url).name == "qwen3:8b"
    with Server(models={"broken:1b": CHAT}) as server:
        assert isinstance(pick_model(host=server.url), OfflineModel)
    assert "corrupt manifest" in capsys.readouterr().out


def test_a_list_of_an_old_server_has_names_only(capsys):
    page = Page(body={"models": [{"name": "llama3.2:latest"}, {"digest": "1f2e"}]})
    assert picked(capsys, pages={"/api/tags": page})[0].name == "llama3.2:latest"


def test_another_kind_of_server_is_said_to_be_one(capsys):
    model, line = picked(capsys, pages={"/api/tags": Page(404, {"detail": "Not Found"})})
    assert isinstance(model, OfflineModel) and "but no Ollama" in line


def test_a_server_that_hangs_is_not_waited_for(capsys, monkeypatch):
    monkeypatch.setattr(pick, "QUICK", 0.2)
    model, _ = picked(capsys, pages={"*": HANG})
    assert isinstance(model, OfflineModel)


def test_no_server(capsys, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    assert isinstance(pick_model(), OfflineModel)
    assert "No Ollama server answers at 127.0.0.1:1" in capsys.readouterr().out


def test_a_bad_variable_is_told_and_a_bad_argument_is_an_error(capsys, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "localhost:abc")
    assert isinstance(pick_model(), OfflineModel)
    assert "OLLAMA_HOST" in capsys.readouterr().out
    with pytest.raises(ValueError, match="host"):
        pick_model(host="localhost:abc")
    with pytest.raises(ValueError, match="num_ctx"):
        pick_model(num_ctx=0)


def test_offline_can_be_forced(capsys, monkeypatch):
    monkeypatch.setenv("CTXKIT_MODEL", "offline")
    with OllamaServer() as server:
        assert isinstance(pick_model(host=server.url), OfflineModel)
    assert capsys.readouterr().out == "Model: the offline reader (CTXKIT_MODEL=offline).\n"
    assert server.requests == []
