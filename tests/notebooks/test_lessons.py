"""What every lesson must look like as a file; `make nbval` runs them."""

import builtins
import re
from functools import cache
from typing import Any

import nbformat
import pytest

from ctxkit.exercises import catalog
from ctxkit.lessons import Lesson, find_lessons

LESSONS = find_lessons()
every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=[lesson.name for lesson in LESSONS])

# What an output could only have from one machine or one run.
TRACES = re.compile(r"/tmp/|/home/|/root/|/Users/|C:\\\\|0x[0-9a-f]{6,}|ipykernel_\d+")


@cache
def read(lesson: Lesson) -> Any:
    return nbformat.read(lesson.path, as_version=4)


def cells(lesson: Lesson, kind: str) -> list[Any]:
    return [cell for cell in read(lesson).cells if cell.cell_type == kind]


def tagged(lesson: Lesson, tag: str) -> list[Any]:
    return [cell for cell in read(lesson).cells if tag in cell.metadata.get("tags", [])]


def outputs(lesson: Lesson) -> list[Any]:
    return [output for cell in cells(lesson, "code") for output in cell.outputs]


def printed(lesson: Lesson) -> str:
    texts = [
        output.text if "text" in output else output.data.get("text/plain", "") for output in outputs(lesson)
    ]
    return "\n".join(texts)


def sources(lesson: Lesson) -> str:
    return "\n".join(cell.source for cell in read(lesson).cells)


@every_lesson
def test_it_is_a_valid_small_notebook_for_the_usual_kernel(lesson: Lesson) -> None:
    notebook = read(lesson)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) >= (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    assert lesson.path.stat().st_size < 300_000


@every_lesson
def test_it_holds_text_outputs_and_no_state_of_widgets(lesson: Lesson) -> None:
    assert "widgets" not in read(lesson).metadata
    kinds = {kind for output in outputs(lesson) for kind in output.get("data", {})}
    assert len(printed(lesson)) > 200
    assert not [kind for kind in kinds if "widget" in kind]
    assert [
        output for output in outputs(lesson) if "data" in output and "text/plain" not in output.data
    ] == []


@every_lesson
def test_it_was_run_from_top_to_bottom_without_an_error(lesson: Lesson) -> None:
    code = cells(lesson, "code")
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert [output.output_type for output in outputs(lesson) if output.output_type == "error"] == []
    assert [output.text for output in outputs(lesson) if output.get("name") == "stderr"] == []


@every_lesson
def test_its_outputs_tell_nothing_about_the_machine(lesson: Lesson) -> None:
    assert TRACES.findall(printed(lesson)) == []


@every_lesson
def test_it_is_cut_into_24_to_34_short_cells(lesson: Lesson) -> None:
    long_code = [cell.source for cell in cells(lesson, "code") if len(cell.source.splitlines()) > 12]
    prose = [cell for cell in cells(lesson, "markdown") if "contents" not in cell.metadata.get("tags", [])]
    words = {cell.id: len(re.sub(r"\]\([^)]*\)", "]", cell.source).split()) for cell in prose}
    assert 24 <= len(read(lesson).cells) <= 34
    assert long_code == []
    assert {name: count for name, count in words.items() if count > 120} == {}


@every_lesson
def test_it_opens_with_its_title_and_time(lesson: Lesson) -> None:
    card = read(lesson).cells[0].source
    assert re.match(rf"# .*{re.escape(lesson.title)}\n", card)
    assert f"{lesson.minutes} min" in card


@every_lesson
def test_it_links_only_to_lessons_that_exist(lesson: Lesson) -> None:
    names = {other.name for other in LESSONS}
    links = re.findall(r"\]\(([^)\s]+)\)", "\n".join(cell.source for cell in cells(lesson, "markdown")))
    # Copies of the lessons lie beside each other, and nothing else of the repository lies beside them.
    inside = [link for link in links if not link.startswith(("https://", "#"))]
    assert inside
    assert [link for link in inside if link not in names] == []


@every_lesson
def test_it_leads_to_its_neighbours(lesson: Lesson) -> None:
    assert tagged(lesson, "navigation")


def test_the_first_lesson_holds_the_contents() -> None:
    assert len(tagged(LESSONS[0], "contents")) == 1


@every_lesson
def test_it_asks_every_exercise_and_prediction_of_its_number_with_the_starter_unsolved(
    lesson: Lesson,
) -> None:
    wanted = catalog.lesson(lesson.number)
    code = "\n".join(cell.source for cell in cells(lesson, "code"))
    assert len(wanted.exercises) >= 3
    assert [exercise.id for exercise in wanted.exercises if exercise.starter.strip() not in code] == []
    assert [exercise.id for exercise in wanted.exercises if f'check_answer("{exercise.id}"' not in code] == []
    assert [question.id for question in wanted.questions if f'predict("{question.id}"' not in code] == []


@every_lesson
def test_it_holds_no_line_of_a_solution(lesson: Lesson) -> None:
    text = sources(lesson) + printed(lesson)
    starters = {
        line.strip() for exercise in catalog.exercises().values() for line in exercise.starter.splitlines()
    }
    lines = {
        line.strip()
        for exercise in catalog.exercises()
        for line in catalog.find_solution(exercise).code.splitlines()
    }
    telling = {line for line in lines - starters if len(line) > 20}
    assert len(telling) > 5
    assert [line for line in telling if line in text] == []
    assert not re.search(
        r"^\s*(print\()?solution\(", "\n".join(c.source for c in cells(lesson, "code")), re.MULTILINE
    )


@every_lesson
def test_it_names_what_tells_how_far_one_is_and_imports_it(lesson: Lesson) -> None:
    assert f'progress("{lesson.number}")' in sources(lesson)
    imports = re.findall(r"from ctxkit\.exercises import (.+)", cells(lesson, "code")[0].source)
    assert "progress" in ", ".join(imports).split(", ")


@every_lesson
def test_its_hints_call_only_what_the_lesson_knows(lesson: Lesson) -> None:
    code = "\n".join(cell.source for cell in cells(lesson, "code"))
    hints = "\n".join(hint for exercise in catalog.lesson(lesson.number).exercises for hint in exercise.hints)
    called = re.findall(r"(?<![\w.])[A-Za-z_]\w*(?=\()", "\n".join(re.findall(r"`([^`]+)`", hints)))
    unknown = [name for name in called if not re.search(rf"\b{name}\b", code) and not hasattr(builtins, name)]
    assert unknown == []
