"""G5: notebooks, widgets, plots, as far as the kernel can tell; `tests/browser` has what a page must show."""

from __future__ import annotations

import asyncio
import json
import os
import re
from html import unescape
from pathlib import Path

import plotly.io
import pytest
from ipywidgets.widgets.widget import _instances
from jupyter_client.manager import start_new_kernel

import ctxkit
from ctxkit import KeepRecentMessages, Message, TokenCounter, ToolCall, load_sample, run
from ctxkit.widgets import DiscardingLab, MessageList, TokenUsageChart, TokenView, shown
from tests.histories import A, C, S, T, U

TALK = [S(), U("1"), A("2"), U("3"), C("a"), T("a"), A("4"), U("5")]


def test_94_a_missing_library_is_named_with_its_cure(monkeypatch):
    """The kit decides otherwise than the case: no plain figure in its place, but one error that says what to
    do; the numbers are there as text without any widget."""
    monkeypatch.setattr(shown, "find_spec", lambda name: None if name == "anywidget" else object())
    with pytest.raises(
        ImportError, match=r"need anywidget: python -m pip install anywidget, .*reload the page"
    ):
        TokenUsageChart()


@pytest.mark.parametrize(
    "make",
    [
        lambda: DiscardingLab(load_sample("dolphins"), keep=12),
        lambda: MessageList(load_sample("dolphins")),
        lambda: TokenUsageChart(limit=100),
        lambda: TokenView("What is 15% of 200?"),
    ],
)
def test_95_96_113_without_a_page_there_is_text_and_it_is_the_same_each_time(make):
    first, second = make()._repr_mimebundle_()["text/plain"], make()._repr_mimebundle_()["text/plain"]
    assert first == second and first.count(" ") > 2
    assert not re.search(r"0x[0-9a-f]+|[0-9a-f]{32}", first)


def test_97_no_renderer_is_forced():
    before = plotly.io.renderers.default
    TokenUsageChart(limit=9)
    assert plotly.io.renderers.default == before


def test_99_a_change_from_the_page_is_drawn_once(monkeypatch):
    lab = DiscardingLab(TALK, keep=5)
    drawn = []
    monkeypatch.setattr(lab, "_paint", lambda picture: drawn.append(picture.limit))
    lab.keep.slider.set_state({"value": 2})
    lab.budget.box.set_state({"value": 77})
    assert drawn == [2048, 77]


CELL = """
from ctxkit import load_sample
from ctxkit.widgets import DiscardingLab, TokenUsageChart
chat = load_sample("dolphins")
chart = TokenUsageChart(limit=1_000)
lab = DiscardingLab(chat, keep=5)
lab
"""
COUNT = "from ipywidgets.widgets.widget import _instances; print(len(_instances), lab.status[:5])"


@pytest.fixture(scope="module")
def kernel():
    path = os.pathsep.join([str(Path(ctxkit.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    manager, client = start_new_kernel(kernel_name="python3", env=os.environ | {"PYTHONPATH": path})
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def execute(client, code, cell_id=None):
    """Run a cell as JupyterLab does, with its id, or as nbclient does, without; give what it printed."""
    content = {
        "code": code,
        "silent": False,
        "store_history": True,
        "user_expressions": {},
        "allow_stdin": False,
    }
    message = client.session.msg("execute_request", content)
    message["metadata"] = {"cellId": cell_id} if cell_id else {}
    client.shell_channel.send(message)
    printed = ""
    while True:
        answer = client.get_iopub_msg(timeout=120)
        if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
            continue
        assert answer["msg_type"] != "error", answer["content"]
        if answer["msg_type"] == "stream":
            printed += answer["content"]["text"]
        if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
            return printed


@pytest.mark.parametrize("cell_ids", [("first", "second"), (None, None)], ids=["with cell ids", "without"])
def test_100_102_ten_runs_of_a_cell_leave_as_many_widgets_as_one(kernel, cell_ids):
    cell, count = cell_ids
    execute(kernel, CELL, cell)
    after_one = execute(kernel, COUNT, count)
    for _ in range(9):
        execute(kernel, CELL, cell)
    assert execute(kernel, COUNT, count) == after_one
    assert after_one.split()[1] == "Fits."


def test_102_an_edited_cell_is_still_the_same_cell(kernel):
    execute(kernel, CELL, "edited")
    before = execute(kernel, COUNT, "count")
    execute(kernel, CELL.replace("keep=5", "keep=6"), "edited")
    assert execute(kernel, COUNT, "count") == before


class Failing(TokenCounter):
    fails = False

    def count(self, message):
        if self.fails:
            raise ValueError("list content <b>cannot</b> be counted")
        return super().count(message)


def test_104_an_error_in_a_handler_is_shown_and_the_old_picture_is_marked():
    lab = DiscardingLab(TALK, keep=5, counter=(counter := Failing()))
    table, counter.fails = lab.table.widget.state, True
    lab.keep.slider.set_state({"value": 1})
    assert lab.status.startswith("Not redrawn. ValueError: list content <b>cannot</b> be counted")
    assert lab.table.widget.state == table and "ctxkit-stale" in lab._panes._dom_classes


DOLLARS = ["$100-$200", "$Hello$", "costs $5 and $6"]
TAGS = [
    "<img src=x onerror=alert(1)>",
    "</script><b>x",
    "&lt;",
    "<|im_start|>",
    "a<b and b>c",
    "<extra>x</extra>",
]


@pytest.mark.parametrize("text", [*DOLLARS, *TAGS])
def test_107_108_text_is_literal_in_every_place(text):
    call = ToolCall(text, text, {text: text})
    talk = [Message("user", text, name=text), Message.assistant(text, [call]), T(text, text), U("end")]
    chart = TokenUsageChart(title=text)
    chart.append(talk[0])
    title = chart.widget.layout.title.text
    assert not set("<>$") & set(title.removeprefix("<b>").removesuffix("</b>"))
    assert unescape(title).startswith(f"<b>{text}: ")
    lab = DiscardingLab(talk, question=text)
    heading = lab.widget.children[0].value
    assert not re.search(r"<(?!/?(h3|p|bdi|span)>)|\$", heading)
    assert text in unescape(heading.replace("<span>", "").replace("</span>", ""))
    rows = lab.table.widget.content["rows"]
    assert [row[1] for row in rows[::2]] == [text, text] and text in rows[1][1]


def test_109_a_redraw_keeps_its_traces_and_handlers():
    chart = TokenUsageChart()
    clicked = []
    chart.widget.data[3].on_click(lambda *_: clicked.append(True))
    before = chart.widget.data
    for message in TALK * 5:
        chart.append(message)
    assert all(new is old for new, old in zip(chart.widget.data, before, strict=True))
    chart.widget.data[3]._dispatch_on_click(object(), None)
    assert clicked == [True]


def test_110_fifty_changes_end_with_the_last():
    lab = DiscardingLab(load_sample("dolphins"), keep=1)
    for keep in range(50):
        lab.keep.slider.set_state({"value": keep % 30})
    assert lab.status == DiscardingLab(load_sample("dolphins"), keep=49 % 30).status


def test_111_slider_and_box_do_not_chase_each_other():
    lab = DiscardingLab(load_sample("dolphins"), max_tokens=999)
    told = []
    lab.budget.box.observe(lambda change: told.append(change["new"]), names="value")
    lab.budget.box.set_state({"value": 1_234})
    lab.budget.slider.set_state({"value": lab.budget.slider.value})
    assert (told, lab.budget.value) == ([1_234], 1_234)


def test_112_a_lab_is_built_and_moved_inside_a_running_loop():
    async def cell():
        lab = DiscardingLab(TALK, keep=5)
        await asyncio.to_thread(lambda: setattr(lab.keep, "value", 3))
        lab.budget.slider.set_state({"value": 20})
        return lab.status

    assert asyncio.run(cell()).startswith("Fits. ")


def test_116_one_setting_is_one_picture_whatever_was_shown_before():
    walked = DiscardingLab(TALK, keep=0, max_tokens=60)
    for keep in (8, 1, 4):
        walked.keep.slider.set_state({"value": keep})
    assert walked.as_text() == DiscardingLab(TALK, keep=4, max_tokens=60).as_text()


def test_118_dicts_and_messages_of_a_reloaded_module_will_do():
    as_dicts = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    chart = TokenUsageChart()
    for message in as_dicts:
        chart.append(message)
    assert chart.as_text().startswith("2 model calls.")
    assert MessageList(as_dicts).as_text().startswith("2 of 2 messages are sent")


def test_119_a_page_in_the_dark_gets_paper_and_ink_together():
    themes = TokenUsageChart().widget._themes
    for name in ("paper_bgcolor", "plot_bgcolor", "font.color", "title.font.color", "legend.font.color"):
        assert themes["dark"][name] != themes["light"][name]
        assert "rgba(0" not in json.dumps(themes["dark"][name])


def test_show_and_append_redraw_without_a_new_widget():
    chart = TokenUsageChart(limit=40)
    before = len(_instances)
    for message in TALK:
        chart.append(message)
    chart.show(run(KeepRecentMessages(1).apply(TALK)))
    assert len(_instances) == before
