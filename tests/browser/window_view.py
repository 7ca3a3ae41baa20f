"""The window lab as it stands in a page: its controls, figures, charts, table and code."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from .lab_view import DRAWING
from .lesson_page import LessonPage

CUT = """lab => [...lab.querySelectorAll("*")]
    .filter(part => part.checkVisibility() && part.getClientRects().length)
    .filter(part => !part.closest("pre, svg, td, th"))
    .map(part => [part, part.getBoundingClientRect().right - lab.getBoundingClientRect().right])
    .filter(([, over]) => over > 1)
    .map(([part, over]) => `${part.tagName} ${part.className} is cut by ${Math.round(over)} px`)"""
NAMELESS = """lab => [...lab.querySelectorAll("button, input, select, textarea, [role=img], [role=region]")]
    .filter(part => part.checkVisibility())
    .filter(part => !(part.ariaLabel || part.labels?.[0]?.textContent || part.textContent).trim())
    .map(part => part.outerHTML.slice(0, 120))"""


class View:
    """One lab in the notebook."""

    def __init__(self, lesson: LessonPage, index: int = 0) -> None:
        self.lesson = lesson
        self.root = lesson.page.locator(".jp-OutputArea-output", has=lesson.page.get_by_role("status")).nth(
            index
        )
        self.status = self.root.get_by_role("status")
        self.table = self.root.get_by_role("table")
        self.cards = self.root.get_by_role("listitem")
        self.charts = self.root.locator(".js-plotly-plot")
        self.code = self.root.get_by_role("region", name="The settings as Python")

    def tab(self, name: str) -> Locator:
        """The tab of a strategy; the chosen one has a tick before its name, which is read aloud too."""
        return self.root.get_by_role("button", name=re.compile(f"^(✓ )?{name}$"))

    def box(self, label: str) -> Locator:
        return self.root.get_by_role("spinbutton", name=label)

    def slider(self, label: str) -> Locator:
        return self.lesson.lab().slider(label)

    def set(self, label: str, value: int) -> None:
        """Type a value into a number box, as people do."""
        self.box(label).fill(str(value))
        self.box(label).press("Enter")

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name)

    def expect_drawn(self) -> None:
        self.root.scroll_into_view_if_needed()
        expect(self.status).to_have_text(re.compile(r"\w"))
        expect(self.cards).to_have_count(4)
        expect(self.table).to_be_visible()
        expect(self.charts).to_have_count(2)
        expect(self.charts.first.locator(".trace path").first).to_be_attached()

    def shown(self) -> list[str]:
        """Status, figures, table and code as text, and what both charts draw."""
        texts = [self.status.inner_text(), " | ".join(self.cards.all_inner_texts())]
        texts += [self.table.inner_text(), self.code.inner_text()]
        return texts + [self.charts.nth(place).evaluate(DRAWING) for place in range(2)]

    def expect_all_other_than(self, before: list[str]) -> None:
        """Wait until status, figures, table and both charts show something else."""
        expect(self.status).not_to_have_text(before[0], use_inner_text=True)
        expect(self.table).not_to_have_text(before[2], use_inner_text=True)
        self.lesson.page.wait_for_function(
            "([cards, then]) => cards.map(card => card.innerText).join(' | ') !== then",
            arg=[self.cards.element_handles(), before[1]],
        )
        for place in range(2):
            self.lesson.page.wait_for_function(
                f"([plot, then]) => ({DRAWING})(plot) !== then",
                arg=[self.charts.nth(place).element_handle(), before[4 + place]],
            )
