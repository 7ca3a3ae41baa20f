"""Lesson 3, "Discarding old messages": the lab on a talk with tools, and the lesson as a learner works it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .lab_contract import LabContract
from .lab_server import REPOSITORY
from .layout import faults
from .lesson_page import LessonPage

README_PICTURE = REPOSITORY / "docs" / "images" / "discarding_lab.png"

ALL_BUT_ZERO = """\
def last_messages(messages, keep):
    return messages[-keep:]

check_answer("03-last", last_messages)"""
FROM_THE_FRONT = """\
def last_messages(messages, keep):
    return messages[max(0, len(messages) - keep):]

check_answer("03-last", last_messages)"""


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("03_discarding_old_messages.ipynb")
    lesson.run_all()
    return lesson


class TestLab(LabContract):
    control = "up to message"


def test_a_typed_budget_need_not_keep_to_the_sliders_step(lesson: LessonPage) -> None:
    lab = lesson.lab()
    lab.set("up to message", 32)
    lab.set("Keep", 33)
    lab.set("budget", 293)
    expect(lab.status).to_contain_text("of the 293-token window")
    expect(lab.box("budget")).to_have_value("293")


@pytest.mark.parametrize(
    ("keep", "budget", "status"),
    [
        (3, 2000, "the first message sent is 28"),
        (33, 300, "the first message sent is 27"),
        (33, 40, "At least 64 tokens must be sent (messages 0, 32), but the budget is 40. Nothing is sent."),
    ],
)
def test_the_settings_to_try(lesson: LessonPage, keep: int, budget: int, status: str) -> None:
    lab = lesson.lab()
    lab.set("up to message", 32)
    lab.set("Keep", keep)
    lab.set("budget", budget)
    expect(lab.status).to_contain_text(status)


@pytest.mark.parametrize("width", [760, 1400, 1280])
def test_the_lab_fits_the_page(lesson: LessonPage, width: int) -> None:
    lab = lesson.lab()
    lab.set("Keep", 33)
    lab.set("budget", 300)
    lesson.page.set_viewport_size({"width": width, "height": 1000})
    lab.expect_drawn()
    assert faults(lab.root) == []


def test_picture_for_the_readme(lesson: LessonPage, tmp_path: Path) -> None:
    """Kept only when asked for, so that a run of the tests changes no file of the repository:
    `CTXKIT_README_PICTURE=1 python -m pytest tests/browser/test_lesson_03.py`.
    """
    path = README_PICTURE if os.environ.get("CTXKIT_README_PICTURE") else tmp_path / README_PICTURE.name
    lesson.page.set_viewport_size({"width": 1280, "height": 1400})
    lab = lesson.lab()
    lab.set("up to message", 32)
    lab.set("Keep", 12)
    lab.set("budget", 800)
    assert faults(lab.root) == []
    lab.status.click()  # so that nothing in the picture has the focus
    path.parent.mkdir(parents=True, exist_ok=True)
    lab.root.screenshot(path=path)
    picture = path.read_bytes()
    assert picture.startswith(b"\x89PNG")
    width, height = (int.from_bytes(picture[start : start + 4], "big") for start in (16, 20))
    assert width > 700
    assert height > 700


def test_exercise_says_to_do_then_wrong_then_right(lesson: LessonPage) -> None:
    exercise = lesson.cell('check_answer("03-last"')
    assert "To do" in lesson.output_text(exercise)
    wrong = lesson.run_cell(exercise, ALL_BUT_ZERO)
    assert wrong.startswith("✗ Not yet: With keep=0 your function gave messages back.")
    right = lesson.run_cell(exercise, FROM_THE_FRONT)
    assert right.startswith("✓ Right")


def test_prediction_and_answer_are_kept_over_a_restart(lesson: LessonPage) -> None:
    prediction = lesson.cell('predict("03-giant"')
    assert "No prediction yet" in lesson.output_text(prediction)
    assert "You predict 1. It is kept" in lesson.run_cell(prediction, 'predict("03-giant", 1)')
    lesson.restart_kernel()
    lesson.run_cell(lesson.cell("from ctxkit import"))
    playground = lesson.cell("KeepWithinTokens(500)")
    progress = lesson.run_cell(playground, 'progress("03")').splitlines()
    assert "  Prediction 03-giant: 1" in progress
    assert "  ✓ Right: 03-last" in progress


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
