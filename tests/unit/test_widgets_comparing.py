"""`StrategiesLab`: one setting, one picture; the figures of `simulate`; hostile names as text."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit import (
    ClearToolResults,
    Fact,
    KeepRecentMessages,
    KeepWithinTokens,
    Message,
    OfflineModel,
    Pricing,
    Quiz,
    Strategy,
    SummarizeOldMessages,
    load_sample,
    run,
    simulate,
)
from ctxkit.economy import send_everything, usual_strategies
from ctxkit.samples.quizzes import load_quiz
from ctxkit.widgets import StrategiesLab
from ctxkit.widgets.labs.comparing.label_places import LINE, place_labels
from ctxkit.widgets.labs.comparing.marks import MARKS
from ctxkit.widgets.palette import DARK, LIGHT, contrast
from tests.fakes import FakeModel
from tests.histories import A, S, U

TALK = load_sample("dolphins")
QUIZ = Quiz([*(load_quiz("dolphins") or ())][::3])
PRICES = Pricing(input=3, cached_input=0.75, output=10, currency="EUR")
HOSTILE = "\u202ea\ud83d<script>$x$%{y}</b>"


def picture(lab):
    """All that a lab shows, as data."""
    figure = lab.chart.to_dict()
    traces = [{name: value for name, value in trace.items() if name != "uid"} for trace in figure["data"]]
    return traces, figure["layout"], lab.chart._alt, lab.table.widget.state, lab.status, lab.as_text()


@cache
def shared_lab():
    return StrategiesLab(TALK, quiz=QUIZ, window=2_048)


@pytest.mark.parametrize("window", [700, 2_048, 4_096])
def test_the_figures_are_those_of_simulate(window):
    lab = StrategiesLab(TALK, quiz=QUIZ, window=window, pricing=PRICES)
    simulation = run(simulate(TALK, usual_strategies(window), window, PRICES, QUIZ))
    comparison = lab._compute()
    for rival, course in zip(comparison.rivals, simulation.courses, strict=True):
        assert [replace(turn, money=None) for turn in course.turns] == [*rival.turns]
        assert rival.money == [turn.money for turn in course.turns]
        assert (rival.name, rival.cost) == (course.strategy, pytest.approx(course.money))
        assert rival.knows == [turn.facts for turn in course.turns]
        assert rival.reuses[-1] == pytest.approx(100 * course.reuse)
        assert PRICES.show(rival.cost) in lab.as_text()
    everything = run(simulate(TALK, [send_everything()], 10**6, PRICES)).courses[0]
    assert comparison.everything == pytest.approx(everything.money)


def test_part_of_a_conversation_is_as_if_it_ended_there():
    lab = StrategiesLab(TALK, window=1_024, upto=22)
    short = run(simulate(TALK[:23], usual_strategies(1_024), 1_024))
    for rival, course in zip(lab._compute().rivals, short.courses, strict=True):
        # The conversation goes on, so its last call has a reply; the rest is the same.
        assert [*rival.turns[:-1]] == [*course.turns[:-1]]
        assert replace(rival.turns[-1], reply=0) == course.turns[-1]


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1_000))
def test_one_setting_always_shows_one_picture(seed):
    chance = random.Random(seed)
    lab = shared_lab()
    for _ in range(5):
        control = chance.choice([lab.window, lab.upto, lab.cached])
        control.slider.set_state({"value": chance.randint(control.slider.min, control.slider.max)})
    fresh = StrategiesLab(TALK, quiz=QUIZ, window=2_048)
    for name in ("window", "upto", "cached"):
        getattr(fresh, name).value = getattr(lab, name).value
    assert picture(fresh) == picture(lab)
    assert "Not redrawn" not in lab.status


def test_the_chart_draws_what_the_table_says():
    lab = StrategiesLab(TALK, quiz=QUIZ, window=2_048)
    rivals = lab._compute().rivals
    data = lab.chart.to_dict()["data"]
    for at, rival in enumerate(rivals):
        assert (data[at]["x"][0], data[at]["y"][0]) == (rival.cost, rival.turns[-1].facts)
        tokens, money, reuse, facts = (data[at + len(rivals) * panel] for panel in (1, 2, 3, 4))
        assert [*tokens["x"]] == [turn.upto - 1 for turn in rival.turns]
        assert [*tokens["y"]] == [turn.call.total for turn in rival.turns]
        assert money["y"][-1] == pytest.approx(rival.cost)
        assert reuse["y"][-1] == pytest.approx(100 * rival.course.reuse)
        assert facts["y"][-1] == rival.turns[-1].facts
        assert tokens["selectedpoints"] == [len(rival.turns) - 1]
        assert lab.table.widget.state["rows"][at][:2] == [MARKS[at].icon, MARKS[at].colour]


def test_the_status_says_the_finding():
    lab = StrategiesLab(TALK, quiz=QUIZ, window=4_096)
    assert lab.status.startswith("Cheapest that keeps 9 of 10 facts: send everything, which knows ")
    assert lab.status.endswith("After message 40, 21 calls.")
    lab.window.value = 1_024
    assert lab.status.startswith("No strategy keeps 9 of 10 facts. Most is kept by ")
    assert "Calls refused in this window: send everything (13)" in lab.status
    lab.upto.value = 0
    assert lab.status.startswith("Nothing to know yet.")


def test_what_is_refused_is_never_the_cheapest_that_keeps_enough():
    known = Quiz([Fact("How many hens does Ada keep?", ["12"], [0])])
    talk = [Message.user("Ada keeps 12 hens."), A("word " * 300), Message.user("And how many goats?")]
    rivals = [send_everything(), Strategy("recent", [KeepRecentMessages(1)])]
    lab = StrategiesLab(talk, rivals, window=64, quiz=known)
    assert lab._compute().rivals[0].cost < lab._compute().rivals[1].cost
    assert lab.status.startswith("No strategy keeps 1 of 1 fact.")


def test_a_dearer_cache_changes_money_and_no_figure_else():
    lab = StrategiesLab(TALK, quiz=QUIZ, window=4_096)
    before = lab._compute()
    lab.cached.value = 100
    after = lab._compute()
    assert [rival.turns for rival in after.rivals] == [rival.turns for rival in before.rivals]
    assert after.rivals[0].cost > 2 * before.rivals[0].cost
    assert lab.pricing.cached_input == lab.pricing.input == 2


def test_without_a_quiz_the_share_that_is_sent_counts():
    lab = StrategiesLab([S(), U("1"), A("2"), U("3")], [Strategy("one", [KeepRecentMessages(1)])])
    [rival] = lab._compute().rivals
    turn = rival.turns[-1]
    assert rival.knows[-1] == round(100 * turn.call.total / (turn.call.total + turn.call.not_sent))
    assert "talk sent" in lab.as_text()
    assert lab.status.startswith("No strategy sends 84 % of the talk. Most is sent by one: ")
    assert "knows" not in lab.status


def test_without_a_quiz_the_lab_says_what_is_enough():
    lab = StrategiesLab(TALK, window=4_096)
    assert "send everything, which sends 100 % of the talk for " in lab.status
    assert "84 % sent counts as enough, like 10 of 12 facts" in str(lab.widget.children[0].value)
    assert lab.chart.to_dict()["layout"]["shapes"][0]["label"]["text"] == "enough: 84 % of the talk"
    other = StrategiesLab(TALK, quiz=QUIZ)
    assert other.chart.to_dict()["layout"]["shapes"][0]["label"]["text"] == "enough: 9 facts"


@pytest.mark.parametrize("prices", [Pricing(input=2), Pricing(input=2, cached_input=2), Pricing(input=0)])
def test_nothing_is_said_of_reuse_where_no_cache_saves_anything(prices):
    lab = StrategiesLab(TALK, quiz=QUIZ, window=4_096, pricing=prices)
    assert "no cache saves anything" in lab.status and "reused" not in lab.status
    lab = StrategiesLab(TALK, quiz=QUIZ, window=4_096, pricing=PRICES)
    assert "of its prompts were reused" in lab.status
    lab.cached.value = 100
    assert "no cache saves anything" in lab.status and "reused" not in lab.status


def test_before_the_first_call_there_is_nothing_to_compare():
    lab = StrategiesLab([S(), U("1"), A("2")], upto=0)
    assert lab.as_text().startswith("No call yet.")
    lab.upto.value = 1
    assert "1 call up to message 1" in lab.as_text()


def test_tool_results_bring_a_strategy_of_their_own():
    lab = StrategiesLab(load_sample("harbour"))
    assert [row[3] for row in lab.table.widget.state["rows"]][-1] == "shorten tool results"
    assert "shorten tool results" not in StrategiesLab([U(), A(), U()]).as_text()


def test_summaries_are_made_by_the_offline_reader_whatever_model_a_strategy_has():
    model = FakeModel()
    lab = StrategiesLab(TALK, [Strategy("mine", [SummarizeOldMessages(model, 20, 5)])])
    same = StrategiesLab(TALK, [Strategy("mine", [SummarizeOldMessages(OfflineModel(), 20, 5)])])
    assert model.requests == []
    assert lab.as_text() == same.as_text()


def test_each_window_is_asked_about_once():
    lab = StrategiesLab(TALK, quiz=QUIZ, window=2_048)
    lab.window.value = 1_500
    asked = lab._work._reader.asked
    lab.window.value, lab.cached.value, lab.upto.value = 2_048, 50, 30
    assert lab._work._reader.asked == asked


def test_hostile_names_are_shown_as_text():
    rivals = [Strategy(HOSTILE, [ClearToolResults(1)]), Strategy(HOSTILE + "2")]
    lab = StrategiesLab([U(), A(), U()], rivals, pricing=replace(PRICES, currency="<i>$"))
    figure = str(lab.chart.to_dict()).replace("<b>", "").replace("</b>", "").replace("<br>", "")
    assert "<script" not in figure and "$x$" not in figure and "%{y}" not in figure.replace(", %{y}<", "")
    for shown in (str(lab.table.widget.state), lab.as_text()):
        assert "⟨U+202E⟩" in shown and "⟨U+D83D⟩" in shown and "\u202e" not in shown
    assert lab.status.encode("utf-8")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"window": 10}, "window"),
        ({"window": "2048"}, "window"),
        ({"upto": -1}, "upto"),
        ({"strategies": []}, "1 to 10"),
        ({"strategies": [Strategy(str(n)) for n in range(11)]}, "1 to 10"),
        ({"strategies": [KeepWithinTokens(3)]}, r"strategies\[0\]"),
        ({"strategies": [Strategy("a"), Strategy("a")]}, "two are called 'a'"),
        ({"quiz": Quiz([Fact("?", ["x"], [9])])}, r"quiz.facts\[0\]"),
        ({"quiz": [QUIZ.facts[0]]}, "quiz: expected a Quiz, got list"),
        ({"pricing": 2}, "pricing: expected a Pricing, got int"),
        ({"counter": "gpt-4"}, "counter"),
    ],
)
def test_bad_settings_are_named(options, error):
    with pytest.raises((TypeError, ValueError), match=error):
        StrategiesLab([U(), A()], **options)


def test_a_conversation_has_messages():
    with pytest.raises(ValueError, match="at least one message"):
        StrategiesLab([])


def test_a_call_that_can_never_be_made_is_drawn_where_it_would_stand():
    talk = [U("word " * 500), A("ok")]
    lab = StrategiesLab(talk, [Strategy("tight", [KeepWithinTokens(100)])], window=200)
    assert lab._compute().rivals[0].heights[0] > 500
    assert "tight (1)" in lab.status


def test_it_has_exactly_three_controls():
    lab = StrategiesLab([U()])
    [bar] = [child for child in lab.widget.children if "ctxkit-panel" in child._dom_classes]
    assert [control.children[0].description for control in bar.children] == [
        "Window (tokens)",
        "Conversation up to message",
        "Price of a cached token (%)",
    ]


def test_marks_differ_in_shape_and_can_be_seen_on_both_papers():
    assert len({mark.shape for mark in MARKS}) == len({mark.icon for mark in MARKS}) == len(MARKS)
    papers = [LIGHT.paper, LIGHT.soft, DARK.paper, DARK.soft]
    assert {
        mark.colour: paper for mark in MARKS for paper in papers if contrast(mark.colour, paper) < 3
    } == {}


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(1, 20)), min_size=1, max_size=7))
def test_names_of_marks_stay_inside_the_plot(marks):
    places = place_labels([(x, y) for x, y, _ in marks], [length for *_, length in marks], 300)
    for (_, up, _), place in zip(marks, places, strict=True):
        assert place.up == 0 or LINE / 2 <= 300 * up + place.up <= 300 - LINE / 2


def test_names_at_one_spot_stand_apart():
    places = place_labels([(0.5, 0.5)] * 6, [9] * 6, 300)
    assert len({*places}) == 6
