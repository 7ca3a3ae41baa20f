"""The lessons as a way of learning: the order of steps, and what each step owes the learner.

What a lesson must be as a file is in `tests/notebooks`.
"""

from __future__ import annotations

import builtins
import re
from typing import Any

import nbformat
import pytest

from ctxkit.exercises import catalog
from ctxkit.lessons import find_lesson

STEPS = [
    "Goals",
    "Get ready",
    "The question",
    "Predict",
    "Run",
    "Explore",
    "Explain",
    "Exercises",
    "When it breaks",
    "Recap",
    "Playground",
]

pytestmark = pytest.mark.parametrize("number", catalog.LESSONS)


def notebook(number: str) -> Any:
    return nbformat.read(find_lesson(number).path, as_version=4)


def texts(number: str) -> list[str]:
    return [cell.source for cell in notebook(number).cells if cell.cell_type == "markdown"]


def codes(number: str) -> list[Any]:
    return [cell for cell in notebook(number).cells if cell.cell_type == "code"]


def shown(cell: Any) -> str:
    """What stands under a cell, as text."""
    return "".join(
        output.text if output.output_type == "stream" else output.data["text/plain"]
        for output in cell.outputs
    )


def test_the_steps_come_in_their_order(number):
    headings = [line for text in texts(number) for line in text.splitlines() if line.startswith("#")]
    assert headings[0] == f"# {int(number)} · {find_lesson(number).title}"
    assert headings[1:] == [f"## {step}" for step in STEPS]


def test_the_title_card_tells_time_needs_and_that_it_works_offline(number):
    card = texts(number)[0]
    for words in (f"{find_lesson(number).minutes} minutes alone", "taught", "Needs: ", "Works offline: yes"):
        assert words in card


def test_three_goals_each_name_the_exercise_that_checks_them(number):
    [goals] = [text for text in texts(number) if text.startswith("## Goals")]
    lines = [line for line in goals.splitlines() if re.match(r"\d\. ", line)]
    assert len(lines) == 3
    named = [name for line in lines for name in re.findall(r"`(\d\d-[\w-]+)`", line)]
    assert all(re.search(r"`\d\d-[\w-]+`", line) for line in lines)
    assert set(named) == {exercise.id for exercise in catalog.lesson(number).exercises}


def test_every_exercise_is_asked_for_in_the_text_before_its_cell(number):
    cells = notebook(number).cells
    for exercise in catalog.lesson(number).exercises:
        [index] = [i for i, cell in enumerate(cells) if cell.source == exercise.cell(exercise.starter)]
        assert f"**{exercise.id}" in cells[index - 1].source
        assert ("starred" in cells[index - 1].source) == exercise.starred


def test_every_prediction_is_asked_for_once_and_before_the_answer_is_shown(number):
    asked = [
        found for cell in codes(number) for found in re.findall(r'predict\("(.*?)", \.\.\.\)', cell.source)
    ]
    assert asked == [question.id for question in catalog.lesson(number).questions]


def test_the_exercises_and_the_text_name_only_ids_that_exist(number):
    named = {name for text in texts(number) for name in re.findall(r'(?:hint|solution)\("(.*?)"\)', text)}
    assert named <= set(catalog.exercises())


def test_the_first_code_cell_says_what_to_do_when_the_kit_is_missing(number, monkeypatch):
    real = builtins.__import__

    def without_ctxkit(name, *arguments, **options):
        if name.split(".")[0] == "ctxkit":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without_ctxkit)
    with pytest.raises(SystemExit, match=r'%pip install "\.\.\[lab\]"'):
        exec(codes(number)[0].source, {})


def test_the_first_code_cell_prints_what_is_ready(number):
    assert shown(codes(number)[0]).startswith("Ready: ")


def test_outputs_hold_no_version_time_or_random_id(number):
    for cell in codes(number):
        assert not re.search(r"\d+\.\d+\.\d+|[0-9a-f]{12}|\d m?s\b", shown(cell))


def test_one_lab_is_there_to_explore_and_its_facts_stand_in_the_saved_file(number):
    cells = notebook(number).cells
    [index] = [i for i, cell in enumerate(cells) if "## Explore" in cell.source]
    lab = cells[index + 1]
    assert lab.cell_type == "code"
    assert len(shown(lab)) > 30
    assert "these three" in cells[index].source
    settings = [line for line in cells[index].source.splitlines() if re.match(r"\d\. ", line)]
    assert len(settings) == 3


def test_recap_asks_three_questions_and_answers_them(number):
    [recap] = [text for text in texts(number) if text.startswith("## Recap")]
    questions, answers = recap.split("<details>")
    for part in (questions, answers):
        assert len(re.findall(r"^\d\. ", part, re.MULTILINE)) == 3


def test_when_it_breaks_weighs_the_way(number):
    [breaks] = [text for text in texts(number) if text.startswith("## When it breaks")]
    for word in ("**For**", "**Against**", "**Best when**"):
        assert word in breaks
