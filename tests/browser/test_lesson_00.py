"""Lesson 0, "Start here": it opens with the window lab, on the long conversation."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .contrast import unreadable
from .layout import faults
from .lesson_page import DARK, LIGHT, LessonPage
from .window_view import CUT, NAMELESS, View

MEGABYTE = 1_000_000
FOUND, LOST = "Found in message 1", "Not found in this window"
# The settings are written once they rest: whether the answers file holds this strategy with its last value.
KEPT = """async strategy => {
    const folder = location.pathname.split("/tree/")[1].split("/")[0];
    const read = async path => (await (await fetch(`/api/contents/${path}?content=1`)).json()).content;
    // Asked for by name before it is there, the file would be an error on the console.
    if (!(await read(folder)).some(file => file.name === "ctxkit_answers.json")) return false;
    const content = await read(`${folder}/ctxkit_answers.json`);
    const kept = JSON.parse(content)["lab:window"];
    return kept?.strategy === strategy && kept.values[strategy][0] === 40;
}"""


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage]) -> LessonPage:
    lesson = open_lesson("00_start_here.ipynb")
    lesson.run_all()
    return lesson


@pytest.fixture
def lab(lesson: LessonPage) -> View:
    view = View(lesson)
    view.expect_drawn()
    return view


def test_first_paint_is_cheap(lesson: LessonPage, lab: View) -> None:
    received = sum(message.frame_bytes for message in lesson.traffic.since(0) if not message.from_page)
    print(f"first paint: {received:,} bytes over the socket")
    assert MEGABYTE < received <= 5.5 * MEGABYTE


def test_the_lab_is_there_with_all_its_parts(lab: View) -> None:
    expect(lab.status).to_contain_text("Fits. 41 messages became 10 (1 summary + 9 recent)")
    answers = lab.root.locator(".ctxkit-answers")
    expect(answers).to_contain_text("Found in the summary")
    expect(answers).to_contain_text(LOST)
    assert lab.root.evaluate(NAMELESS) == []


def test_slider_moves_by_keyboard(lab: View) -> None:
    before = lab.shown()
    for _ in range(3):
        lab.slider("Summarise above").press("ArrowLeft")
    expect(lab.slider("Summarise above")).to_be_focused()
    lab.expect_all_other_than(before)


def test_the_settings_to_try(lab: View) -> None:
    lab.button("Reset settings").press("Enter")
    lab.tab("Send everything").press("Space")
    expect(lab.status).to_contain_text("the call is refused")
    lab.set("Window", 3_000)
    expect(lab.status).to_contain_text("All 41 messages are sent")
    lab.tab("Keep recent").press("Space")
    own_answer = lab.root.locator(".ctxkit-answers")
    for keep, said in ((38, LOST), (39, LOST), (40, FOUND)):
        lab.set("Keep (messages)", keep)
        expect(lab.status).to_contain_text(f"became {keep}")
        expect(own_answer).to_contain_text(re.compile(f"With Keep recent {keep}.*{said}", re.DOTALL))


def test_the_code_runs_in_a_new_cell(lesson: LessonPage, lab: View) -> None:
    code = lab.code.inner_text()
    assert "KeepRecentMessages(keep=40)" in code
    cell = lesson.cell('word = "hearts"')
    before = cell.locator(".cm-content").inner_text()
    said = lesson.run_cell(cell, code)
    assert said.startswith("41 became 40 messages\nWindowUsage(total="), said
    lesson.run_cell(cell, before)


def test_settings_outlive_the_kernel(lesson: LessonPage, lab: View) -> None:
    kept = lab.shown()
    lesson.page.wait_for_function(KEPT, arg="Keep recent")
    lesson.restart_kernel()
    lesson.run_all()
    lab.expect_drawn()
    expect(lab.status).to_have_text(kept[0], use_inner_text=True)
    assert lab.shown()[:4] == kept[:4]


def test_running_the_cell_again_replaces_the_lab(lesson: LessonPage, lab: View) -> None:
    lab.button("Reset settings").press("Enter")
    expect(lab.status).to_contain_text("Fits. 41 messages became 10")
    lesson.run_cell(lesson.cell("WindowLab(strategy="))
    lab.expect_drawn()
    expect(lab.status).to_contain_text("Fits. 41 messages became 10")
    expect(lesson.page.locator(".js-plotly-plot")).to_have_count(2)


def test_page_reload_keeps_it(lesson: LessonPage, lab: View) -> None:
    before = lab.shown()
    lesson.reload()
    lab.expect_drawn()
    expect(lab.status).to_have_text(before[0], use_inner_text=True)
    assert lab.shown()[1:4] == before[1:4]


@pytest.mark.parametrize("width", [760, 1400])
def test_nothing_is_cut(lab: View, width: int) -> None:
    lab.lesson.page.set_viewport_size({"width": width, "height": 1000})
    assert faults(lab.root, CUT) == []


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_every_text_is_readable(lab: View, theme: str) -> None:
    lab.lesson.set_theme(theme)
    for part in (lab.root, lab.status, lab.table, lab.charts):
        assert unreadable(part) == []


def test_doctor_finds_no_problem(lesson: LessonPage) -> None:
    report = lesson.output_text(lesson.cell("doctor()")).splitlines()
    assert len(report) > 3
    assert all(line.startswith("ok") for line in report), report


def test_jupyterlab_asks_nothing(lesson: LessonPage) -> None:
    expect(lesson.page.locator(".Toastify__toast, .jp-Dialog")).to_have_count(0)


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
