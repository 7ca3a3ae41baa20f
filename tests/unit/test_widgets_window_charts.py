"""The charts of the window lab: true lengths, honest thinning, names that do not stand on one another."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ctxkit import Message, Pricing, TokenCounter, load_sample, run
from ctxkit.economy.strategy import ollama_alone
from ctxkit.replay import Ledger
from ctxkit.widgets.labs.comparing.side_by_side import SideBySide
from ctxkit.widgets.labs.window.choices import NAMES, choice
from ctxkit.widgets.labs.window.course_chart import GAP, CourseChart, _apart, finding, thinned
from ctxkit.widgets.labs.window.prompt_bar import MOST_PIECES, PromptBar, grouped
from ctxkit.widgets.labs.window.talk import Talk
from ctxkit.widgets.labs.window.work import Setting, Work
from tests.histories import A, C, S, T, U


def view_of(name, messages=None, window=2_048, reserve=0, end=None, values=None):
    talk, one = Talk(messages), choice(name)
    end, window = end or len(talk.messages), one.window(window, reserve)
    values = one.settled(values or one.start, window, len(talk.messages))
    setting = Setting(name, values, window)
    return run(Work(talk, Pricing(input=1)).view(setting, end))


def points(figure, trace):
    [found] = [one for one in figure.data if one.name == trace]
    return [*zip(found.x, found.y, strict=True)]


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_are_the_calls(name):
    view, chart = view_of(name), CourseChart()
    chart.draw(view)
    assert points(chart, "sent") == [(turn.upto - 1, turn.call.total) for turn in view.turns]
    assert points(chart, "send everything") == [(turn.upto - 1, turn.call.total) for turn in view.everything]
    assert points(chart, "now") == [(40, view.now.call.total)]
    assert [x for x, _ in points(chart, "refused")] == [t.upto - 1 for t in view.turns if not t.fits]
    assert chart.layout.shapes[0].y0 == 2_048


def test_summaries_are_marked_and_the_last_is_named():
    chart = CourseChart()
    chart.draw(view_of("Summarise old"))
    assert [x for x, _ in points(chart, "summary made")] == [20, 36]
    [made] = [trace for trace in chart.data if trace.name == "summary made"]
    assert [*made.text] == ["", "summary made"]


def test_the_name_of_a_summary_keeps_clear_of_the_names_of_the_lines():
    chart = CourseChart()
    chart.draw(view_of("Summarise old", values=(20, 19)))
    [made] = [trace for trace in chart.data if trace.name == "summary made"]
    named = {x: place for x, word, place in zip(made.x, made.text, made.textposition, strict=True) if word}
    assert named == {40: "bottom left"}
    chart.draw(view_of("Summarise old", values=(12, 5)))
    assert [*made.textposition] == ["bottom center", "bottom center", "bottom center", "bottom left"]


def test_room_for_the_reply_is_a_line_of_its_own():
    chart = CourseChart()
    chart.draw(view_of("Keep recent", window=832, reserve=112))
    limit, budget = chart.layout.shapes
    assert (limit.y0, budget.y0, budget.y1, budget.visible) == (832, 720, 720, True)
    texts = [note.text for note in chart.layout.annotations]
    assert texts == ["window 832", "send everything", "keep recent", "budget 720"]
    assert finding(view_of("Keep recent", window=832, reserve=112)) == "never more than 712 of 720"
    chart.draw(view_of("Keep recent", window=832))
    assert not chart.layout.shapes[1].visible and chart.layout.annotations[3].text == ""


def test_every_call_that_is_refused_stands_above_the_budget():
    view = view_of("Keep recent", window=832, reserve=200)
    refused = [turn.call.total for turn in view.turns if not turn.fits]
    assert refused and min(refused) > 632 and max(refused) < 832, "under the line of the window alone"


@pytest.mark.parametrize("sample", ["dolphins", "harbour"])
def test_the_server_left_alone_refuses_nothing_here_and_in_the_lab_of_lesson_9(sample):
    talk = load_sample(sample)
    here = view_of("What Ollama does", talk, window=832, reserve=112).course
    at_832 = SideBySide(Ledger(talk, TokenCounter()), lambda window: [ollama_alone(window)], None)
    [there] = at_832.at(832, len(talk) - 1, Pricing(input=1)).rivals
    sent = [(turn.upto, turn.call.total, turn.fits, turn.cached) for turn in here.turns]
    assert sent == [(turn.upto, turn.call.total, turn.fits, turn.cached) for turn in there.turns]
    assert here.refused == there.course.refused == 0
    assert max(turn.call.total for turn in here.turns) > 832 - 112


def test_a_call_that_cannot_be_made_stands_where_it_would_have_to():
    chart = CourseChart()
    view = view_of("Fit a token budget", [U("Hi"), A("Hello"), U("word " * 500)], window=200)
    chart.draw(view)
    assert points(chart, "sent")[-1] == points(chart, "refused")[-1] == (2, view.now.call.required)
    assert finding(view) == "1 call refused, from message 2 on"


def test_findings():
    assert finding(view_of("Keep recent")) == "never more than 712 of 2,048"
    assert finding(view_of("Summarise old")).endswith("with 2 summary calls")
    assert finding(view_of("Send everything")) == "5 calls refused, from message 32 on"


def test_equal_lines_are_named_once():
    chart = CourseChart()
    chart.draw(view_of("Send everything"))
    assert [note.text for note in chart.layout.annotations] == ["window 2,048", "", "send everything", ""]


def test_thinned_lines_keep_their_teeth():
    talk = [Message(("user", "assistant")[i % 2], f"{i} " + "word " * (i % 7)) for i in range(600)]
    turns = view_of("Fit a token budget", talk, window=1_024).turns
    few = thinned(turns, 40)
    totals = [turn.call.total for turn in turns]
    assert len(few) <= 40 and (few[0], few[-1]) == (turns[0], turns[-1])
    assert {max(totals), min(totals)} <= {turn.call.total for turn in few}
    assert [turn.upto for turn in few] == sorted(turn.upto for turn in few)
    assert thinned(turns, 1_000) == [*turns]


def test_names_stand_apart():
    shifts = _apart([1_000, 1_001, 999], [True, True, True], 2_000)
    heights = sorted(
        height / 2_000 * 210 + shift for height, shift in zip([1_000, 1_001, 999], shifts, strict=True)
    )
    assert all(upper - lower >= GAP - 1 for lower, upper in pairwise(heights))
    assert _apart([500, 1_500], [True, True], 2_000) == [0, 0]
    assert _apart([500, 501], [True, False], 2_000) == [0, 0]


TOOLS = [S(), U("Why?"), C("a"), T("a", "waiting " * 90), A("Because."), U("Sure?")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("messages", [None, TOOLS], ids=["talk", "tools"])
def test_the_pieces_of_the_bar_add_up_to_the_prompt(name, messages):
    view, bar = view_of(name, messages), PromptBar()
    bar.draw(view, TokenCounter())
    pieces = [
        (start, length) for trace in bar.data for start, length in zip(trace.base, trace.x, strict=True)
    ]
    ends = 0
    for start, length in sorted(pieces):
        assert start == ends
        ends += length
    assert ends == view.now.call.total
    by_role = {trace.name: sum(trace.x) for trace in bar.data if trace.x}
    assert by_role == {role: tokens for role, tokens in view.now.call.sent.items() if tokens}


def test_what_is_free_and_kept_for_the_reply():
    view, bar = view_of("Keep recent", reserve=112), PromptBar()
    bar.draw(view, TokenCounter())
    free, reply, limit = bar.layout.shapes
    assert (free.x0, free.x1, reply.x0, reply.x1, limit.x0) == (709, 1_936, 1_936, 2_048, 2_048)
    assert bar.says == "709 tokens, 1,227 free, 112 kept for the reply"


def test_a_prompt_that_is_too_long_reaches_over_the_line():
    bar = PromptBar()
    bar.draw(view_of("Send everything", reserve=112), TokenCounter())
    free, reply, limit = bar.layout.shapes
    assert not free.visible and not reply.visible and limit.x0 == 2_048 < bar.layout.xaxis.range[1]
    assert (bar.title, bar.says) == ("What would be sent now", "2,728 tokens, 792 too many")


def test_nothing_sent_is_an_empty_bar():
    bar = PromptBar()
    bar.draw(view_of("Fit a token budget", [U("word " * 500)], window=200), TokenCounter())
    assert not any(trace.x for trace in bar.data) and bar.title == "Nothing is sent"


def test_many_messages_are_drawn_as_few_pieces_of_true_length():
    pieces = [(("user", "assistant")[i % 2], 1 + i % 9, f"message {i}") for i in range(4_000)]
    few = grouped(pieces, MOST_PIECES)
    assert len(few) <= MOST_PIECES
    for role in ("user", "assistant"):
        assert sum(n for r, n, _ in few if r == role) == sum(n for r, n, _ in pieces if r == role)
    assert grouped(pieces[:MOST_PIECES], MOST_PIECES) == pieces[:MOST_PIECES]
