"""What crosses from the kernel to the page: how much, and how often."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import comm
import plotly
import pytest

from ctxkit import KeepRecentMessages, Message, run
from ctxkit.widgets import DiscardingLab, MessageList, TokenUsageChart, TokenView
from ctxkit.widgets.figure import Figure, theme_layout, zipped_bundle
from ctxkit.widgets.palette import DARK, LIGHT, contrast

KILOBYTE, MEGABYTE = 1_000, 1_000_000


class Wire:
    """Everything that widgets sent since the wire was last cleared."""

    def __init__(self) -> None:
        self.messages: list[tuple[dict[str, Any], int]] = []

    def clear(self) -> None:
        self.messages.clear()

    @property
    def size(self) -> int:
        """Bytes of state and buffers, envelopes not counted."""
        return sum(
            len(json.dumps(data, ensure_ascii=False).encode()) + extra for data, extra in self.messages
        )

    @property
    def custom(self) -> list[dict[str, Any]]:
        return [data["content"] for data, _ in self.messages if data.get("method") == "custom"]

    @property
    def updates(self) -> list[dict[str, Any]]:
        return [data["state"] for data, _ in self.messages if data.get("method") == "update"]

    @property
    def text(self) -> str:
        return json.dumps([data for data, _ in self.messages], ensure_ascii=False)


@pytest.fixture
def wire(monkeypatch):
    wire = Wire()

    class Recorder(comm.DummyComm):
        def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
            wire.messages.append((data or {}, sum(map(len, buffers or ()))))

    monkeypatch.setattr(comm, "create_comm", Recorder)
    return wire


def talk(length):
    messages = [Message.system("You are a patient teacher.")]
    while len(messages) < length:
        messages.append(Message.user(f"Question {len(messages)}: why is that so?"))
        messages.append(Message.assistant(f"Answer {len(messages)}. " * 12))
    return messages[:length]


def ask(figure, about):
    """What a page asks of the kernel."""
    figure._handle_custom_msg({"ctxkit": about}, [])


def test_five_charts_and_one_script(wire):
    charts = [TokenUsageChart(limit=500) for _ in range(5)]
    for chart in charts:
        for message in talk(40):
            chart.append(message)
        ask(chart.widget, "state")
    ask(charts[0].widget, "bundle")
    assert MEGABYTE < wire.size <= 5.5 * MEGABYTE
    assert [content["ctxkit"] for content in wire.custom].count("bundle") == 1


def test_the_script_is_plotlys_own():
    script = gzip.decompress(zipped_bundle())
    assert (
        script
        == Path(str(plotly.__file__)).with_name("package_data").joinpath("widgetbundle.js").read_bytes()
    )
    assert len(zipped_bundle()) < 2 * MEGABYTE < len(script)


def test_other_questions_of_a_page_get_no_answer(wire):
    chart = TokenUsageChart()
    wire.clear()
    for content in ({}, {"ctxkit": "other"}, "text", None):
        chart.widget._handle_custom_msg(content, [])
    assert wire.messages == []


def test_a_page_that_asks_gets_what_the_chart_shows_now(wire):
    chart = TokenUsageChart(limit=900)
    for message in talk(6):
        chart.append(message)
    wire.clear()
    ask(chart.widget, "state")
    [answer] = wire.custom
    shown = chart.widget.to_dict()
    assert answer["state"] == {"_widget_data": shown["data"], "_widget_layout": shown["layout"]}
    assert answer["state"]["_widget_layout"]["shapes"][0]["y0"] == 900


def test_a_page_that_is_loaded_again_gets_it_too(wire):
    chart = TokenUsageChart()
    chart.append(Message.user("hi"))
    state = chart.widget.get_state()
    [user] = [trace for trace in state["_widget_data"] if trace["name"] == "user"]
    assert user["y"] == [5] and "8 tokens, all sent" in state["_widget_layout"]["title"]["text"]
    assert chart.widget.get_state("_alt") == {"_alt": "Prompt tokens at each model call: 8 tokens, all sent"}


@pytest.mark.parametrize("name", ["upto", "keep", "budget"])
def test_a_step_with_200_messages(wire, name):
    lab = DiscardingLab(talk(200), keep=30, max_tokens=4_000)
    control = getattr(lab, name)
    notches = [control.slider.min, control.slider.max, 7, 8, control.slider.max // 2]
    sizes = []
    for notch in notches:
        before = lab.status
        wire.clear()
        control.slider.set_state({"value": notch})  # what a page sends
        assert lab.status != before
        sizes.append(wire.size)
    assert 0 < max(sizes) <= 12 * KILOBYTE


def test_a_drawing_is_one_update_of_what_changed(wire):
    chart = TokenUsageChart(limit=50)
    outcome = run(KeepRecentMessages(1).apply(talk(3)))
    chart.show(outcome)
    wire.clear()
    chart.show(outcome)
    assert not any(state.get("_py2js_update") for state in wire.updates), "nothing changed"
    chart.append(Message.user("hi"))
    drawings = [state["_py2js_update"] for state in wire.updates if state.get("_py2js_update")]
    assert len(drawings) == 1 and set(drawings[0]["style_data"]) <= {"x", "y", "customdata", "showlegend"}


def test_texts_of_a_table_go_once(wire):
    messages = talk(50)
    table = MessageList(messages)
    assert wire.text.count("Answer 2.") > 0
    wire.clear()
    table.show(run(KeepRecentMessages(5).apply(messages)))
    assert "Answer" not in wire.text and wire.size < KILOBYTE
    wire.clear()
    table.show(run(KeepRecentMessages(5).apply(messages)))
    assert wire.messages == []


def test_what_is_typed_is_not_sent_back(wire):
    view = TokenView()
    wire.clear()
    view.widget.set_state({"text": "typed"})
    assert [sorted(state) for state in wire.updates] == [["state"]]
    assert not any(data.get("method") == "echo_update" for data, _ in wire.messages)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_paper_plot_and_ink_of_a_figure_go_together(theme):
    layout = theme_layout(theme)
    for paper in ("paper_bgcolor", "plot_bgcolor", "hoverlabel.bgcolor"):
        for ink in ("font.color", "title.font.color", "hoverlabel.font.color"):
            assert contrast(layout[paper], layout[ink]) >= 4.5


def test_a_figure_starts_as_a_pair_of_paper_and_ink():
    layout = TokenUsageChart().widget.layout
    assert (layout.paper_bgcolor, layout.plot_bgcolor, layout.font.color) == (
        LIGHT.paper,
        LIGHT.paper,
        LIGHT.ink,
    )
    assert layout.shapes[0].label.font.color == LIGHT.limit


def test_both_themes_say_the_same_things():
    themes = TokenUsageChart().widget._themes
    assert set(themes["light"]) == set(themes["dark"]) and themes["light"] != themes["dark"]


def test_a_figure_has_no_bar_no_logo_no_cloud():
    config = Figure([], {}, {"light": {}, "dark": {}})._config
    assert (config["displayModeBar"], config["displaylogo"], config["showSendToCloud"]) == (
        False,
        False,
        False,
    )
