"""Brings the lessons of this folder up to date: links, contents, outputs. Run by `make notebooks`.

    python notebooks/refresh.py            every lesson
    python notebooks/refresh.py 03         links and contents everywhere, outputs of lesson 03 only
    python notebooks/refresh.py --check    change nothing; exit code 1 if links or contents are out of date

What a lesson says about itself is in its metadata: `"ctxkit": {"title": "Counting tokens", "minutes": 30}`.
Two kinds of text cells are written here, found by their tag: `navigation` (previous and next lesson) and
`contents` (the table of lessons).

Contract: a second run changes nothing. A lesson runs with the offline model in an empty folder, so that no
old answer gets in. It is saved only if no cell fails, and without the state of widgets, run times and the
version of this machine's Python.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

from ctxkit.lessons import Lesson, find_lessons

CELL_SECONDS = 60
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

Notebook = Any  # nbformat's NotebookNode, a dict whose keys are attributes too


# --- links and contents ---------------------------------------------------------------------------


def label(lesson: Lesson) -> str:
    """How a lesson is called in links: `3 · Discarding old messages`."""
    return f"{int(lesson.number)} · {lesson.title}"


def navigation(lessons: Sequence[Lesson], index: int) -> str:
    """One line with links to the lesson before, the contents, and the lesson after."""
    links: list[str] = []
    if index > 0:
        before = lessons[index - 1]
        links.append(f"← [{label(before)}]({before.name})")
    if index > 1:
        links.append(f"[Contents]({lessons[0].name})")
    if index + 1 < len(lessons):
        after = lessons[index + 1]
        links.append(f"[{label(after)}]({after.name}) →")
    return " | ".join(links)


def contents(lessons: Sequence[Lesson]) -> str:
    """The table of all lessons but the first, which holds it."""
    rows = [f"| [{label(lesson)}]({lesson.name}) | {lesson.minutes} |" for lesson in lessons[1:]]
    return "\n".join(["| Lesson | Minutes |", "|---|---|", *rows])


def renew_text(notebook: Notebook, lessons: Sequence[Lesson], index: int) -> None:
    """Write the tagged text cells of the lesson at `index`."""
    texts = {"navigation": navigation(lessons, index), "contents": contents(lessons)}
    for cell in notebook.cells:
        for tag in cell.metadata.get("tags", []):
            cell.source = texts.get(tag, cell.source)


# --- outputs --------------------------------------------------------------------------------------


def execute(notebook: Notebook) -> None:
    """Run all cells in a new kernel and an empty folder; raises nbclient's errors when a cell fails."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(CTXKIT_MODEL="offline", CTXKIT_ANSWERS=str(Path(folder, "answers.json")))
        NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name=KERNEL["name"],
            record_timing=False,
            resources={"metadata": {"path": folder}},
        ).execute()


def tidy(notebook: Notebook) -> None:
    """Keep what reads the same on every machine: the text of the outputs, the ids, the name of the kernel."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata.kernelspec = dict(KERNEL)
    notebook.metadata.language_info = {"name": "python"}
    _fix_ids(notebook.cells)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = list(_texts(cell.outputs))


def _texts(outputs: Sequence[Notebook]) -> Iterator[Notebook]:
    """The outputs without live views; pieces of printed text, whose number depends on timing, become one."""
    printed: Notebook | None = None
    for output in outputs:
        if output.output_type == "stream":
            if printed is not None and printed.name == output.name:
                printed.text += output.text
                continue
            printed = output
        else:
            printed = None
            if "data" in output:
                output.data.pop(WIDGET_VIEW, None)
                if not output.data:
                    continue
        yield output


def _fix_ids(cells: Sequence[Notebook]) -> None:
    """Give a cell whose id is missing or taken one that is the same in every run."""
    seen: set[str] = set()
    for index, cell in enumerate(cells):
        if cell.get("id") is None or cell.id in seen:
            cell.id = f"cell-{index:02}"
        seen.add(cell.id)


# --- the command ----------------------------------------------------------------------------------


def read(path: Path) -> Notebook:
    """The notebook at `path` in the current format."""
    return nbformat.read(path, as_version=4)


def out_of_date(lessons: Sequence[Lesson]) -> list[str]:
    """The names of the lessons whose links or contents have to be renewed."""
    names: list[str] = []
    for index, lesson in enumerate(lessons):
        notebook = read(lesson.path)
        before = [cell.source for cell in notebook.cells]
        renew_text(notebook, lessons, index)
        if before != [cell.source for cell in notebook.cells]:
            names.append(lesson.name)
    return names


def refresh(lessons: Sequence[Lesson], chosen: Sequence[str]) -> bool:
    """Renew all texts and the outputs of the chosen lessons; a lesson that fails stays as it was (False)."""
    good = True
    for index, lesson in enumerate(lessons):
        notebook = read(lesson.path)
        renew_text(notebook, lessons, index)
        if lesson.number in chosen:
            print(f"running {lesson.name} ...", flush=True)
            try:
                execute(notebook)
            except (CellExecutionError, CellTimeoutError) as error:
                print(f"problem: {lesson.name} is left as it was.\n{error}")
                good = False
                continue
        tidy(notebook)
        text = nbformat.writes(notebook).rstrip("\n") + "\n"
        if text != lesson.path.read_text(encoding="utf-8"):
            lesson.path.write_text(text, encoding="utf-8", newline="\n")
            print(f"  {lesson.name} has changed")
    return good


def main() -> int:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(description="Bring the lessons up to date.")
    parser.add_argument("lesson", nargs="*", help="run only these, such as 03; by default all")
    parser.add_argument("--check", action="store_true", help="only say if links and contents are up to date")
    arguments = parser.parse_args()
    lessons = find_lessons()
    if arguments.check:
        stale = out_of_date(lessons)
        for name in stale:
            print(f"out of date: {name} (make notebooks)")
        return 1 if stale else 0
    chosen = arguments.lesson or [lesson.number for lesson in lessons]
    return 0 if refresh(lessons, chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
