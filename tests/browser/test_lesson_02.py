"""Lesson 2, "Counting tokens": a text as its tokens, typed and walked through by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, expect

from .contrast import unreadable
from .lesson_page import DARK, LIGHT, LessonPage

NUMBERS = "1234567 and 1,234,567"


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("02_counting_tokens.ipynb")
    lesson.run_all()
    return lesson


@pytest.fixture
def view(lesson: LessonPage) -> Locator:
    return lesson.output(lesson.cell("TokenView("))


def tokens(view: Locator) -> Locator:
    return view.get_by_role("option")


def test_shows_status_and_tokens(view: Locator) -> None:
    expect(view.get_by_role("status")).to_have_text("14 tokens, 56 characters")
    expect(tokens(view)).to_have_count(14)
    assert (
        "".join(tokens(view).all_text_contents())
        == "The·weather·is·lovely·today,·so·we·are·going·to·the·sea."
    )


def test_neighbours_differ_by_more_than_colour(view: Locator) -> None:
    looks = tokens(view).evaluate_all(
        "all => all.map(one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).borderTopStyle])"
    )
    assert [border for _, border in looks] == ["solid"] * 14
    colours = [colour for colour, _ in looks]
    assert all(one != other for one, other in pairwise(colours))


def test_arrow_keys_walk_from_token_to_token(lesson: LessonPage, view: Locator) -> None:
    view.get_by_role("textbox", name="Your text").focus()
    lesson.page.keyboard.press("Tab")
    expect(tokens(view).nth(0)).to_be_focused()
    lesson.page.keyboard.press("ArrowRight")
    expect(tokens(view).nth(1)).to_be_focused()
    expect(view).to_contain_text("Token 2 of 14: “·weather”, id 9282")
    lesson.page.keyboard.press("End")
    expect(view).to_contain_text("Token 14 of 14")


def test_typing_counts_anew(view: Locator) -> None:
    view.get_by_role("textbox", name="Your text").fill(NUMBERS)
    expect(view.get_by_role("status")).to_have_text("10 tokens, 21 characters")
    expect(tokens(view)).to_have_text(["123", "456", "7", "·and", "·", "1", ",", "234", ",", "567"])


def test_page_reload_keeps_it(lesson: LessonPage, view: Locator) -> None:
    before = tokens(view).all_text_contents()
    lesson.reload()
    expect(view.get_by_role("textbox", name="Your text")).to_have_value(NUMBERS)
    expect(tokens(view)).to_have_text(before)
    expect(view.get_by_role("status")).to_have_text(re.compile("21 characters"))


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_every_text_is_readable(lesson: LessonPage, view: Locator, theme: str) -> None:
    lesson.set_theme(theme)
    assert unreadable(view.locator(".ctxkit-tokens")) == []


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
