"""Lesson 8, "An agent in the loop": stages moved by keyboard, and the lesson as a learner works it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from .contrast import unreadable
from .lab_contract import LabContract
from .lab_view import LabView
from .layout import faults
from .lesson_page import DARK, LIGHT, LessonPage

USUAL = ["SummarizeToolResults", "SummarizeOldMessages", "ClearToolResults", "KeepWithinTokens"]
GUARD = "KeepWithinTokens"
FOUND, LOST = "quotes the summary", "The answer is not in the messages I was sent."

GUARD_FIRST = """\
order = ["KeepWithinTokens", "SummarizeOldMessages", "SummarizeToolResults"]

check_answer("08-order", order)"""
GUARD_LAST = """\
order = ["SummarizeOldMessages", "SummarizeToolResults", "KeepWithinTokens"]

check_answer("08-order", order)"""


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("08_agent_in_the_loop.ipynb")
    lesson.run_all()
    return lesson


def stages(lab: LabView) -> list[str]:
    """The names of the stages, from the top down."""
    return lab.root.get_by_role("listitem").locator("label").all_text_contents()


def button(lab: LabView, stage: str, way: str) -> Locator:
    return lab.root.get_by_role("button", name=f"Move {stage} {way}")


def tick(lab: LabView, stage: str) -> Locator:
    return lab.root.get_by_role("checkbox", name=stage)


def put(lab: LabView, order: list[str]) -> None:
    """Bring the stages into an order by their buttons, and wait until the kernel is done with each step."""
    for place, stage in enumerate(order):
        for _ in range(stages(lab).index(stage) - place):
            with lab.step():
                button(lab, stage, "up").press("Enter")
    assert stages(lab) == order


class TestLab(LabContract):
    control = "up to message"
    sliders = 2


def test_a_stage_is_reached_and_moved_by_keyboard_alone(lesson: LessonPage) -> None:
    lab, keys = lesson.lab(), lesson.page.keyboard
    lab.set("up to message", 33)
    assert stages(lab) == USUAL
    before = lab.picture()
    lab.slider("budget").focus()
    for _ in range(10):  # a checkbox, then two buttons a stage; the checkbox of the fourth comes tenth
        keys.press("Tab")
    expect(tick(lab, GUARD)).to_be_focused()
    for _ in range(3):
        with lab.step():
            keys.press("Alt+ArrowUp")
    assert stages(lab) == [GUARD, *USUAL[:3]]
    lab.expect_other_than(before)
    expect(lab.status).to_contain_text(LOST)
    expect(tick(lab, GUARD)).to_be_focused()
    expect(lab.root.locator("[aria-live=polite]")).to_have_text(f"{GUARD}: now 1 of 4.")


def test_at_the_end_of_the_list_it_says_so_and_nothing_is_sent(lesson: LessonPage) -> None:
    lab = lesson.lab()
    before = lab.picture()
    mark = lesson.traffic.mark()
    button(lab, GUARD, "up").press("Enter")
    expect(lab.root.locator("[aria-live=polite]")).to_have_text(f"{GUARD} is first already.")
    assert [message for message in lesson.traffic.since(mark) if message.from_page] == []
    assert (stages(lab), lab.picture()) == ([GUARD, *USUAL[:3]], before)


def test_a_page_reload_keeps_the_order(lesson: LessonPage) -> None:
    before = lesson.lab().picture()
    lesson.reload()
    lab = lesson.lab()
    lab.expect_drawn()
    lab.expect_same_as(before)
    assert stages(lab) == [GUARD, *USUAL[:3]]


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_focus_stays_on_the_button_that_moves(lesson: LessonPage, key: str) -> None:
    lab = lesson.lab()
    put(lab, USUAL)
    before = lab.picture()
    up = button(lab, "ClearToolResults", "up")
    up.focus()
    for _ in range(2):
        with lab.step():
            lesson.page.keyboard.press(key)
    assert stages(lab)[0] == "ClearToolResults"
    lab.expect_other_than(before)
    expect(up).to_be_focused()


def test_a_stage_that_is_left_out_says_so_and_comes_back(lesson: LessonPage) -> None:
    lab = lesson.lab()
    put(lab, USUAL)
    before = lab.picture()
    with lab.step():
        tick(lab, "SummarizeOldMessages").press("Space")
    lab.expect_other_than(before)
    its_tick = lesson.page.get_by_role("checkbox", name="SummarizeOldMessages")
    item = lab.root.get_by_role("listitem").filter(has=its_tick)
    expect(item).to_contain_text("left out")
    with lab.step():
        tick(lab, "SummarizeOldMessages").press("Space")
    lab.expect_same_as(before)


@pytest.mark.parametrize(
    ("order", "upto", "status"),
    [
        (USUAL, 33, FOUND),
        ([USUAL[2], USUAL[0], USUAL[1], GUARD], 33, LOST),
        ([USUAL[0], GUARD, USUAL[1], USUAL[2]], 33, "9 summary calls"),
        ([GUARD, *USUAL[:3]], 28, "Cannot fit."),
    ],
    ids=["as it stands", "clear first", "budget second", "budget first"],
)
def test_the_settings_to_try(lesson: LessonPage, order: list[str], upto: int, status: str) -> None:
    lab = lesson.lab()
    lab.set("up to message", upto)
    put(lab, order)
    expect(lab.status).to_contain_text(status)


@pytest.mark.parametrize("width", [760, 1400, 1280])
def test_the_lab_fits_the_page(lesson: LessonPage, width: int) -> None:
    lab = lesson.lab()
    lab.set("up to message", 33)
    put(lab, USUAL)
    lesson.page.set_viewport_size({"width": width, "height": 1000})
    lab.expect_drawn()
    assert faults(lab.root) == []
    cut = lab.root.get_by_role("listitem").evaluate_all(
        "items => items.filter(item => item.scrollWidth > item.clientWidth + 1).length"
    )
    assert cut == 0


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_the_stages_are_readable_also_where_one_is_left_out(lesson: LessonPage, theme: str) -> None:
    lesson.set_theme(theme)
    lab = lesson.lab()
    with lab.step():
        tick(lab, GUARD).press("Space")
    assert unreadable(lab.root) == []
    with lab.step():
        tick(lab, GUARD).press("Space")


def test_exercise_says_to_do_then_wrong_then_right(lesson: LessonPage) -> None:
    exercise = lesson.cell('check_answer("08-order"')
    assert "To do" in lesson.output_text(exercise)
    wrong = lesson.run_cell(exercise, GUARD_FIRST)
    assert wrong.startswith("✗ Not yet: With that order a call cannot be made")
    right = lesson.run_cell(exercise, GUARD_LAST)
    assert right.startswith("✓ Right")


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
