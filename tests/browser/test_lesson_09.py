"""Lesson 9, "Choosing a strategy": the lab that compares, and the lesson as a learner works it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .contrast import unreadable
from .lab_contract import LabContract
from .layout import faults
from .lesson_page import DARK, LIGHT, LessonPage

SHORTENED = """\
stages = [SummarizeToolResults(model, max_tokens=60)]

check_answer("09-challenge", stages)"""
SHORTER = """\
stages = [SummarizeToolResults(model, max_tokens=40)]

check_answer("09-challenge", stages)"""
HOSTILE = """\
rivals = [Strategy("</script><img src=x onerror=alert(1)> $x^2$ %{y} \\u202e", [KeepRecentMessages(4)]),
          Strategy("<b>all</b> \\ud83d", [])]
StrategiesLab(chat, rivals, quiz=quiz, pricing=Pricing(input=1, currency="<i>$1$"))"""

# What stands wider than the lab, or on another word of the chart.
DISORDER = """lab => {
    const found = [];
    const box = part => part.getBoundingClientRect();
    const parts = "[role=status], .ctxkit-facts, input, .noUi-handle, .main-svg, svg text";
    for (const part of lab.querySelectorAll(parts)) {
        const over = Math.floor(box(part).right - box(lab).right);
        if (over > 1) found.push(`${part.textContent || part.tagName} is cut by ${over} px`);
    }
    const words = [...lab.querySelectorAll(".annotation-text, .gtitle")].filter(word => word.textContent);
    for (const [at, one] of words.entries()) {
        for (const other of words.slice(at + 1)) {
            const [a, b] = [box(one), box(other)];
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (wide > 1 && tall > 3) found.push(`${one.textContent} on ${other.textContent}`);
        }
    }
    return found;
}"""


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("09_choosing_a_strategy.ipynb")
    lesson.run_all()
    return lesson


class TestLab(LabContract):
    control = "up to message"


@pytest.mark.parametrize(
    ("window", "cached", "status"),
    [
        (2048, 10, "No strategy keeps 10 of 12 facts."),
        (4096, 10, "Cheapest that keeps 10 of 12 facts: send everything"),
        (4096, 100, "100 % of what sending all would cost"),
    ],
)
def test_the_settings_to_try(lesson: LessonPage, window: int, cached: int, status: str) -> None:
    lab = lesson.lab()
    lab.set("up to message", 40)
    lab.set("Window", window)
    lab.set("cached", cached)
    expect(lab.status).to_contain_text(status)
    expect(lab.table.locator("tbody tr")).to_have_count(6)


@pytest.mark.parametrize("window", [2048, 4096])
@pytest.mark.parametrize("width", [760, 1400, 1280])
def test_the_lab_fits_the_page(lesson: LessonPage, width: int, window: int) -> None:
    lab = lesson.lab()
    lab.set("Window", window)
    lesson.page.set_viewport_size({"width": width, "height": 1000})
    lab.expect_drawn()
    assert faults(lab.root, DISORDER) == []


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_every_word_of_the_chart_is_readable(lesson: LessonPage, theme: str) -> None:
    lesson.set_theme(theme)
    assert unreadable(lesson.lab().plot.locator(".annotation-text, .gtitle, .shape-label text")) == []


def test_the_challenge_is_checked_and_shown(lesson: LessonPage) -> None:
    exercise = lesson.cell('check_answer("09-challenge"')
    assert "To do" in lesson.output_text(exercise)
    assert lesson.run_cell(exercise, SHORTENED).startswith("✗ Not yet: Enough facts, and nearly cheap enough")
    assert lesson.run_cell(exercise, SHORTER).startswith("✓ Right")
    lesson.run_cell(lesson.cell("StrategiesLab(night"))
    lab = lesson.lab(1)
    lab.expect_drawn()
    expect(lab.status).to_contain_text(
        "Cheapest that keeps 10 of 12 facts: yours, which knows 10 of 12 facts"
    )


def test_hostile_names_are_shown_as_text(lesson: LessonPage) -> None:
    playground = lesson.cell("mine = Strategy")
    lesson.run_cell(playground, HOSTILE)
    lab = lesson.lab(2)
    lab.expect_drawn()
    expect(lab.table).to_contain_text("</script><img src=x onerror=alert(1)>")
    expect(lab.plot.locator(".annotation-text", has_text="<b>all</b>")).to_have_count(1)
    assert lab.root.locator("img, .MathJax, mjx-container").count() == 0


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
