"""`notebooks/refresh.py` on two small lessons: what it writes and leaves out, and that it comes to rest."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from ctxkit.lessons import Lesson, find_lessons

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def refresh() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh", ROOT / "notebooks" / "refresh.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refreshing sets variables for the kernels it starts; this puts them back."""
    monkeypatch.setenv("CTXKIT_ANSWERS", "")


@pytest.fixture
def kit(tmp_path: Path) -> list[Lesson]:
    def write(name: str, title: str, cells: list[Any]) -> Lesson:
        notebook = new_notebook(cells=cells, metadata={"ctxkit": {"title": title, "minutes": 5}})
        nbformat.write(notebook, tmp_path / name)
        return Lesson(tmp_path / name, title, 5)

    links = new_markdown_cell("", metadata={"tags": ["navigation"]})
    table = new_markdown_cell("", metadata={"tags": ["contents"]})
    code = [
        new_code_cell("print(1, flush=True)\nprint(2)", metadata={"execution": {"iopub.status.busy": "now"}}),
        new_code_cell("import ipywidgets\nipywidgets.Label('drawn')"),
        new_code_cell("import os\nsorted(os.listdir('.')), os.environ['CTXKIT_MODEL']"),
    ]
    return [
        write("00_first.ipynb", "First", [new_markdown_cell("# First"), links, table]),
        write("01_second.ipynb", "Second", [links, *code]),
    ]


def read(lesson: Lesson) -> Any:
    return nbformat.read(lesson.path, as_version=4)


def test_links_and_contents_are_written_into_the_tagged_cells(
    refresh: ModuleType, kit: list[Lesson], settings: None
) -> None:
    assert refresh.out_of_date(kit) == ["00_first.ipynb", "01_second.ipynb"]
    assert refresh.refresh(kit, chosen=[])
    title, links, table = read(kit[0]).cells
    assert title.source == "# First"
    assert links.source == "[1 · Second](01_second.ipynb) →"
    assert "| [1 · Second](01_second.ipynb) | 5 |" in table.source
    assert read(kit[1]).cells[0].source == "← [0 · First](00_first.ipynb)"
    assert refresh.out_of_date(kit) == []


def test_a_run_keeps_the_text_outputs_and_nothing_of_this_machine(
    refresh: ModuleType, kit: list[Lesson], settings: None
) -> None:
    assert refresh.refresh(kit, chosen=["01"])
    notebook = read(kit[1])
    printed, widget, folder = (cell.outputs for cell in notebook.cells[1:])
    assert [output.text for output in printed] == ["1\n2\n"]
    assert [dict(output.data) for output in widget] == [{"text/plain": "Label(value='drawn')"}]
    assert folder[0].data["text/plain"] == "([], 'offline')"
    assert "widgets" not in notebook.metadata
    assert notebook.metadata.language_info == {"name": "python"}
    assert "execution" not in notebook.cells[1].metadata


def test_a_second_run_changes_nothing(refresh: ModuleType, kit: list[Lesson], settings: None) -> None:
    assert refresh.refresh(kit, chosen=["00", "01"])
    before = [lesson.path.read_bytes() for lesson in kit]
    assert refresh.refresh(kit, chosen=["00", "01"])
    assert [lesson.path.read_bytes() for lesson in kit] == before


def test_a_lesson_that_fails_stays_as_it_was_and_is_named(
    refresh: ModuleType, kit: list[Lesson], settings: None, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = read(kit[1])
    notebook.cells.append(new_code_cell("undefined_name"))
    nbformat.write(notebook, kit[1].path)
    before = kit[1].path.read_bytes()
    assert not refresh.refresh(kit, chosen=["01"])
    assert kit[1].path.read_bytes() == before
    out = capsys.readouterr().out
    assert "problem: 01_second.ipynb is left as it was." in out
    assert "undefined_name" in out


def test_the_lessons_of_the_kit_are_up_to_date(refresh: ModuleType) -> None:
    assert refresh.out_of_date(find_lessons()) == []


def test_missing_and_repeated_ids_are_filled_in_the_same_way_each_time(refresh: ModuleType) -> None:
    for _ in range(2):
        notebook = new_notebook(cells=[new_markdown_cell(), new_markdown_cell(), new_code_cell()])
        notebook.cells[0].id = notebook.cells[1].id = "twin"
        del notebook.cells[2]["id"]
        refresh.tidy(notebook)
        assert [cell.id for cell in notebook.cells] == ["twin", "cell-01", "cell-02"]
