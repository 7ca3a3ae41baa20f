"""Lesson 6, "Running summary": the lab on a keeper's talk, and a thread that goes on after its kernel."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .lab_contract import LabContract
from .layout import faults
from .lesson_page import LessonPage

PARTS_THEM = """\
def divide(messages, keep):
    cut = max(0, len(messages) - keep)
    return messages[:cut], messages[cut:]

check_answer("06-cut", divide)"""
BACK_TO_THE_CALL = """\
def divide(messages, keep):
    cut = max(0, len(messages) - keep)
    while 0 < cut < len(messages) and messages[cut].role == "tool":
        cut -= 1
    return messages[:cut], messages[cut:]

check_answer("06-cut", divide)"""

# Pairs of texts of the graph that lie on each other.
OVERLAPS = """plot => {
    const texts = [...plot.querySelectorAll(".annotation-text")].filter(text => text.textContent);
    const boxes = texts.map(text => [text.textContent, text.getBoundingClientRect()]);
    return boxes.flatMap(([one, a], place) => boxes.slice(place + 1)
        .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        .map(([other]) => `${one} / ${other}`));
}"""


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("06_running_summary.ipynb")
    lesson.run_all()
    return lesson


class TestLab(LabContract):
    control = "Exchanges so far"


@pytest.mark.parametrize(
    ("exchange", "most", "keep", "status", "nodes"),
    [
        (3, 6, 2, "All stay. After exchange 3 there are 6 messages, not more than 6.", "○ summarise"),
        (4, 6, 2, "Summarised. Exchange 4 made 8 messages, more than 6: 6 went into", "● summarise"),
        (7, 6, 2, "7 went into the summary, 3 stay. That is more than 2: no call is parted", "● tools"),
        (12, 7, 6, "Summaries so far: 9", "○ tools"),
        (12, 28, 2, "Exchange 12 made 29 messages, more than 28", "● summarise"),
    ],
)
def test_the_settings_to_try(
    lesson: LessonPage, exchange: int, most: int, keep: int, status: str, nodes: str
) -> None:
    lab = lesson.lab()
    lab.set("keep", 0)
    lab.set("max_messages", most)
    lab.set("keep", keep)
    lab.set("Exchanges so far", exchange)
    expect(lab.status).to_contain_text(status)
    expect(lab.plot.locator(".annotation").get_by_text(nodes)).to_be_visible()


def test_the_graph_names_every_node_and_what_happened(lesson: LessonPage) -> None:
    lab = lesson.lab()
    for label, value in (("Exchanges so far", 4), ("max_messages", 6), ("keep", 2)):
        lab.set(label, value)
    notes = lab.plot.locator(".annotation")
    for text in ("START", "conversation", "tools", "condition", "summarise", "END", "yes", "no"):
        expect(notes.filter(has_text=text).first).to_be_visible()
    expect(notes.filter(has_text="8 > 6? yes")).to_be_visible()
    expect(notes.filter(has_text="6 go, 2 stay")).to_be_visible()
    expect(lab.plot.locator(".gtitle")).to_contain_text("8 messages: 6 into the summary, 2 stay")


@pytest.mark.parametrize("width", [760, 1400, 1280])
def test_the_lab_fits_the_page(lesson: LessonPage, width: int) -> None:
    lab = lesson.lab()
    lesson.page.set_viewport_size({"width": width, "height": 1000})
    lab.expect_drawn()
    assert faults(lab.root) == []
    assert lab.plot.evaluate(OVERLAPS) == []


def test_exercise_says_to_do_then_wrong_then_right(lesson: LessonPage) -> None:
    exercise = lesson.cell('check_answer("06-cut"')
    assert "To do" in lesson.output_text(exercise)
    wrong = lesson.run_cell(exercise, PARTS_THEM)
    assert wrong.startswith("✗ Not yet: A call went, and its result stays")
    assert lesson.run_cell(exercise, BACK_TO_THE_CALL).startswith("✓ Right")


def test_the_kernel_is_restarted_and_the_thread_goes_on(lesson: LessonPage) -> None:
    goes_on = lesson.cell("What do I work as?")
    assert lesson.output_text(goes_on).startswith("Found: 8 messages, 2 word for word.")
    for found in ("Found: 12 messages, 6 word for word.", "Found: 16 messages, 4 word for word."):
        lesson.restart_kernel()
        lesson.run_cell(lesson.cell("from ctxkit import MemoryStore"))
        first, name, job = lesson.run_cell(goes_on).splitlines()
        assert first == found
        assert "My name is Ada." in name
        assert "I work as a lighthouse keeper" in job


def test_answers_are_kept_over_the_restart(lesson: LessonPage) -> None:
    playground = lesson.cell("kept.load(talk)")
    assert "  ✓ Right: 06-cut" in lesson.run_cell(playground, 'progress("06")').splitlines()


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
