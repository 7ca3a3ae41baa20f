"""Lesson 7, "Hierarchical memory": the lab on a hundred turns, and the lesson as a learner works it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .lab_contract import LabContract
from .layout import faults
from .lesson_page import LessonPage

TAKES_ALL = """\
def split_turns(turns, window_size, summary_threshold):
    if len(turns) < summary_threshold:
        return [], turns
    return turns[:-window_size], turns[-window_size:]

check_answer("07-split", split_turns)"""
FROM_THE_FRONT = """\
def split_turns(turns, window_size, summary_threshold):
    cut = len(turns) - window_size if len(turns) >= summary_threshold else 0
    return turns[:cut], turns[cut:]

check_answer("07-split", split_turns)"""


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("07_hierarchical_memory.ipynb")
    lesson.run_all()
    return lesson


class TestLab(LabContract):
    control = "Turns so far"


@pytest.mark.parametrize(
    ("turns", "window", "threshold", "status"),
    [
        (
            29,
            10,
            30,
            "10 recent, 19 pending, 0 in the summary (0 model calls). The guide's rule: 10 recent, 0 in",
        ),
        (
            30,
            10,
            30,
            "10 recent, 0 pending, 20 in the summary (1 model call). The guide's rule: 10 recent, 0 in",
        ),
        (100, 10, 30, "10 recent, 10 pending, 80 in the summary (4 model calls)."),
        (100, 10, 11, "10 recent, 0 pending, 90 in the summary (90 model calls)."),
        (100, 0, 1, "0 recent, 0 pending, 100 in the summary (100 model calls)."),
    ],
)
def test_the_settings_to_try(
    lesson: LessonPage, turns: int, window: int, threshold: int, status: str
) -> None:
    lab = lesson.lab()
    lab.set("Turns so far", turns)
    lab.set("Window", window)
    lab.set("threshold", threshold)
    expect(lab.status).to_contain_text("Nothing is lost.")
    expect(lab.status).to_contain_text(status)


def test_a_window_that_reaches_the_threshold_moves_it_along(lesson: LessonPage) -> None:
    lab = lesson.lab()
    lab.set("Window", 40)
    expect(lab.box("threshold")).to_have_value("41")
    expect(lab.status).to_contain_text("Nothing is lost.")


def test_the_chart_names_every_tier_and_what_the_guides_rule_lost(lesson: LessonPage) -> None:
    lab = lesson.lab()
    for label, value in (("Turns so far", 100), ("Window", 10), ("threshold", 30)):
        lab.set(label, value)
    for tier in ("summary", "pending", "recent", "lost"):
        expect(lab.plot.locator(".legend").get_by_text(tier, exact=True)).to_be_visible()
    expect(lab.plot.locator(".gtitle")).to_contain_text("80 of 100 turns lost by the guide's rule")


@pytest.mark.parametrize("width", [760, 1400, 1280])
def test_the_lab_fits_the_page(lesson: LessonPage, width: int) -> None:
    lab = lesson.lab()
    lab.set("Window", 10)
    lab.set("threshold", 30)
    lesson.page.set_viewport_size({"width": width, "height": 1000})
    lab.expect_drawn()
    assert faults(lab.root) == []


def test_exercise_says_to_do_then_wrong_then_right(lesson: LessonPage) -> None:
    exercise = lesson.cell('check_answer("07-split"')
    assert "To do" in lesson.output_text(exercise)
    wrong = lesson.run_cell(exercise, TAKES_ALL)
    assert wrong.startswith("✗ Not yet: With a window of no turns all of them must go.")
    assert lesson.run_cell(exercise, FROM_THE_FRONT).startswith("✓ Right")


def test_prediction_and_answer_are_kept_over_a_restart(lesson: LessonPage) -> None:
    prediction = lesson.cell('predict("07-lost"')
    assert "You predict 60. It is kept" in lesson.run_cell(prediction, 'predict("07-lost", 60)')
    lesson.restart_kernel()
    lesson.run_cell(lesson.cell("from ctxkit import HierarchicalMemory"))
    playground = lesson.cell("folds_per_level=3")
    progress = lesson.run_cell(playground, 'progress("07")').splitlines()
    assert "  Prediction 07-lost: 60" in progress
    assert "  ✓ Right: 07-split" in progress


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
