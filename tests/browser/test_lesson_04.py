"""Lesson 4, "Summarizing tool results": the lab on a log that grows, and the lesson as a learner works it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .lab_contract import LabContract
from .layout import faults
from .lesson_page import LessonPage

TORN = """\
def cut(text, size):
    return [text[start:start + size] for start in range(0, len(text), size)]

check_answer("04-cut", cut)"""
WHOLE_LINES = """\
def cut(text, size):
    chunks = [""]
    for line in text.splitlines(keepends=True):
        if len(chunks[-1]) + len(line) > size:
            chunks.append("")
        chunks[-1] += line
    return chunks

check_answer("04-cut", cut)"""


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("04_summarizing_tool_results.ipynb")
    lesson.run_all()
    return lesson


class TestLab(LabContract):
    control = "up to message"


@pytest.mark.parametrize(
    ("size", "age", "upto", "verdict", "found"),
    [
        (2000, 0, 21, "Over the window. 0 of 5 tool results are shortened", "quotes message 21"),
        (400, 0, 21, "Fits. 5 of 5 tool results are shortened", "The answer is not in the messages"),
        (400, 1, 21, "Fits. 4 of 5 tool results are shortened", "quotes message 21"),
        (400, 1, 19, "Fits. 4 of 4 tool results are shortened", "The answer is not in the messages"),
    ],
)
def test_the_settings_to_try(
    lesson: LessonPage, size: int, age: int, upto: int, verdict: str, found: str
) -> None:
    lab = lesson.lab()
    lab.set("up to message", upto)
    lab.set("Shorten over", size)
    lab.set("Whole until", age)
    expect(lab.status).to_contain_text(verdict)
    expect(lab.status).to_contain_text(found)


def test_the_table_says_why_each_result_is_shortened_or_whole(lesson: LessonPage) -> None:
    lab = lesson.lab()
    lab.set("up to message", 21)
    lab.set("Shorten over", 600)
    lab.set("Whole until", 1)
    rows = lab.table.locator("tbody tr")
    expect(rows.nth(3)).to_contain_text("shortened")
    expect(rows.nth(3)).to_contain_text("a result of over 600 tokens")
    expect(rows.nth(9)).to_contain_text("short enough")
    expect(rows.nth(21)).to_contain_text("still fresh")


@pytest.mark.parametrize("width", [760, 1400, 1280])
def test_the_lab_fits_the_page(lesson: LessonPage, width: int) -> None:
    lab = lesson.lab()
    lesson.page.set_viewport_size({"width": width, "height": 1000})
    lab.expect_drawn()
    assert faults(lab.root) == []


def test_exercise_says_to_do_then_wrong_then_right(lesson: LessonPage) -> None:
    exercise = lesson.cell('check_answer("04-cut"')
    assert "To do" in lesson.output_text(exercise)
    assert lesson.run_cell(exercise, TORN).startswith(
        "✗ Not yet: A chunk of yours ends in the middle of a line."
    )
    assert lesson.run_cell(exercise, WHOLE_LINES).startswith("✓ Right")


def test_prediction_is_kept(lesson: LessonPage) -> None:
    prediction = lesson.cell('predict("04-calls"')
    assert "No prediction yet" in lesson.output_text(prediction)
    assert "You predict 5. It is kept" in lesson.run_cell(prediction, 'predict("04-calls", 5)')


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
