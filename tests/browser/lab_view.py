"""A lab as it stands in a lesson's output: its controls, status sentence, table and chart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Locator, expect

from .kernel_traffic import KernelMessage, KernelTraffic

# What a reader sees of a chart: the outlines of its bars and marks, the words on its axes, title and legend.
# Names that start with an underscore are plotly's own, so only the drawing itself is asked.
DRAWING = """plot => JSON.stringify([
    ...[...plot.querySelectorAll(".trace path, .shapelayer path")].map(shape => shape.getAttribute("d")),
    ...[...plot.querySelectorAll("text")].map(text => text.textContent),
])"""


@dataclass(frozen=True)
class Picture:
    """Everything a lab shows at one setting."""

    status: str
    table: str
    drawing: str
    settings: tuple[str, ...]


class LabView:
    """One lab: `root` is the cell output that holds it."""

    def __init__(self, root: Locator, traffic: KernelTraffic) -> None:
        self.root = root
        self._traffic = traffic
        # The first of each is the lab's own; a pane that asks a model brings others.
        self.status = root.get_by_role("status").first
        self.table = root.get_by_role("table").first
        self.plot = root.locator(".js-plotly-plot")

    def box(self, label: str) -> Locator:
        """The number box whose label contains `label`."""
        return self.root.get_by_role("spinbutton", name=label)

    def slider(self, label: str) -> Locator:
        """The handle of the slider that stands with the number box of this label."""
        return self._control(label).get_by_role("slider")

    def sliders(self) -> Locator:
        return self.root.get_by_role("slider")

    def boxes(self) -> Locator:
        return self.root.get_by_role("spinbutton")

    def expect_drawn(self) -> None:
        """Wait until status, table and chart are all there, the chart with something in it."""
        self.root.scroll_into_view_if_needed()
        expect(self.status).to_have_text(re.compile(r"\w"))
        expect(self.table).to_be_visible()
        expect(self.plot.locator(".trace path").first).to_be_attached()

    def picture(self) -> Picture:
        return Picture(
            status=self.status.inner_text(),
            table=self.table.inner_text(),
            drawing=self.plot.evaluate(DRAWING),
            settings=tuple(self.boxes().evaluate_all("boxes => boxes.map(box => box.value)")),
        )

    def expect_other_than(self, before: Picture) -> None:
        """Wait until status, table and chart all show something else than before."""
        expect(self.status).not_to_have_text(before.status)
        expect(self.table).not_to_have_text(before.table, use_inner_text=True)
        self._wait_for_drawing("now !== then", before.drawing)

    def expect_same_as(self, before: Picture) -> None:
        """Wait until status, table, chart and settings all are as before."""
        expect(self.status).to_have_text(before.status, use_inner_text=True)
        expect(self.table).to_have_text(before.table, use_inner_text=True)
        self._wait_for_drawing("now === then", before.drawing)
        assert self.picture() == before

    def set(self, label: str, value: int) -> None:
        """Type a value into a number box and wait until the kernel is done with it."""
        box = self.box(label)
        if box.input_value() == str(value):
            return
        mark = self._traffic.mark()
        box.fill(str(value))
        box.press("Enter")
        self._traffic.wait_until_handled(mark)

    @contextmanager
    def step(self) -> Iterator[list[KernelMessage]]:
        """What is done in this block is one step: it ends when the kernel has answered it.

        Gives a list that holds, after the block, all messages of the step in both directions.
        """
        mark = self._traffic.mark()
        messages: list[KernelMessage] = []
        yield messages
        self._traffic.wait_until_handled(mark)
        messages.extend(self._traffic.since(mark))

    def _control(self, label: str) -> Locator:
        with_box = self.root.page.get_by_role("spinbutton", name=label)
        return (
            self.root.locator(".widget-vbox", has=with_box)
            .filter(has=self.root.page.get_by_role("slider"))
            .last
        )

    def _wait_for_drawing(self, condition: str, then: str) -> None:
        plot = self.plot.element_handle()
        self.root.page.wait_for_function(
            f"([plot, then]) => {{ const now = ({DRAWING})(plot); return {condition}; }}", arg=[plot, then]
        )
