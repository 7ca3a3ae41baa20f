"""`DiscardingLab`: one setting, one picture, in chart, table and words."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit import Message, TokenCounter, load_sample
from ctxkit.widgets import DiscardingLab
from ctxkit.widgets.shown import WIDGET_VIEW
from tests.histories import A, C, S, T, U, histories


def picture(lab):
    """All that a lab shows, as data."""
    figure = lab.chart.widget.to_dict()
    traces = [{name: value for name, value in trace.items() if name != "uid"} for trace in figure["data"]]
    return traces, figure["layout"], lab.table.widget.state, lab.status, lab.as_text()


def test_the_status_sentence():
    chat = load_sample("dolphins")
    lab = DiscardingLab(chat, keep=12, max_tokens=1_000, answer_in=1)
    assert lab.status.startswith(f"Fits. 12 of {len(chat)} messages are sent: ")
    assert lab.status.endswith(
        f"of the 1,000-token window. The first message sent is {len(chat) - 12}. "
        "The answer (message 1) is no longer in the window."
    )
    lab.keep.value = len(chat)
    lab.budget.value = 4_000
    assert lab.status.startswith(f"Fits. All {len(chat)} messages are sent: ")
    assert lab.status.endswith("The answer (message 1) is in the window.")
    lab.upto.value = 0
    assert lab.status.endswith("The answer (message 1) has not been given yet.")


def test_the_system_prompt_is_not_called_the_first_message():
    lab = DiscardingLab([S(), U("1"), A("2"), U("3")], keep=1)
    assert lab.status.endswith("After the system prompt, the first message sent is 3.")


def test_what_cannot_fit_is_said_with_its_size():
    lab = DiscardingLab([U("word " * 100), A("ok"), U("word " * 100)], keep=1, max_tokens=50)
    assert lab.status == (
        "Cannot fit. At least 108 tokens must be sent (message 2), but the budget is 50. Nothing is sent."
    )
    assert "0 of 3 messages are sent" in lab.as_text() and "▲ must be sent" in lab.as_text()
    lab.budget.value = 108
    assert lab.status.startswith("Fits. 1 of 3 messages is sent")


@settings(max_examples=25)
@given(history=histories(), seed=st.integers(0, 1000))
def test_one_setting_always_shows_one_picture(history, seed):
    if not history:
        return
    chance = random.Random(seed)
    lab = DiscardingLab(history, keep=3, max_tokens=200)
    for _ in range(6):
        control = chance.choice([lab.upto, lab.keep, lab.budget])
        control.slider.set_state({"value": chance.randint(control.slider.min, control.slider.max)})
    setting = {"keep": lab.keep.value, "max_tokens": lab.budget.value, "upto": lab.upto.value}
    fresh = DiscardingLab(history, **setting)
    assert picture(fresh) == picture(lab)
    assert "Not redrawn" not in lab.status


def test_the_last_bar_is_the_call_that_the_table_shows():
    chat = load_sample("harbour")
    lab = DiscardingLab(chat, keep=6, max_tokens=2_000)
    lab.upto.value = 9
    labels = [label for label in lab.chart.widget.data[0].customdata if label is not None]
    assert labels[-1] == "9" and len(lab.table.as_text().splitlines()) <= 12
    assert "of 10 messages" in lab.status


def test_a_repaired_history_shows_what_the_kit_put_in():
    lab = DiscardingLab([U(), C("a", "b"), T("a"), U("go on")], keep=9)
    assert lab.status.startswith("Fits. All 4 messages are sent: ")
    assert lab.status.endswith("1 message made by the kit (16 tokens) goes with them.")
    assert "★ by the kit" in lab.as_text()


def test_an_interrupt_in_mid_work_is_said_and_the_old_picture_is_marked(monkeypatch):
    lab = DiscardingLab([U(), A(), U()], keep=3)

    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(DiscardingLab, "_compute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lab.keep.value = 1
    assert lab.status.startswith("Not redrawn. The kernel was interrupted. ")
    assert "ctxkit-stale" in lab._panes._dom_classes
    monkeypatch.undo()
    lab.keep.value = 2
    assert lab.status.startswith("Fits.") and "ctxkit-stale" not in lab._panes._dom_classes


class Breaking(TokenCounter):
    broken = False

    def count(self, message):
        if self.broken:
            raise RuntimeError("<img src=x onerror=alert(1)> \ud83d")
        return super().count(message)


def test_an_error_is_told_and_the_old_picture_is_marked_as_old():
    lab = DiscardingLab(load_sample("dolphins"), keep=12, counter=(counter := Breaking()))
    before = lab.table.widget.state
    counter.broken = True
    lab.keep.slider.set_state({"value": 5})
    assert lab.status.startswith(
        "Not redrawn. RuntimeError: <img src=x onerror=alert(1)> ⟨U+D83D⟩. The picture"
    )
    assert lab.table.widget.state == before
    assert "ctxkit-stale" in lab._panes._dom_classes
    counter.broken = False
    lab.keep.slider.set_state({"value": 6})
    assert lab.status.startswith("Fits. 6 of ")
    assert "ctxkit-stale" not in lab._panes._dom_classes


def test_its_text_is_the_whole_status_and_the_table():
    lab = DiscardingLab(load_sample("dolphins"), keep=12)
    bundle = lab._repr_mimebundle_()
    assert bundle["text/plain"] == f"{lab.status}\n{lab.table.as_text()}"
    assert len(lab.status) > 110 and "…" not in lab.status
    assert bundle[WIDGET_VIEW]["model_id"] == lab.widget.model_id
    lab.close()
    assert [*lab._repr_mimebundle_()] == ["text/plain"]


def test_it_has_exactly_three_controls():
    lab = DiscardingLab([U()])
    [bar] = [child for child in lab.widget.children if "ctxkit-panel" in child._dom_classes]
    assert [control.children[0].description for control in bar.children] == [
        "Conversation up to message",
        "Keep recent (messages)",
        "Token budget (tokens)",
    ]


def test_a_question_is_shown_as_text():
    lab = DiscardingLab([U()], question="<b>Why</b> $x$?")
    assert (
        "&lt;b&gt;Why&lt;/b&gt;" in lab.widget.children[0].value and "$" not in lab.widget.children[0].value
    )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"keep": -1}, "keep"),
        ({"keep": "3"}, "keep"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"upto": 1.5}, "upto"),
        ({"answer_in": 7}, "answer_in"),
        ({"answer_in": [0, True]}, "answer_in"),
    ],
)
def test_bad_settings_are_named(options, error):
    with pytest.raises((TypeError, ValueError), match=error):
        DiscardingLab([U(), A()], **options)


def test_a_conversation_has_messages():
    with pytest.raises(ValueError, match="at least one message"):
        DiscardingLab([])
    with pytest.raises((TypeError, ValueError), match=r"messages\[0\]"):
        DiscardingLab([{"role": "nobody"}])


def test_dicts_will_do():
    lab = DiscardingLab([{"role": "user", "content": "hi"}, Message.assistant("hello")])
    assert lab.status.startswith("Fits. All 2 messages are sent")
