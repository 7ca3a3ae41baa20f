"""Lesson 1, "Messages and roles": the lab on a conversation with tool calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .lab_contract import LabContract
from .lesson_page import LessonPage


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("01_messages_and_roles.ipynb")
    lesson.run_all()
    return lesson


class TestLab(LabContract):
    control = "up to message"


def test_a_call_stays_with_its_results(lesson: LessonPage) -> None:
    lab = lesson.lab()
    lab.set("up to message", 12)
    lab.set("Keep", 5)
    expect(lab.status).to_contain_text("8 of 13 messages are sent")
    expect(lab.status).to_contain_text("the first message sent is 6")


def test_calls_without_results_get_marked_ones(lesson: LessonPage) -> None:
    lab = lesson.lab()
    lab.set("up to message", 6)
    made = lab.table.get_by_role("row").filter(has_text="by the kit")
    expect(made).to_have_count(2)
    expect(made.first).to_contain_text("this call was never answered")


def test_exercises_are_to_do(lesson: LessonPage) -> None:
    for exercise in ("01-result-id", "01-build", "01-open-calls", "01-first-orphan"):
        assert "To do" in lesson.output_text(lesson.cell(f'check_answer("{exercise}"'))


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
