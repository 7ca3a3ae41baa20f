"""`MemoryLab` and its strip: where each turn lives, the same in chart, table and words."""

from __future__ import annotations

from collections import Counter

import pytest

from ctxkit import HierarchicalMemory, OfflineModel, load_sample, run
from ctxkit.widgets import MemoryLab
from ctxkit.widgets.labs.memory import guide_tiers
from ctxkit.widgets.tier_strip import TIERS, TierStrip
from tests.histories import A, C, S, T, U


def talk(turns):
    return [message for i in range(turns) for message in (U(f"question {i} about tides"), A(f"answer {i}"))]


def row(chart, height):
    """The tiers of one row of the chart, 1 the upper and 0 the lower, by turn."""
    cells = {}
    for trace in chart.data:
        for turn, base, size in zip(trace.x, trace.base, trace.y, strict=True):
            if base < height < base + size:
                assert turn not in cells
                cells[turn] = trace.name
    return [cells[turn] for turn in sorted(cells)]


def picture(lab):
    figure = lab.chart.to_dict()
    traces = [{name: value for name, value in trace.items() if name != "uid"} for trace in figure["data"]]
    return traces, figure["layout"], lab.table.widget.state, lab.status, lab.as_text()


def test_the_figures_of_the_guide():
    lab = MemoryLab(load_sample("phrasebook"))
    assert lab.status == (
        "Nothing is lost. After 100 turns: 10 recent, 10 pending, 80 in the summary (4 model calls). "
        "The guide's rule: 10 recent, 10 in its summary, 80 lost."
    )
    assert Counter(row(lab.chart, 1)) == {"summary": 80, "pending": 10, "recent": 10}
    assert Counter(row(lab.chart, 0)) == {"lost": 80, "summary": 10, "recent": 10}
    assert lab.table.as_text().splitlines()[0] == "40 of 200 messages are sent"


@pytest.mark.parametrize(("window", "threshold", "turns"), [(2, 5, 13), (0, 1, 4), (3, 20, 12), (1, 3, 1)])
def test_chart_table_and_words_say_what_the_memory_says(window, threshold, turns):
    lab = MemoryLab(talk(20), window_size=window, summary_threshold=threshold, turns=turns)
    memory = HierarchicalMemory(OfflineModel(), window, threshold)
    calls = sum(run(memory.add(m.content, "answer")).model_calls for m in talk(turns)[::2])
    tiers = ["summary" if tier == "summary 1" else tier for tier in memory.where()]
    count = Counter(tiers)
    assert row(lab.chart, 1) == tiers
    assert row(lab.chart, 0) == guide_tiers(turns, window, threshold)
    assert f"{count['recent']} recent, {count['pending']} pending, {count['summary']} in" in lab.status
    assert f"({calls} model call{'s' * (calls != 1)})" in lab.status
    runs = lab.table.widget.state["runs"]
    assert sum(n for action, _, n in runs if action == "summarised") == 2 * count["summary"]
    assert sum(n for action, _, n in runs if action == "kept") == 2 * (turns - count["summary"])
    assert len(lab.table.widget.state["made"]) == (count["summary"] > 0)


def test_one_setting_shows_one_picture_whatever_came_before():
    lab = MemoryLab(talk(20))
    for control, value in (
        (lab.turns, 7),
        (lab.window, 3),
        (lab.threshold, 4),
        (lab.window, 12),
        (lab.turns, 20),
    ):
        control.value = value
    fresh = MemoryLab(talk(20), window_size=12, summary_threshold=lab.threshold.value)
    assert picture(lab) == picture(fresh)


def test_the_threshold_moves_along_with_a_window_that_reaches_it():
    lab = MemoryLab(talk(20), window_size=2, summary_threshold=5)
    lab.window.value = 9
    assert lab.threshold.value == 10
    lab.threshold.value = 3
    assert lab.threshold.value == 10
    lab.window.value = 1
    assert (lab.threshold.value, lab.status[:16]) == (10, "Nothing is lost.")


def test_turns_with_tools_and_a_head_and_an_open_end():
    messages = [S(), U("When?"), C("a"), T("a", "14:20"), A("At 14:20."), U("Thanks"), A("Gladly"), U("And?")]
    lab = MemoryLab(messages)
    assert "After 2 turns: 2 recent" in lab.status
    assert "6 of 6 messages are sent" in lab.as_text()


@pytest.mark.parametrize(
    ("messages", "options", "error"),
    [
        ([U("alone")], {}, "messages: a lab needs at least one question with its answer"),
        ([A("first")], {}, r"messages\[0\]: a turn begins with a user message"),
        ([U("one"), U("two"), A("fine")], {}, r"messages\[0\]: this question has no answer"),
        ([U("one"), A(None), U("two"), A("fine")], {}, r"messages\[0\]: this question has no answer"),
        ([S(), U("one"), T("a"), A("fine")], {}, r"messages\[1\]: steps\[0\]: orphan_result"),
        (talk(3), {"turns": 0}, "turns: expected a whole number of at least 1"),
        (talk(3), {"window_size": 30}, "summary_threshold: 30 is not above window_size, 30"),
    ],
)
def test_what_makes_no_lab_is_refused_by_name(messages, options, error):
    with pytest.raises(ValueError, match=f"^{error}"):
        MemoryLab(messages, **options)


def test_a_guides_rule_that_never_reached_its_threshold_has_no_summary():
    assert Counter(guide_tiers(29, 10, 30)) == {"lost": 19, "recent": 10}
    assert guide_tiers(3, 10, 30) == ["recent"] * 3
    assert guide_tiers(0, 10, 30) == []


def test_the_strip_escapes_names_and_findings_and_names_every_tier():
    strip = TierStrip()
    strip.draw({"<b>mine</b>": ["recent"]}, 1, "costs $5 <extra>")
    assert "<extra>" not in strip.layout.title.text and "$" not in strip.layout.title.text
    assert strip.layout.yaxis.ticktext == ("&lt;b&gt;mine&lt;/b&gt;",)
    assert [trace.name for trace in strip.data] == list(TIERS)
