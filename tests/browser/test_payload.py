"""What a page with five labs costs, and what one step of a slider costs: bytes over the kernel's socket."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .lab_server import LabServer
from .lesson_page import LessonPage
from .notebooks import write_notebook

MEGABYTE = 1_000_000
CHARTS = 5
TALK = """\
from ctxkit import Message
from ctxkit.widgets import DiscardingLab
talk = [Message.system("You are a patient teacher.")]
for number in range(1, 101):
    talk.append(Message.user(f"Question {number}: why is that so?"))
    talk.append(Message.assistant(f"Answer {number}. " * 12))
del talk[200:]"""


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage], server: LabServer) -> LessonPage:
    labs = [f"DiscardingLab(talk, keep={10 * place})" for place in range(1, CHARTS + 1)]
    write_notebook(server.folder / "five_charts.ipynb", [TALK, *labs])
    lesson = open_lesson("five_charts.ipynb")
    lesson.run_all()
    return lesson


def expect_five_charts(lesson: LessonPage) -> None:
    for place in range(CHARTS):
        lesson.lab(place).expect_drawn()
    expect(lesson.page.locator(".js-plotly-plot")).to_have_count(CHARTS)


def received_bytes(lesson: LessonPage, mark: int = 0) -> int:
    return sum(message.frame_bytes for message in lesson.traffic.since(mark) if not message.from_page)


def test_first_load_of_five_charts(lesson: LessonPage) -> None:
    expect_five_charts(lesson)
    assert MEGABYTE < received_bytes(lesson) <= 5.5 * MEGABYTE


@pytest.mark.parametrize(
    ("control", "key"),
    [("Keep", "ArrowRight"), ("budget", "ArrowLeft"), ("up to message", "ArrowLeft")],
)
def test_one_step_with_200_messages(lesson: LessonPage, control: str, key: str) -> None:
    lab = lesson.lab(2)
    before = lab.picture()
    with lab.step() as messages:
        lab.slider(control).press(key)
        expect(lab.status).not_to_have_text(before.status, use_inner_text=True)
    payload = sum(message.payload_bytes for message in messages if message.type == "comm_msg")
    assert 0 < payload <= 12_000


def test_reload_of_five_charts(lesson: LessonPage) -> None:
    mark = lesson.traffic.mark()
    lesson.reload()
    expect_five_charts(lesson)
    assert MEGABYTE < received_bytes(lesson, mark) <= 5.5 * MEGABYTE


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
