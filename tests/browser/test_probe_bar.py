"""`ProbeBar` on a page: asked by keyboard, stopped while it reads, drawn by word, icon and bar; only text.

The model is scripted, so that this runs everywhere; what the real one says is judged in `tests/embedded`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from .contrast import unreadable
from .lab_server import LabServer
from .lesson_page import LessonPage
from .notebooks import write_notebook

MODEL = """\
import asyncio, threading
from ctxkit import Message
from ctxkit.models.embedded import Probe
from ctxkit.widgets.probe_bar import ProbeBar
attack = "<img src=missing onerror='window.attacked = 1'>"
window, goes_on = [Message.user("hi"), Message.assistant("yo")], threading.Event()
class Scripted:
    async def probe(self, messages, text, right, *, progress):
        await progress(128, 256)
        await asyncio.to_thread(goes_on.wait)
        return Probe((("sponges", 0.93), (attack, 0.02)), (("sponges", 0.93),), 277, 0)"""
BAR = """\
bar = ProbeBar(lambda: window, f"As said above {attack}, dolphins carry", "sponges", make_model=Scripted)
bar"""
ON = "goes_on.set()"
MOVE = "window.pop(0)\nbar.refresh()"


@pytest.fixture(scope="module")
def lesson(server: LabServer, open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    write_notebook(server.folder / "probe_bar.ipynb", [MODEL, BAR, ON, MOVE])
    lesson = open_lesson("probe_bar.ipynb")
    for source in (MODEL, BAR):
        lesson.run_cell(lesson.cell(source.splitlines()[0]))
    return lesson


@pytest.fixture
def bar(lesson: LessonPage) -> Locator:
    return lesson.output(lesson.cell(BAR.splitlines()[0]))


def test_it_reads_is_stopped_and_answers(lesson: LessonPage, bar: Locator) -> None:
    ask = bar.get_by_role("button", name="Ask the embedded model")
    stop = bar.get_by_role("button", name="Stop")
    status = bar.get_by_role("status")
    expect(status).to_contain_text("Ready.")
    expect(stop).to_be_disabled()
    ask.press("Enter")
    expect(status).to_contain_text("Running.")
    expect(bar.get_by_text("128 of 256")).to_be_visible()
    expect(ask).to_be_disabled()
    stop.press("Enter")
    expect(status).to_contain_text("Stopped.")
    lesson.run_cell(lesson.cell(ON))
    ask.press("Enter")
    expect(status).to_contain_text("The right word wins: “sponges” has 93 %.")
    rows = bar.get_by_role("row")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("sponges93 %✓ right")
    expect(rows.nth(1)).to_contain_text("<img")
    assert lesson.page.evaluate("window.attacked") is None
    assert bar.locator("img").count() == 0


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_it_can_be_read_in_light_and_dark(lesson: LessonPage, bar: Locator, theme: str) -> None:
    lesson.set_theme(theme)
    assert unreadable(bar.locator(".ctxkit-status, .ctxkit-probe")) == []


def test_another_window_makes_it_an_old_answer(lesson: LessonPage, bar: Locator) -> None:
    lesson.run_cell(lesson.cell(MOVE.splitlines()[0]))
    expect(bar.get_by_role("status")).to_contain_text("Of an older window.")
    expect(bar.get_by_role("table")).to_contain_text("Likely next words, for an older window")
    expect(bar.locator("table.ctxkit-stale")).to_be_visible()
