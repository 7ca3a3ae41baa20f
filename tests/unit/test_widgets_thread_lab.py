"""`ThreadLab` and its picture: what a thread holds after each exchange, the same in graph, bars, table and
words."""

from __future__ import annotations

import pytest

from ctxkit import MemoryStore, Message, OfflineModel, SummaryThread, load_sample
from ctxkit.models import SummaryFailed
from ctxkit.widgets import ThreadLab
from ctxkit.widgets.labs.exchanges import ends
from ctxkit.widgets.thread_picture import NODES
from tests.histories import A, C, S, T, U
from tests.talks import GUIDE, say

HOSTILE = "<img src=x onerror=alert(1)> $x$ %{y} <extra> \u202e"


def talk(exchanges):
    return [message for i in range(exchanges) for message in (U(f"question {i}"), A(f"answer {i}"))]


def lit(chart):
    """The nodes that the picture shows as passed, by dot, and by border."""
    dots = {note.text[2:].split("<br>")[0] for note in chart.layout.annotations if note.text[:1] == "●"}
    borders = {trace.name for trace in chart.data if trace.name in NODES and trace.line.width == 3}
    assert dots == borders
    return dots


def bars(chart):
    """(messages that stay, messages removed) after each exchange so far."""
    rows = {trace.name: trace.y for trace in chart.data}
    pairs = zip(rows["stay"], rows["removed"], strict=True)
    return [(stay, removed or 0) for stay, removed in pairs if stay is not None]


def picture(lab):
    figure = lab.chart.to_dict()
    traces = [{name: value for name, value in trace.items() if name != "uid"} for trace in figure["data"]]
    return traces, figure["layout"], lab.table.widget.state, lab.status, lab.as_text()


def test_the_example_of_the_guide():
    thread = SummaryThread(OfflineModel(), MemoryStore(), "guide")
    say(thread, *GUIDE)
    lab = ThreadLab(thread.transcript())
    assert lab.status.startswith(
        "Summarised. Exchange 4 made 8 messages, more than 6: 6 went into the summary, 2 stay. "
        "Summaries so far: 1 (exchange 4)."
    )
    assert bars(lab.chart) == [(2, 0), (4, 0), (6, 0), (2, 6)]
    assert lit(lab.chart) == {"START", "conversation", "condition", "summarise", "END"}
    assert "2 of 8 messages are sent" in lab.as_text()
    assert "Ada" in lab.table.widget.state["made"][0][2]


@pytest.mark.parametrize(("most", "keep"), [(6, 2), (3, 0), (7, 6), (2, 1), (29, 3)])
def test_each_exchange_shows_the_state_that_a_thread_has(most, keep):
    """Beside a thread that gets the same conversation by `send`, from a model that repeats its replies."""
    history = [message for message in load_sample("lighthouse") if not message.tool_calls]
    history = [message for message in history if message.role != "tool"]
    replies = iter([message for message in history if message.role == "assistant"])
    reader = OfflineModel()

    class Repeats:
        async def chat(self, messages, tools=()):
            reply = await reader.chat(messages)
            if messages[-1].content.startswith("Summarise"):
                return reply
            return type(reply)(next(replies))

    lab = ThreadLab(history, max_messages=most, keep=keep)
    thread = SummaryThread(Repeats(), MemoryStore(), "beside", most, keep)
    for place, question in enumerate(history[::2], 1):
        events = say(thread, question.content)
        removed = sum(len(event.removed) for event in events)
        lab.exchange.value = place
        assert bars(lab.chart)[-1] == (len(thread.state.messages), removed)
        assert ("summarise" in lit(lab.chart)) is (removed > 0)
        runs = lab.table.widget.state["runs"]
        assert sum(count for action, _, count in runs if action == "kept") == len(thread.state.messages)
        shown = [row[2] for row in lab.table.widget.state["made"]]
        assert len(shown) == bool(thread.state.summary)
        assert f"more than {most}" in lab.status


def test_a_call_stays_with_its_results():
    lab = ThreadLab(load_sample("lighthouse"), exchange=7)
    assert (
        "7 went into the summary, 3 stay. That is more than 2: no call is parted from its results."
        in lab.status
    )
    assert lit(lab.chart) == {*NODES}
    lab.exchange.value = 8
    assert lit(lab.chart) == {"START", "conversation", "condition", "END"}


def test_a_talk_without_tools_has_no_node_for_them():
    assert {trace.name for trace in ThreadLab(talk(2)).chart.data} >= {*NODES} - {"tools"}
    assert "tools" not in {trace.name for trace in ThreadLab(talk(2)).chart.data}


def test_one_setting_shows_one_picture_whatever_came_before():
    lab = ThreadLab(load_sample("lighthouse"))
    for control, value in (
        (lab.exchange, 7),
        (lab.keep, 5),
        (lab.max_messages, 20),
        (lab.keep, 1),
        (lab.exchange, 11),
        (lab.max_messages, 8),
    ):
        control.value = value
    fresh = ThreadLab(load_sample("lighthouse"), max_messages=8, keep=1, exchange=11)
    assert picture(lab) == picture(fresh)


def test_each_of_the_two_sliders_ends_where_the_other_stands():
    lab = ThreadLab(talk(20))
    lab.keep.value = 30
    assert (lab.keep.value, lab.keep.box.max, lab.keep.box.description) == (5, 5, "keep (5 or fewer)")
    lab.max_messages.value = 1
    assert (lab.max_messages.value, lab.max_messages.box.description) == (6, "max_messages (6 or more)")


def test_a_head_is_never_removed_and_not_counted():
    lab = ThreadLab([S("Answer briefly."), *talk(4)])
    assert bars(lab.chart)[-1] == (2, 6)
    assert lab.table.widget.state["runs"][0][::2] == ["kept", 1]


def test_a_message_that_waits_for_its_answer():
    lab = ThreadLab([*talk(3), U("Hello?"), U("Anybody?")])
    assert lab.status.startswith("Waiting. The last message has no answer yet.")
    assert lit(lab.chart) == {"START", "conversation"}
    assert lab.exchange.slider.max == 4


def test_what_cannot_be_parted_all_stays():
    calls = [C("a", "b"), T("a", "14:20"), T("b", "15:10"), A("Then.")]
    lab = ThreadLab([*calls, U("Thanks")], max_messages=3, keep=2, exchange=1)
    assert bars(lab.chart) == [(4, 0)]
    assert "4 messages, more than 3, but a call and its results cannot be parted." in lab.status
    assert "summarise" not in lit(lab.chart)
    assert "4 &gt; 3, no cut" in str(lab.chart.layout.annotations)


def test_a_broken_transcript_is_mended_first():
    lab = ThreadLab([U("When?"), T("nobody asked", "x"), C("a"), U("Hello?"), A("Hi")])
    assert lab.status.startswith("All stay.")


def test_a_dump_of_a_thread_goes_into_a_lab():
    thread = SummaryThread(OfflineModel(), MemoryStore(), "t")
    thread.load(load_sample("lighthouse"))
    assert ThreadLab(thread.dump()).as_text() == ThreadLab(load_sample("lighthouse")).as_text()


def test_hostile_text_is_text_in_the_table_and_nowhere_in_the_figure():
    lab = ThreadLab([U(HOSTILE), A(HOSTILE), *talk(4)])
    assert "onerror" not in str(lab.chart.to_dict())
    assert "\u202e" not in lab.as_text() + str(lab.table.widget.content)
    assert "⟨U+202E⟩" in str(lab.table.widget.content)


def test_a_summary_that_fails_is_told_and_the_last_picture_stays(monkeypatch):
    lab = ThreadLab(talk(6))
    before = bars(lab.chart)

    async def fails(self, messages, tools=()):
        raise SummaryFailed(HOSTILE)

    monkeypatch.setattr(OfflineModel, "chat", fails)
    lab.max_messages.value = 5
    assert lab.status.startswith("Not redrawn. SummaryFailed: ")
    assert "\u202e" not in lab.status
    assert bars(lab.chart) == before


def test_many_summaries_are_counted_and_some_named():
    lab = ThreadLab(talk(30), max_messages=1, keep=0)
    assert "Summaries so far: 30 (exchanges 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …)." in lab.status


@pytest.mark.parametrize(
    ("messages", "options", "error"),
    [
        ([], {}, "messages: a lab needs at least one user message"),
        ([S("alone")], {}, "messages: a lab needs at least one user message"),
        (talk(3), {"exchange": 0}, "exchange: expected a whole number of at least 1"),
        (talk(3), {"keep": 6}, "max_messages: 6 is not above keep, 6"),
    ],
)
def test_what_makes_no_lab_is_refused_by_name(messages, options, error):
    with pytest.raises(ValueError, match=f"^{error}"):
        ThreadLab(messages, **options)


def test_an_exchange_begins_with_a_user_message_or_several_in_a_row():
    history = [S("head"), A("Welcome!"), U("Hi"), U("Hello?"), A("Yes?"), U("Bye")]
    assert ends(history, 1) == [2, 5, 6]
    assert ends([Message.system("x")], 1) == []
