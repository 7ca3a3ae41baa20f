"""`TokenUsageChart`: one bar a call, and a title that says the finding."""

from __future__ import annotations

from html import unescape

import pytest

from ctxkit import ClearToolResults, KeepRecentMessages, Message, TokenCounter, run
from ctxkit.replay.calls import FRAME, PARTS, Call
from ctxkit.widgets import TokenUsageChart
from tests.histories import A, C, S, T, U

COUNTER = TokenCounter()


def bars(chart, name):
    [trace] = [trace for trace in chart.widget.data if trace.name == name]
    return [y or 0 for y in trace.y]


def heights(chart):
    return [sum(parts) for parts in zip(*(bars(chart, part) for part in PARTS), strict=True)]


def labels(chart):
    return [label for label in chart.widget.data[0].customdata if label is not None]


def title(chart):
    return unescape(chart.widget.layout.title.text)


def chart_of(messages, **options):
    chart = TokenUsageChart(**options)
    for message in messages:
        chart.append(message)
    return chart


def test_there_is_a_bar_for_each_call_and_the_last_is_the_next_one():
    talk = [S(), U("1"), A("2"), U("3"), C("a"), T("a"), A("4"), U("5")]
    chart = chart_of(talk)
    assert labels(chart) == ["1", "3", "5", "7"]
    assert heights(chart) == [COUNTER.count_all(talk[:end]) for end in (2, 4, 6, 8)]


def test_each_message_redraws_the_next_call():
    chart = TokenUsageChart()
    seen = []
    for message in (S(), U("1"), A("2"), U("3")):
        chart.append(message)
        seen.append((labels(chart), heights(chart)[-1]))
    assert [shown for shown, _ in seen] == [["0"], ["1"], ["1", "2"], ["1", "3"]]
    assert [last for _, last in seen] == sorted(last for _, last in seen)


def test_show_draws_what_is_sent_and_what_is_dropped():
    talk = [U("word " * 30), A("word " * 20), U("last")]
    chart = chart_of(talk)
    chart.show(run(KeepRecentMessages(1).apply(talk)))
    assert heights(chart) == [COUNTER.count_all(talk[:1]), COUNTER.count_all(talk[2:])]
    assert bars(chart, "not sent") == [0, COUNTER.count(talk[0]) + COUNTER.count(talk[1])]


def test_show_again_replaces_the_same_call_and_a_longer_one_comes_after_it():
    talk = [U("1"), A("2"), U("3"), A("4"), U("5")]
    chart = TokenUsageChart()
    for keep in (3, 1):
        chart.show(run(KeepRecentMessages(keep).apply(talk[:3])))
    assert heights(chart) == [COUNTER.count_all(talk[2:3])]
    chart.show(run(KeepRecentMessages(1).apply(talk)))
    assert labels(chart) == ["2", "4"]


def test_the_bar_shown_stays_when_the_model_has_answered():
    talk = [U("1"), A("2"), U("3")]
    chart = chart_of(talk)
    chart.show(run(KeepRecentMessages(1).apply(talk)))
    chart.append(A("4"))
    assert heights(chart)[1] == COUNTER.count_all(talk[2:])
    assert heights(chart)[2] == COUNTER.count_all([*talk, A("4")])


def test_a_cleared_result_is_drawn_at_its_new_size():
    talk = [U(), C("a"), T("a", "line " * 100), A()]
    chart = TokenUsageChart()
    outcome = run(ClearToolResults(0).apply(talk))
    chart.show(outcome)
    assert heights(chart) == [COUNTER.count_all(outcome.messages)]
    assert bars(chart, "not sent") == [COUNTER.count(talk[2]) - COUNTER.count(outcome.messages[2])]


def test_of_a_thousand_messages_a_hundred_bars_are_drawn():
    chart = TokenUsageChart()
    chart.draw([Call(upto, {"user": upto}) for upto in range(1, 1001, 2)], limit=None)
    assert len(labels(chart)) == 100 and labels(chart)[-1] == "998"
    assert len(chart.widget.layout.xaxis.ticktext) <= 12
    assert chart.widget.layout.xaxis.ticktext[-1] == "998"


def test_traces_are_made_once_and_bars_keep_their_places():
    chart = TokenUsageChart()
    before = chart.widget.data
    chart.draw([Call(1, {"user": 5}), Call(3, {"user": 9})], limit=20, places=6)
    assert all(new is old for new, old in zip(chart.widget.data, before, strict=True))
    assert [*chart.widget.data[0].x] == [0, 1, 2, 3, 4, 5]
    assert bars(chart, "user") == [5, 9, 0, 0, 0, 0]
    assert [*chart.widget.layout.xaxis.range] == [-0.6, 7.6]


def test_the_limit_is_a_line_in_sight():
    line = chart_of([U()], limit=500).widget.layout.shapes[0]
    assert (line.visible, line.y0, line.y1, line.label.text) == (True, 500, 500, "window 500")
    assert chart_of([U()], limit=500).widget.layout.yaxis.range[1] > 500
    assert chart_of([U()]).widget.layout.shapes[0].visible is False


@pytest.mark.parametrize(
    ("calls", "limit", "expected"),
    [
        ([], None, "No model call yet"),
        ([Call(1, {"user": 9})], None, "9 tokens, all sent"),
        ([Call(5, {"user": 9}, 1200)], 50, "9 tokens sent, 1,200 left out"),
        ([Call(5, {"summary": 4, "user": 9}, 1200)], 50, "13 sent (summary 4), 1,200 left out"),
        (
            [Call(1, {"user": 60}), Call(3, {"user": 120})],
            100,
            "Over 100 tokens from message 2 on",
        ),
        ([Call(1, {"user": 160}), Call(3, {"user": 20})], 100, "1 of 2 calls over 100 tokens"),
        (
            [Call(7, {}, 80, required=70)],
            50,
            "Nothing can be sent: 70 tokens needed, 50 allowed",
        ),
        ([Call(1, {"user": 9}, exact=False)], None, "≈ 9 tokens, all sent"),
    ],
)
def test_the_title_says_the_finding(calls, limit, expected):
    chart = TokenUsageChart()
    chart.draw(calls, limit=limit)
    assert title(chart) == f"<b>{expected}</b>"
    assert chart.widget._alt == f"Prompt tokens at each model call: {expected}"


def test_a_call_that_cannot_be_made_is_marked():
    chart = TokenUsageChart()
    chart.draw([Call(1, {"user": 9}), Call(3, {}, 80, required=70)], limit=50)
    assert bars(chart, "cannot fit") == [0, 70]
    assert bars(chart, "not sent") == [0, 80]
    assert chart.as_text() == (
        "2 model calls, 1 of them over 50 tokens. The last one, after message 2, could not be made: "
        "at least 70 tokens had to be sent."
    )


def test_estimates_are_marked_bar_by_bar():
    chart = TokenUsageChart()
    chart.draw([Call(1, {"user": 9}), Call(3, {"user": 12}, exact=False)], limit=None)
    assert labels(chart) == ["0", "≈ 2"]
    assert chart.widget.layout.yaxis.title.text == "prompt tokens (≈ estimated)"
    exact = chart_of([U()])
    assert exact.widget.layout.yaxis.title.text == "prompt tokens" and "≈" not in exact.as_text()
    assert "≈" in chart_of([U()], counter=TokenCounter("llama3.2")).as_text()


def test_only_what_is_there_stands_in_the_legend():
    chart = chart_of([U(), A()])
    assert [t.name for t in chart.widget.data if t.showlegend] == ["user", "assistant"]


def test_tools_are_part_of_every_call():
    tools = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
    chart = chart_of([U()], tools=tools)
    assert bars(chart, FRAME) == [COUNTER.count_all((), tools)]
    assert heights(chart) == [COUNTER.count_all([U()], tools)]


def test_a_bad_message_is_refused_and_the_chart_stays():
    chart = chart_of([U()])
    before = chart.as_text()
    with pytest.raises((TypeError, ValueError), match="role"):
        chart.append({"role": "nobody", "content": "x"})
    with pytest.raises(TypeError):
        chart.append(5)
    assert chart.as_text() == before
    chart.append({"role": "assistant", "content": "as a dict"})
    assert labels(chart) == ["0", "1"]


@pytest.mark.parametrize("limit", [0, -1, 2.0, "9", True])
def test_a_limit_is_a_whole_number_above_zero(limit):
    with pytest.raises((TypeError, ValueError), match="limit"):
        TokenUsageChart(limit=limit)


def test_a_hostile_title_is_text():
    chart = TokenUsageChart(title="<b>$x$</b>\ud83d %{y}")
    chart.append(Message.user("hi"))
    assert title(chart).startswith("<b><b>$x$</b>⟨U+D83D⟩ %{y}: 8 tokens, all sent")
    assert "$" not in chart.widget.layout.title.text and "%{" not in chart.widget.layout.title.text
    assert chart.as_text().startswith("<b>$x$</b>⟨U+D83D⟩ %{y}: 1 model call.")
