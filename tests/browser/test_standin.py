from __future__ import annotations
import pytest
from playwright.sync_api import expect
from .lesson_page import DARK, LIGHT
from .contrast import text_contrasts, unreadable


@pytest.fixture(scope="module")
def lesson(open_lesson):
    lesson = open_lesson("standin.ipynb")
    lesson.run_all()
    return lesson


def test_draws(lesson):
    lesson.lab().expect_drawn()
    print(lesson.lab().traces())


def test_slider(lesson):
    lab = lesson.lab()
    with lab.step() as messages:
        lab.sliders().first.press("ArrowRight")
        expect(lab.status).to_have_text("Fits. 6 messages")
    print([(m.from_page, m.type, m.payload_bytes, m.frame_bytes) for m in messages])
    print(lab.traces())


def test_reload(lesson):
    lesson.reload()
    lab = lesson.lab()
    lab.expect_drawn()
    print(lab.traces())
    expect(lab.status).to_have_text("Fits. 6 messages")
    assert lab.traces()[0]["y"][-1] == 54


def test_dark(lesson):
    lesson.set_theme(DARK)
    lesson.page.screenshot(path="/tmp/browser/dark.png")
    print(text_contrasts(lesson.lab().root))
    lesson.set_theme(LIGHT)
    print(text_contrasts(lesson.lab().root))


def test_edit(lesson):
    cell = lesson.cell("print('hello')")
    assert "bye" in lesson.run_cell(cell, "print('bye')")
    lesson.restart_kernel()
    assert "x2" in lesson.run_cell(lesson.cell("x3 = 3"), "print('x2')")


def test_console(lesson):
    assert lesson.console_errors == []
