"""A lab as it stands in a lesson's output: its controls, status sentence, table and chart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Locator, expect

from .kernel_traffic import KernelMessage, KernelTraffic

# Plotly keeps what it was given beside the drawing. Lists of numbers arrive as typed arrays.
TRACES = """plot => plot.data.map(trace => ({
    name: trace.name ?? "", type: trace.type,
    x: Array.from(trace.x ?? []), y: Array.from(trace.y ?? []),
}))"""


class LabView:
    """One lab: `root` is the cell output that holds it."""

    def __init__(self, root: Locator, traffic: KernelTraffic) -> None:
        self.root = root
        self._traffic = traffic
        self.status = root.locator("[role=status]").first
        self.table = root.locator("table").first
        self.plot = root.locator(".js-plotly-plot").first

    def expect_drawn(self) -> None:
        """Wait until status, table and chart are all there, the chart with something in it."""
        self.root.scroll_into_view_if_needed()
        expect(self.status).not_to_be_empty()
        expect(self.table).to_be_visible()
        expect(self.plot.locator(".main-svg").first).to_be_visible()
        expect(self.plot.locator(".trace").first).to_be_attached()

    def traces(self) -> list[dict[str, Any]]:
        return self.plot.evaluate(TRACES)

    def sliders(self) -> Locator:
        return self.root.get_by_role("slider")

    @contextmanager
    def step(self) -> Iterator[list[KernelMessage]]:
        """What is done in this block is one step: it ends when the kernel has answered it.

        Gives a list that holds, after the block, all messages of the step in both directions.
        """
        mark = self._traffic.mark()
        messages: list[KernelMessage] = []
        yield messages
        self._traffic.wait_until_idle(mark)
        messages.extend(self._traffic.since(mark))
