"""The cells of lesson 9 that read a learner's own file, whatever is in it and however its path is written."""

from __future__ import annotations

import ast
import asyncio
import json
from pathlib import Path

import pytest

from ctxkit.lessons import find_lesson

KIT = "broken_transcript()  # yours: "
LIMIT = "limit = 160"
CHAT = [
    {"role": role, "content": f"Tide {n} comes at noon."} for n in range(16) for role in ("user", "assistant")
]


@pytest.fixture
def own_cells(capsys, tmp_path, monkeypatch):
    """Run the two cells with `path` and `limit` as a learner would write them; give what they print."""
    monkeypatch.chdir(tmp_path)
    notebook = pytest.importorskip("nbformat").read(find_lesson("09").path, as_version=4)
    sources = {cell.id: cell.source for cell in notebook.cells}
    assert KIT in sources["09-own"] and LIMIT in sources["09-own-compare"]

    def run(path: str, limit: int = 160) -> str:
        names: dict[str, object] = {"Path": Path}
        exec(sources["09-setup"] + "\nprices = Pricing.of_an_example()", names)
        capsys.readouterr()
        own = sources["09-own"].replace(KIT, f"{path}  # ")
        compare = sources["09-own-compare"].replace(LIMIT, f"limit = {limit}")
        exec(own, names)
        asyncio.run(eval(compile(compare, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names))
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("path", ['"my_chat.json"', 'Path("my_chat.json")'])
class TestAPath:
    def test_a_sound_file_is_compared_in_a_window_that_is_named(self, own_cells, path):
        Path("my_chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
        refused = {}
        for limit in (160, 2048):
            [everything] = [line for line in own_cells(path, limit).splitlines() if line.startswith("send")]
            refused[limit] = int(everything.split()[5])
        assert refused[160] > 5
        assert refused[2048] == 0

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ('[{"role": "user"', "messages: broken JSON at line 1"),
            ('[{"role": "assistent", "content": "Hi"}]', "messages[0].role: unknown role 'assistent'"),
            ("User: Hi", "messages: this is plain text"),
            (None, "my_chat.json"),
        ],
    )
    def test_a_missing_or_faulty_file_is_one_line(self, own_cells, path, content, says):
        if content is not None:
            Path("my_chat.json").write_text(content, encoding="utf-8")
        told = own_cells(path)
        assert len(told.splitlines()) == 1 and says in told


def test_the_file_of_the_kit_is_mended_and_compared(own_cells):
    told = own_cells("broken_transcript()")
    assert "messages[4].role: unknown role 'assistent'" in told and "unanswered_call" in told
    assert "shorten tool results" in told
