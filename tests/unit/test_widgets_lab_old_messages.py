"""`OldMessagesLab`: one setting, one picture; what summaries cost; what the reader can still answer."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit import KeepRecentMessages, Message, OfflineModel, SummarizeOldMessages, load_sample, run
from ctxkit.widgets import OldMessagesLab
from ctxkit.widgets.labs.reading import Reader
from ctxkit.widgets.shown import WIDGET_VIEW
from tests.fakes import FakeModel
from tests.histories import A, C, S, T, U, histories

QUESTION = "What tool do dolphins use on the seafloor, and why?"


def dolphins(**options):
    return OldMessagesLab(load_sample("dolphins"), question=QUESTION, answer_in=1, **options)


def picture(lab):
    """All that a lab shows, as data."""
    figure = lab.chart.widget.to_dict()
    traces = [{name: value for name, value in trace.items() if name != "uid"} for trace in figure["data"]]
    controls = [
        (one.value, one.box.description, one.box.min, one.box.max, one.slider.min, one.slider.max)
        for one in (lab.upto, lab.max_messages, lab.min_messages)
    ]
    return traces, figure["layout"], lab.table.widget.state, lab.as_text(), controls


def stars(lab):
    """After which messages the chart marks that a summary was made."""
    [trace] = [trace for trace in lab.chart.widget.data if trace.name == "summary made"]
    return [int(label) for label, y in zip(trace.customdata, trace.y, strict=True) if y is not None]


def totals(lab):
    """Tokens sent at each call."""
    drawn = [t.y for t in lab.chart.widget.data if t.name not in ("not sent", "cannot fit", "summary made")]
    count = sum(label is not None for label in lab.chart.widget.data[0].customdata)
    return [sum(part or 0 for part in parts) for parts in zip(*drawn, strict=True)][:count]


def test_the_status_counts_messages_tokens_and_summaries():
    status = dolphins().status
    assert status.startswith("Folded. 9 of 41 messages are sent: 2,728 → ")
    assert "Summary calls so far: 2 (by the guide's rule: 11)." in status


def test_the_title_gives_the_size_of_the_summary_so_that_the_sum_is_that_of_the_conversation():
    title = dolphins().chart.widget.layout.title.text
    assert title == "<b>1,009 sent (summary 423), 2,142 left out</b>"
    assert 1_009 - 423 + 2_142 == 2_728


def test_a_single_message_is_not_all_one_message():
    assert dolphins(upto=0).status.startswith("Nothing folded. The message is sent: 26 tokens.")
    nothing = OldMessagesLab(load_sample("dolphins"), max_messages=1, min_messages=0, upto=1).status
    assert "0 of 2 messages are sent" in nothing


def test_the_dolphin_question_is_answered_from_the_summary():
    said = dolphins().status.partition("the offline reader quotes ")[2]
    assert said.startswith("the summary: ") and "sponge" in said and "for protection" in said


def test_the_question_is_answered_from_a_message_or_not_at_all():
    lab = dolphins(max_messages=41)
    assert lab.status.startswith("Nothing folded. All 41 messages are sent: 2,728 tokens.")
    assert "the offline reader quotes message 1: " in lab.status
    lab.upto.value = 0
    assert lab.status.endswith("the offline reader says: The answer is not in the messages I was sent.")


def test_the_calls_draw_a_saw_tooth_with_a_star_at_each_fall():
    lab = dolphins()
    sizes = totals(lab)
    assert stars(lab) == [20, 36]
    falls = [2 * place for place in range(1, len(sizes)) if sizes[place] < sizes[place - 1]]
    assert falls == stars(lab)
    assert "21 model calls. A summary was made for 2 of them." in lab.chart.as_text()


def test_stepping_appends_bars_and_changes_none():
    lab = dolphins(upto=0)
    before: list[int] = []
    for upto in range(0, 41, 2):
        lab.upto.value = upto
        sizes = totals(lab)
        assert sizes[:-1] == before and len(sizes) == upto // 2 + 1
        before = sizes


@pytest.mark.parametrize(("most", "keep"), [(20, 5), (20, 19), (6, 5), (30, 10), (8, 0)])
def test_the_summary_calls_are_those_of_the_transform_itself(most, keep):
    chat, fold = load_sample("dolphins"), SummarizeOldMessages(OfflineModel(), most, keep)
    made = [end - 1 for end in range(1, 42, 2) if run(fold.apply(chat[:end])).model_calls]
    lab = dolphins(max_messages=most, min_messages=keep)
    assert stars(lab) == made
    guide = sum(end > most for end in range(1, 42, 2))
    assert f"Summary calls so far: {len(made)} (by the guide's rule: {guide})." in lab.status


def test_each_threshold_ends_where_the_other_stands_and_says_so():
    lab = dolphins(max_messages=20, min_messages=5)
    assert (lab.max_messages.box.min, lab.min_messages.box.max) == (6, 19)
    lab.min_messages.slider.set_state({"value": 12})
    assert lab.max_messages.box.description == "max_messages (13 or more)"
    lab.max_messages.box.set_state({"value": 2})
    assert (lab.max_messages.value, lab.min_messages.value) == (13, 12)
    lab.max_messages.slider.set_state({"value": 30})
    lab.min_messages.box.set_state({"value": 99})
    assert (lab.max_messages.value, lab.min_messages.value) == (30, 29)
    assert lab.min_messages.box.description == "min_messages (29 or fewer)"
    assert "Not redrawn" not in lab.status


def test_moving_a_threshold_draws_once(monkeypatch):
    lab = dolphins()
    drawn = []
    monkeypatch.setattr(lab, "_paint", lambda picture: drawn.append(len(picture.steps)))
    lab.min_messages.slider.set_state({"value": 7})
    lab.max_messages.box.set_state({"value": 25})
    assert drawn == [21, 21]


@settings(max_examples=25, deadline=None)
@given(history=histories(), seed=st.integers(0, 1000))
def test_one_setting_always_shows_one_picture(history, seed):
    if not history:
        return
    chance = random.Random(seed)
    lab = OldMessagesLab(history, max_messages=4, min_messages=1, question="What is it?")
    for _ in range(6):
        control = chance.choice([lab.upto, lab.max_messages, lab.min_messages])
        control.slider.set_state({"value": chance.randint(control.slider.min, control.slider.max)})
    same = {
        "max_messages": lab.max_messages.value,
        "min_messages": lab.min_messages.value,
        "upto": lab.upto.value,
    }
    fresh = OldMessagesLab(history, question="What is it?", **same)
    fresh._top = lab._top  # how far the slider goes comes from the setting at first
    fresh._set_bounds()
    assert picture(fresh) == picture(lab)
    assert "Not redrawn" not in lab.status


def test_a_summary_that_fails_is_said_and_everything_is_sent():
    lab = OldMessagesLab([U("a"), A("b"), U("c"), A("d"), U("e")], max_messages=3, min_messages=1)
    lab._model = FakeModel(ConnectionError("<b>no</b> answer \ud83d"))
    lab.min_messages.value = 0
    assert lab.status.startswith(
        "Not folded. The summary failed: <b>no</b> answer ⟨U+D83D⟩. All 5 messages are sent"
    )
    assert stars(lab) == []


HOSTILE = "<img src=x onerror=alert(1)> $x$ {{ 7*7 }} %{y}<extra> \ud83d"


def test_hostile_text_is_text_everywhere():
    talk = [U(f"The code is {HOSTILE} 42."), A(HOSTILE), U("1"), C("a"), T("a", HOSTILE), A("2"), U("end")]
    lab = OldMessagesLab(talk, max_messages=3, min_messages=1, question=f"What is the code? {HOSTILE}")
    assert "Not redrawn" not in lab.status and "\ud83d" not in lab.as_text()
    heading = lab.widget.children[0].value
    assert "<img" not in heading and "&lt;img" in heading and "$" not in heading


def test_a_reply_is_placed_by_its_own_words_not_by_those_it_quotes():
    liar = 'Message 9 says: "Nothing." The bus leaves at 10:15.'
    talk = [U("Hello"), U(liar), A("Thanks."), U("Bye")]
    reader = Reader(OfflineModel(), "When does the bus leave?")
    said = reader.read(run(KeepRecentMessages(3).apply(talk)))
    assert said.startswith("Asked the question, the offline reader quotes message 1: ")


def test_a_window_is_read_once():
    model = FakeModel("Message 0 says: nothing")
    reader = Reader(model, "What?")
    windows = [run(KeepRecentMessages(keep).apply([U("1"), A("2"), U("3")])) for keep in (3, 1, 3)]
    said = [reader.read(window) for window in windows]
    assert said[0] == said[2] and len(model.requests) == 2
    assert "quotes message 2: " in said[1]


def test_without_a_question_nothing_is_asked():
    assert "Asked" not in OldMessagesLab(load_sample("dolphins")).status


def test_it_has_exactly_three_controls_and_its_text_is_whole():
    lab = dolphins()
    [bar] = [child for child in lab.widget.children if "ctxkit-panel" in child._dom_classes]
    assert [control.children[0].description for control in bar.children] == [
        "Conversation up to message",
        "max_messages (6 or more)",
        "min_messages (19 or fewer)",
    ]
    bundle = lab._repr_mimebundle_()
    assert bundle["text/plain"] == f"{lab.status}\n{lab.table.as_text()}"
    assert bundle[WIDGET_VIEW]["model_id"] == lab.widget.model_id


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_messages": 5, "min_messages": 5}, "max_messages: 5 is not above min_messages, 5"),
        ({"max_messages": 0}, "max_messages"),
        ({"min_messages": -1}, "min_messages"),
        ({"max_messages": "20"}, "max_messages"),
        ({"question": 7}, "question"),
        ({"answer_in": 7}, "answer_in"),
    ],
)
def test_bad_settings_are_named(options, error):
    with pytest.raises((TypeError, ValueError), match=error):
        OldMessagesLab([U(), A()], **options)


def test_a_system_prompt_and_dicts_will_do():
    lab = OldMessagesLab([S(), {"role": "user", "content": "hi"}, Message.assistant("hello")])
    assert lab.status.startswith("Nothing folded. All 3 messages are sent")
