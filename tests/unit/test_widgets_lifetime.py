"""What a cell built is closed when the cell runs again, with all its parts; importing builds nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from ipywidgets.widgets.widget import _instances

import ctxkit
from ctxkit.widgets import (
    DiscardingLab,
    Job,
    MessageList,
    OldMessagesLab,
    PipelineLab,
    TokenUsageChart,
    TokenView,
    ToolResultsLab,
    lifetime,
)
from tests.histories import A, U


async def nothing(progress):
    return "Nothing was done."


MAKERS = {
    "lab": lambda: DiscardingLab([U(), A(), U()], keep=1),
    "old messages": lambda: OldMessagesLab([U(), A(), U()], question="Why?"),
    "tool results": lambda: ToolResultsLab([U(), A(), U()], question="Why?"),
    "pipeline": lambda: PipelineLab([U(), A(), U()], question="Why?"),
    "job": lambda: Job("Nothing", nothing),
    "chart": lambda: TokenUsageChart(limit=50),
    "list": lambda: MessageList([U(), A()]),
    "view": lambda: TokenView("hi"),
}
every_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.fixture
def notebook(monkeypatch):
    """A stand-in for the running cell: `notebook.run(cell, code)` is one run of a cell."""

    class Notebook:
        runs = 0
        now = None

        def run(self, cell, *makers):
            self.runs += 1
            self.now = (cell, self.runs)
            return [make() for make in makers]

    book = Notebook()
    monkeypatch.setattr(lifetime, "_cell", lambda: book.now)
    return book


def alive(*shown):
    return [one.widget.comm is not None for one in shown]


@every_maker
def test_ten_runs_of_a_cell_leave_one_behind(notebook, make):
    notebook.run("a", make)
    first = len(_instances)
    for _ in range(9):
        notebook.run("a", make)
    assert len(_instances) == first


@every_maker
def test_closing_leaves_nothing(make):
    before = set(_instances)
    make().close()
    assert set(_instances) <= before


def test_all_that_one_run_built_lives_together(notebook):
    pair = notebook.run("a", MAKERS["lab"], MAKERS["lab"])
    other = notebook.run("b", MAKERS["chart"])
    assert alive(*pair, *other) == [True, True, True]
    new = notebook.run("a", MAKERS["view"])
    assert alive(*pair, *other, *new) == [False, False, True, True]


def test_outside_a_notebook_nothing_closes_by_itself():
    charts = [TokenUsageChart() for _ in range(3)]
    assert alive(*charts) == [True, True, True]


def test_a_closed_lab_can_be_closed_again_and_still_tells_what_it_showed():
    lab = MAKERS["lab"]()
    status = lab.status
    lab.close()
    lab.close()
    assert lab.status == status and status in repr(lab)


def test_importing_builds_nothing_and_loads_no_widget_library():
    code = """
import sys
import ctxkit.widgets
print(*[name for name in ("ipywidgets", "plotly", "anywidget", "IPython", "comm") if name in sys.modules])
import ctxkit.widgets.call_bars, ctxkit.widgets.controls, ctxkit.widgets.pages
from ipywidgets.widgets.widget import _instances
print(len(_instances))
"""
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.splitlines() == ["", "0"]


def test_the_core_knows_no_widgets():
    root = Path(ctxkit.__file__).parent
    for path in root.rglob("*.py"):
        if "widgets" in path.relative_to(root).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported = {part for name in names for part in name.split(".")}
            assert imported.isdisjoint({"ipywidgets", "plotly", "anywidget"}), path
            assert "widgets" not in imported or path == root / "__init__.py", path
