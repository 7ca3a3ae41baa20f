"""The cells of lesson 8 that go live where an Ollama server answers: they explain themselves with any."""

from __future__ import annotations

import ast
import asyncio

import pytest

from ctxkit.lessons import find_lesson
from tests.servers.ollama import Installed, OllamaServer
from tests.servers.script import last, piece, stream

CALL = stream(
    piece(calls=[("calculator", {"expression": "200 * 0.15"})]), last(prompt_eval_count=120, eval_count=20)
)


def run_live(monkeypatch, capsys, host):
    """Run the lesson without its exercises, and give what its two live cells print."""
    monkeypatch.setenv("OLLAMA_HOST", host)
    monkeypatch.delenv("CTXKIT_MODEL", raising=False)
    notebook = pytest.importorskip("nbformat").read(find_lesson("08").path, as_version=4)
    names, printed = {}, []
    for cell in [cell for cell in notebook.cells if cell.cell_type == "code"]:
        if "check_answer(" in cell.source or "predict(" in cell.source:
            continue
        code = compile(cell.source, cell.id, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        capsys.readouterr()
        waiting = eval(code, names)
        if asyncio.iscoroutine(waiting):
            asyncio.run(waiting)
        if "live" in cell.metadata.get("tags", []):
            printed.append(capsys.readouterr().out)
    return printed


def test_with_a_server_the_cut_is_told_and_the_tool_is_called(monkeypatch, capsys):
    with OllamaServer("I see no relay.", CALL, "It is 30.", "ines.okafor.") as server:
        first, second = run_live(monkeypatch, capsys, server.url)
        assert [chat["options"]["num_ctx"] for chat in server.chats] == [2048] * len(server.chats)
    assert "on Ollama at" in first
    assert "I see no relay." in first and "['user', 'assistant', 'tool', 'assistant'] It is 30." in first
    assert second == "ines.okafor.\n"


def test_with_a_model_that_has_no_tools_the_cells_say_so(monkeypatch, capsys):
    with OllamaServer("Hello.", models={"tiny:latest": Installed(capabilities=("completion",))}) as server:
        first, second = run_live(monkeypatch, capsys, server.url)
    assert "ToolsNotSupported: 'tiny:latest' cannot call tools." in first
    assert second.startswith("ToolsNotSupported: ")


def test_without_a_server_the_offline_reader_answers(monkeypatch, capsys):
    first, second = run_live(monkeypatch, capsys, "http://127.0.0.1:1")
    assert first.startswith("Model: the offline reader. No Ollama server answers")
    assert "relay-3" in first and "ines.okafor" in second
