"""Lesson 5, "Summarizing old messages": the lab, work on a button, and the lesson as a learner works it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from .contrast import unreadable
from .lab_contract import LabContract
from .layout import faults
from .lesson_page import DARK, LIGHT, LessonPage

FROM_SUMMARY = "the offline reader quotes the summary: "
UNENDING = """\
import asyncio

async def wait_for_ever(progress):
    await progress(3, 200)
    await asyncio.get_running_loop().create_future()

Job("Fold 200 messages", wait_for_ever)"""
EACH_TURN = """\
def summary_calls(count, most, keep):
    return max(0, count - most)

check_answer("05-calls", summary_calls)"""
PER_GAP = """\
def summary_calls(count, most, keep):
    return max(0, -(-(count - most) // (most - keep)))

check_answer("05-calls", summary_calls)"""


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("05_summarizing_old_messages.ipynb")
    lesson.run_all()
    return lesson


class TestLab(LabContract):
    control = "up to message"


@pytest.mark.parametrize(
    ("most", "keep", "calls", "answer"),
    [
        (20, 5, "so far: 2 (by the guide's rule: 11)", FROM_SUMMARY),
        (20, 19, "so far: 11 (by the guide's rule: 11)", FROM_SUMMARY),
        (41, 5, "so far: 0 (by the guide's rule: 0)", "the offline reader quotes message 1: "),
    ],
)
def test_the_settings_to_try(lesson: LessonPage, most: int, keep: int, calls: str, answer: str) -> None:
    lab = lesson.lab()
    lab.set("up to message", 40)
    lab.set("max_messages", most)
    lab.set("min_messages", keep)
    expect(lab.status).to_contain_text(calls)
    expect(lab.status).to_contain_text(answer)


def test_each_threshold_ends_where_the_other_stands(lesson: LessonPage) -> None:
    lab = lesson.lab()
    lab.set("max_messages", 20)
    lab.set("min_messages", 12)
    expect(lab.box("max_messages (13 or more)")).to_be_visible()
    expect(lab.slider("max_messages")).to_have_attribute("aria-valuemin", "13.0")
    lab.set("min_messages", 5)
    expect(lab.slider("max_messages")).to_have_attribute("aria-valuemin", "6.0")
    expect(lab.box("max_messages")).to_have_value("20")
    lab.slider("min_messages").press("End")
    expect(lab.box("min_messages")).to_have_value("19")
    lab.slider("min_messages").press("Home")
    expect(lab.box("min_messages")).to_have_value("0")
    lab.set("min_messages", 5)


@pytest.mark.parametrize("width", [760, 1400, 1280])
def test_the_lab_fits_the_page(lesson: LessonPage, width: int) -> None:
    lab = lesson.lab()
    lesson.page.set_viewport_size({"width": width, "height": 1000})
    lab.expect_drawn()
    assert faults(lab.root) == []
    names = lab.root.locator("label")
    assert names.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0


def job(lesson: LessonPage) -> tuple[Locator, Locator, Locator, Locator]:
    """Start button, stop button, status and the whole of the work on a button."""
    root = lesson.output(lesson.cell('Job("Fold 200 messages"')).locator(".ctxkit-lab")
    named = [root.get_by_role("button", name=name) for name in ("Fold 200 messages", "Stop")]
    return *named, root.get_by_role("status"), root


def test_long_work_is_paid_for_once(lesson: LessonPage) -> None:
    start, stop, status, root = job(lesson)
    expect(stop).to_be_disabled()
    for _ in range(2):
        start.click()
        expect(status).to_contain_text("Done. 12 summaries paid for in all.")
        expect(root).to_contain_text("200 of 200")
        expect(start).to_be_enabled()


def test_long_work_is_stopped_and_the_lab_answers_meanwhile(lesson: LessonPage) -> None:
    lesson.run_cell(lesson.cell('Job("Fold 200 messages"'), UNENDING)
    start, stop, status, root = job(lesson)
    start.press("Enter")
    expect(status).to_contain_text("Running.")
    expect(root).to_contain_text("3 of 200")
    expect(start).to_be_disabled()
    lab = lesson.lab()
    lab.set("up to message", 20)
    expect(lab.status).to_contain_text("5 of 21 messages are sent")
    stop.press("Enter")
    expect(status).to_contain_text("Stopped. After 3 of 200 steps.")
    expect(stop).to_be_disabled()
    start.click()
    expect(status).to_contain_text("Running.")
    stop.click()
    expect(status).to_contain_text("Stopped.")


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_the_work_on_a_button_is_readable(lesson: LessonPage, theme: str) -> None:
    lesson.set_theme(theme)
    *_, root = job(lesson)
    assert unreadable(root) == []


def test_exercise_says_to_do_then_wrong_then_right(lesson: LessonPage) -> None:
    exercise = lesson.cell('check_answer("05-calls"')
    assert "To do" in lesson.output_text(exercise)
    wrong = lesson.run_cell(exercise, EACH_TURN)
    assert wrong.startswith("✗ Not yet: That is one call for each message above the threshold.")
    assert lesson.run_cell(exercise, PER_GAP).startswith("✓ Right")


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
