"""`WindowLab`: one setting, one picture; long work beside the page; nothing lost; everything as text."""

from __future__ import annotations

import json
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ipywidgets.widgets.widget import _instances

from ctxkit import Message, Pricing, Quiz, TokenCounter, WindowLab, load_sample
from ctxkit.widgets.labs.window.choices import NAMES
from tests.fakes import FakeModel
from tests.histories import A, U, histories
from tests.window_labs import enter, long_talk, pasted, picture


def test_the_first_picture():
    lab = WindowLab()
    assert lab.status == (
        "Too long. All 41 messages would be sent: 2,728 tokens, 133 % of the 2,048-token window. "
        "The window cannot hold it: the call is refused."
    )
    lines = lab.as_text().splitlines()
    assert lines[1:5] == lab.panes.figures.as_text().splitlines()
    assert lines[5] == "0 of 41 messages are sent"


@settings(max_examples=15)
@given(history=histories(), seed=st.integers(0, 1_000))
def test_one_setting_always_shows_one_picture(history, seed):
    if not history:
        return
    chance = random.Random(seed)
    lab = WindowLab(history, window=400)
    for _ in range(8):
        act = chance.choice(["tab", "window", "dial", "step", "add", "bad", "ask"])
        if act == "tab":
            lab.strategy = chance.choice(NAMES)
        elif act == "window":
            lab.settings.window.value = chance.randint(100, 3_000)
        elif act == "dial":
            for dial in lab.settings.dials[lab.strategy]:
                dial.slider.set_state({"value": chance.randint(dial.slider.min, dial.slider.max)})
        elif act == "step":
            lab.panes.asking.box.value = "What?"
            lab.stepper.buttons.set_state({"at": chance.randint(-3, len(history) + 3)})
        elif act == "add":
            lab.loading.words.value = "One more thing: when does the ferry leave?"
            lab.loading.add.click()
        elif act == "bad":
            pasted(lab, '[{"role": "nobody"}]')
        else:
            lab.panes.asking.box.value = "When does the ferry leave?"
            lab.panes.asking.button.click()
    lab.refresh()
    fresh = WindowLab(lab._talk.messages, window=400)
    fresh.settings.take(*lab.settings.kept())
    fresh.panes.asking.box.value = lab.panes.asking.box.value
    fresh._asked = lab._asked
    fresh.stepper.resize(len(lab._talk.messages), lab.stepper.at)
    fresh.refresh()
    assert picture(fresh) == picture(lab)
    assert "Not redrawn" not in lab.status


def test_slider_box_and_buttons_agree():
    lab = WindowLab(strategy="Keep recent")
    lab.stepper.slider.slider.set_state({"value": 12})
    assert lab.stepper.buttons.state == {"at": 12, "last": 40} and lab.stepper.buttons.at == 12
    lab.stepper.buttons.set_state({"at": 11})
    assert (lab.stepper.slider.box.value, lab.stepper.slider.slider.value) == (11, 11)
    lab.stepper.buttons.set_state({"at": 99})
    assert lab.stepper.buttons.at == 40 and lab.status.startswith("Fits. 41 messages became 10")
    lab.stepper.buttons.set_state({"at": -5})
    assert lab.status.startswith("Fits. The message is sent")


def test_thresholds_never_cross():
    lab = WindowLab(strategy="Summarise old")
    above, recent = lab.settings.dials["Summarise old"]
    above.value = 3
    assert (above.value, recent.value, recent.box.max) == (3, 2, 2)
    lab.strategy = "Fit a token budget"
    lab.settings.window.value = 500
    [low] = lab.settings.dials["Fit a token budget"]
    assert low.value == low.box.max == 500
    assert "Not redrawn" not in lab.status


def test_only_the_dials_of_the_strategy_are_shown():
    lab = WindowLab(strategy="Keep recent")
    shown = [
        (name, dial.box.description)
        for name, dials in lab.settings.dials.items()
        for dial in dials
        if dial.widget.layout.display != "none"
    ]
    assert shown == [("Keep recent", "Keep (messages)")]


class Gate(TokenCounter):
    """A counter that waits at a gate while one is set."""

    gate = None

    def count(self, message):
        if self.gate is not None and threading.current_thread().name == "ctxkit-loop":
            assert self.gate.wait(60)
        return super().count(message)


def test_a_newer_setting_cancels_the_older():
    counter = Gate()
    lab = WindowLab(long_talk(), counter=counter)
    before = lab.panes.code.as_text()
    counter.gate = threading.Event()
    lab.strategy = "Summarise old"
    assert lab.status == "Working: 0 of 130 calls." and lab._background.busy
    assert lab.panes.code.as_text() == before, "the old picture stays until the new one is whole"
    assert "ctxkit-waiting" in lab._panes._dom_classes
    lab.strategy = "Keep recent"
    counter.gate.set()
    assert lab.wait(60)
    counter.gate = None
    assert "KeepRecentMessages" in lab.panes.code.as_text() and lab.status.startswith("Fits. 260 messages")
    assert "ctxkit-waiting" not in lab._panes._dom_classes
    assert picture(lab) == picture(WindowLab(long_talk(), strategy="Keep recent", counter=Gate()))


def test_what_is_known_is_drawn_at_once():
    lab = WindowLab(long_talk())
    for name in NAMES:
        lab.strategy = name
        assert lab.wait(60)
    for name in NAMES:
        lab.strategy = name
        assert not lab._background.busy and not lab.status.startswith("Working")
    lab.stepper.go(100)
    assert not lab._background.busy
    assert "of 101 messages are sent" in lab.as_text()


def test_an_error_in_the_background_is_told_and_the_old_picture_marked():
    counter = Gate()
    lab = WindowLab(long_talk(), counter=counter)

    def broken(message):
        raise RuntimeError("<b>no</b>")

    counter.count = broken
    lab.strategy = "Keep recent"
    assert lab.wait(60)
    assert lab.status.startswith("Not redrawn. RuntimeError: <b>no</b>.")
    assert "ctxkit-stale" in lab._panes._dom_classes
    del counter.count
    lab.refresh()
    assert lab.wait(60) and lab.status.startswith("Fits.")
    assert "ctxkit-stale" not in lab._panes._dom_classes


def test_the_text_waits_for_the_picture():
    lab = WindowLab(long_talk())
    lab.strategy = "Keep recent"
    assert lab.as_text().startswith("Fits. 260 messages became 10")


def test_reset_brings_the_first_settings_back():
    lab = WindowLab(strategy="Fit a token budget", window=1_000)
    before, question, answers = picture(lab), lab.asking.question, lab.asking.as_text()
    assert len(answers.splitlines()) == 2
    lab.strategy = "Summarise old"
    lab.settings.dials["Keep recent"][0].value = 3
    lab.settings.window.value = 5_000
    lab.stepper.go(7)
    lab.asking.beside.value = "What Ollama does"
    enter(lab.asking, "What do many kinds hunt for after dark?")
    lab.panes._reset()
    assert picture(lab) == before and lab.asking.as_text() == answers
    assert (lab.asking.question, lab.asking.other) == (question, "Keep recent")


def test_a_reset_asks_nothing_that_was_not_asked_at_first():
    lab = WindowLab([U("The bus leaves at 10:15."), A("Good.")])
    before = lab.asking.as_text()
    lab.asking.beside.value = "Summarise old"
    enter(lab.asking, "When does the bus leave?")
    assert "10:15" in lab.asking.as_text()
    lab.panes._reset()
    assert lab.asking.as_text() == before


def test_prices_are_marked_as_examples_unless_they_are_yours():
    assert "(example prices)" in WindowLab(window=4_000).panes.figures.as_text()
    mine = WindowLab(window=4_000, pricing=Pricing(input=1, currency="EUR"))
    assert "EUR" in mine.panes.figures.as_text() and "example" not in mine.panes.figures.as_text()


def test_the_server_left_alone_has_the_whole_window():
    lab = WindowLab(strategy="What Ollama does", window=832, reserve=112)
    assert lab.status.startswith("Nearly full.") and "of the 832-token window" in lab.status
    prompt, cost, *_ = lab.panes.figures.as_text().splitlines()
    assert prompt.startswith("Prompt now: ") and " of 832 tokens (" in prompt and "refused" not in cost
    assert "ContextWindow(limit=832, reserve=0)" in lab.panes.code.as_text()
    assert "refused" not in lab.panes.chart.says and not lab.panes.bar.layout.shapes[1].visible
    lab.strategy = "Keep recent"
    assert "ContextWindow(limit=832, reserve=112)" in lab.panes.code.as_text()
    assert " of 720 tokens, 832 less 112 for the reply" in lab.panes.figures.as_text()


def test_the_code_names_the_sample_while_it_is_one():
    lab = WindowLab(strategy="Keep recent")
    assert 'load_sample("dolphins")' in lab.panes.code.as_text()
    lab.loading.words.value = "And then?"
    lab.loading.add.click()
    assert "load_sample" not in lab.panes.code.as_text() and "# yours" in lab.panes.code.as_text()
    lab.loading.choice.value = "harbour"
    assert 'load_sample("harbour")' in lab.panes.code.as_text()


@settings(max_examples=15)
@given(history=histories(), window=st.integers(64, 900), reserve=st.integers(0, 60))
def test_the_server_left_alone_refuses_nothing(history, window, reserve):
    if history:
        lab = WindowLab(history, window=window, reserve=reserve, strategy="What Ollama does")
        assert "refused" not in lab.panes.chart.says


HOSTILE = [
    "<script>alert(1)</script> </script> $x$ {0} %{y} <extra>",
    "\u202egnp.exe \u2066 \x00 \ud83d",
    "x" * 1_000_000,
]


def test_hostile_text_is_text():
    talk = [
        Message("user" if i % 2 == 0 else "assistant", text, name=text[:60])
        for i, text in enumerate(HOSTILE * 3)
    ]
    lab = WindowLab(
        talk, quiz=Quiz([{"question": HOSTILE[0] + HOSTILE[1], "expected": ["x"], "messages": [0]}])
    )
    lab.asking.button.click()
    for name in NAMES:
        lab.strategy = name
        parts = [lab.panes.figures.widget, lab.panes.table.widget, lab.asking.page, lab.panes.code.widget]
        states = json.dumps([[part.content, part.state] for part in parts], ensure_ascii=False)
        states += lab.status + str(lab.panes._course.widget.value) + str(lab.asking.box.options)
        assert not {"\u202e", "\u2066", "\x00", "\ud83d"} & {*states}
        assert len(states) < 30_000
        json.dumps(lab.widget.get_state() | lab.asking.box.get_state()).encode()
        assert "<script>" not in lab.panes._course.widget.value


def test_closing_leaves_nothing():
    before = {*_instances}
    lab = WindowLab(model=FakeModel())
    lab.close()
    assert {*_instances} <= before
    assert lab.status.startswith("Too long.")


def test_the_window_may_be_as_long_as_the_conversation():
    lab = WindowLab(load_sample("giant"))
    assert lab.settings.window.box.max > 900_000
    lab.settings.window.value = 1_000_000
    assert lab.status.startswith("Nearly full. All 3 messages are sent: 900,")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"window": 0}, "window"),
        ({"window": 50, "reserve": 50}, "reserve"),
        ({"strategy": "Two tiers"}, "strategy"),
        ({"pricing": 3}, "pricing"),
        ({"model": "llama3.2"}, "model"),
        ({"quiz": [1]}, "quiz"),
        ({"counter": "gpt-4"}, "counter"),
        ({"messages": []}, "at least one"),
    ],
)
def test_bad_settings_are_named(options, error):
    with pytest.raises((TypeError, ValueError), match=error):
        WindowLab(**options)


def test_after_the_kernels_stop_button_nobody_waits(monkeypatch):
    from ctxkit.widgets.labs.window import lab as module

    def interrupted(awaitable):
        awaitable.close()
        raise KeyboardInterrupt

    lab = WindowLab()
    with monkeypatch.context() as patched:
        patched.setattr(module, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            lab.strategy = "Keep recent"
    assert lab.wait(0)
    assert lab.as_text().startswith("Not redrawn. The kernel was interrupted.")
    lab.settings.window.value = 3_000
    assert lab.wait(0) and lab.status.startswith("Fits.")


@pytest.mark.parametrize(("window", "reserve"), [(50, 0), (9_000, 8_990), (2_048, 2_047)])
def test_a_window_is_as_it_was_asked_for(window, reserve):
    lab = WindowLab([U("Hi")], window=window, reserve=reserve)
    assert f"{window:,}-token window" in lab.status
    lab.settings.window.value = window + 64
    lab.settings.reset()
    for name in NAMES:
        lab.strategy = name
        assert lab.settings.setting.window.limit == window
        assert not lab.status.startswith("Not redrawn.")
