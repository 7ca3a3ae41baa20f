"""What every lab with sliders promises, as tests: a lesson's test class inherits them and names a control."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .contrast import unreadable
from .lesson_page import DARK, LIGHT, LessonPage

AXES = ".xtick, .ytick, .g-xtitle, .g-ytitle"


class LabContract:
    """The tests run in this order on one page, so each starts from the setting that the one before left.

    Subclasses say which control they move, by a part of its label, and by which key; and how many sliders
    there are, where a control is of another kind. The fixture `lesson` is the module's open lesson, with all
    cells run.
    """

    control: str
    key: str = "ArrowLeft"
    sliders: int = 3

    def test_is_there_with_all_its_parts(self, lesson: LessonPage) -> None:
        lab = lesson.lab()
        lab.expect_drawn()
        expect(lab.sliders()).to_have_count(self.sliders)
        expect(lab.boxes()).to_have_count(self.sliders)
        names = lab.boxes().evaluate_all("boxes => boxes.map(box => box.labels[0]?.textContent ?? '')")
        assert all(names), f"number boxes without a name: {names}"

    def test_slider_moves_by_keyboard(self, lesson: LessonPage) -> None:
        lab = lesson.lab()
        before = lab.picture()
        with lab.step():
            lab.slider(self.control).press(self.key)
            lab.expect_other_than(before)
        expect(lab.slider(self.control)).to_be_focused()
        label = lab.box(self.control).evaluate("box => box.labels[0].textContent")
        expect(lab.slider(self.control)).to_have_accessible_name(label)
        expect(lab.slider(self.control)).to_have_attribute(
            "aria-valuetext", lab.box(self.control).input_value()
        )

    def test_number_box_moves_the_slider(self, lesson: LessonPage) -> None:
        lab = lesson.lab()
        before = lab.picture()
        value = int(lab.box(self.control).input_value()) - 1
        with lab.step():
            lab.set(self.control, value)
            lab.expect_other_than(before)
        expect(lab.slider(self.control)).to_have_attribute("aria-valuenow", f"{value:.1f}")
        expect(lab.slider(self.control)).to_have_attribute("aria-valuetext", str(value))

    def test_page_reload_keeps_it(self, lesson: LessonPage) -> None:
        before = lesson.lab().picture()
        lesson.reload()
        lesson.lab().expect_drawn()
        lesson.lab().expect_same_as(before)
        assert lesson.lab().picture() == before

    def test_it_still_works_after_the_reload(self, lesson: LessonPage) -> None:
        lab = lesson.lab()
        before = lab.picture()
        with lab.step():
            lab.slider(self.control).press(self.key)
            lab.expect_other_than(before)
        assert lab.picture() != before

    @pytest.mark.parametrize("theme", [DARK, LIGHT])
    def test_every_text_is_readable(self, lesson: LessonPage, theme: str) -> None:
        lesson.set_theme(theme)
        lab = lesson.lab()
        for part in (lab.root, lab.status, lab.table, lab.plot.locator(AXES)):
            assert unreadable(part) == []
