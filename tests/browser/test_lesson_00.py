"""Lesson 0, "Start here": the first lab, on the long conversation."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .lab_contract import LabContract
from .lesson_page import LessonPage

IN, OUT = "is in the window", "is no longer in the window"


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("00_start_here.ipynb")
    lesson.run_all()
    return lesson


class TestLab(LabContract):
    control = "Keep"


@pytest.mark.parametrize(
    ("keep", "budget", "upto", "answer"),
    [
        (38, 4000, 40, OUT),
        (40, 4000, 40, IN),
        (41, 2000, 40, OUT),
        (10, 4000, 4, IN),
        (10, 4000, 40, OUT),
    ],
)
def test_the_settings_to_try(lesson: LessonPage, keep: int, budget: int, upto: int, answer: str) -> None:
    lab = lesson.lab()
    lab.set("Keep", keep)
    lab.set("budget", budget)
    lab.set("up to message", upto)
    expect(lab.status).to_contain_text(answer)


def test_running_the_cell_again_replaces_the_lab(lesson: LessonPage) -> None:
    lesson.run_cell(lesson.cell("DiscardingLab(chat"))
    lesson.lab().expect_drawn()
    expect(lesson.page.get_by_role("slider")).to_have_count(3)
    expect(lesson.page.locator(".js-plotly-plot")).to_have_count(1)


def test_doctor_finds_no_problem(lesson: LessonPage) -> None:
    report = lesson.output_text(lesson.cell("doctor()")).splitlines()
    assert len(report) > 3
    assert all(line.startswith("ok") for line in report), report


def test_jupyterlab_asks_nothing(lesson: LessonPage) -> None:
    expect(lesson.page.locator(".Toastify__toast, .jp-Dialog")).to_have_count(0)


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
