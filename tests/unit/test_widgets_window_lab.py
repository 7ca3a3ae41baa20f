"""`WindowLab`: one setting, one picture; long work beside the page; nothing lost; everything as text."""

from __future__ import annotations

import json
import random
import threading
from datetime import datetime, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ipywidgets.widgets.widget import _instances

from ctxkit import Message, Pricing, Quiz, TokenCounter, WindowLab, load_sample
from ctxkit.widgets.labs.window.choices import NAMES
from tests.fakes import FakeModel
from tests.histories import A, U, histories


def drawn(figure):
    data = figure.to_dict()
    return [{k: v for k, v in trace.items() if k != "uid"} for trace in data["data"]], data["layout"]


def picture(lab):
    """All that a lab shows, as data."""
    panes = lab.panes
    answers = [one for one in panes.asking.page.state["answers"] if "Keep recent" not in one[1]]
    shown = panes.figures.widget.state, panes.table.widget.state, panes.code.widget.state
    return drawn(panes.chart), drawn(panes.bar), shown, answers, lab.status


def long_talk(messages=260):
    return [U(f"Question {i}?") if i % 2 == 0 else A(f"Answer {i}. " * 8) for i in range(messages)]


def pasted(lab, text):
    lab.loading.text.value = text
    lab.loading.paste.click()


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


@pytest.mark.parametrize("bad", ["", "no json", '[{"role": "user", "content": 5}]', "[]", '{"role": 1}'])
def test_a_bad_paste_loses_nothing(bad):
    lab = WindowLab(strategy="Keep recent")
    before = picture(lab)[:-1]
    pasted(lab, bad)
    assert lab.status.startswith("Not loaded.") and lab.status.endswith("The conversation is as it was.")
    assert "Not loaded." in lab.loading.said.value and "as it was." in lab.loading.said.value
    assert lab.loading.text.value == bad
    assert picture(lab)[:-1] == before
    lab.refresh()
    assert lab.status.startswith("Fits. 41 messages became 10")


def test_a_good_paste_replaces_the_conversation():
    lab = WindowLab()
    pasted(lab, json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]))
    assert lab.loading.text.value == "" and lab.loading.choice.label == "Pasted conversation (2 messages)"
    assert lab.status.startswith("Fits. All 2 messages are sent") and lab.stepper.at == 1
    assert [row[1] for row in lab.panes.table.widget.content["rows"]] == ["Hi", "Hello!"]
    assert "no quiz for this conversation" in lab.as_text()
    lab.loading.reset.click()
    assert "of 41 messages" in lab.as_text() and "/ 28" in lab.as_text()


def test_a_file_is_loaded():
    lab = WindowLab()
    content = b'[{"role": "user", "content": "Hi"}]'
    when = datetime(2026, 1, 1, tzinfo=timezone.utc)
    file = {"name": "<b>.json", "type": "", "size": 1, "last_modified": when}
    lab.loading.file.value = ({**file, "content": memoryview(content)},)
    assert lab.loading.choice.label == "<b>.json (1 message)" and lab.loading.file.value == ()
    lab.loading.file.value = ({**file, "content": memoryview(b"{")},)
    assert lab.status.startswith("Not loaded. messages: broken JSON at line 1, column 2")
    assert len(lab._talk.messages) == 1


def test_messages_are_added_by_hand():
    lab = WindowLab(strategy="Keep recent")
    lab.asking.box.value = "Is it clever?"
    lab.loading.role.value, lab.loading.words.value = "assistant", "A sponge."
    lab.loading.add.click()
    assert lab.stepper.at == 41 and lab.panes.table.as_text().endswith("A sponge.")
    assert lab.loading.choice.label == "Dolphins to octopus, changed (42 messages)"
    assert lab.loading.words.value == "" and lab.asking.question == "Is it clever?"
    lab.loading.add.click()
    assert lab.status.startswith("Not added. text: an empty message says nothing")
    assert "Not added." in lab.loading.said.value
    enter(lab.loading, "And then?")
    assert lab.stepper.at == 42 and lab.panes.table.as_text().endswith("And then?")
    assert lab.loading.said.value == ""
    lab.loading.choice.value = "harbour"
    assert "of 33 messages" in lab.as_text()


def test_a_conversation_that_cannot_be_counted_is_not_taken():
    counter = TokenCounter()
    lab = WindowLab(counter=counter)
    before = lab._talk.state

    def broken(message):
        raise RuntimeError("no vocabulary")

    counter.count = broken
    pasted(lab, '[{"role": "user", "content": "Hi"}]')
    assert lab.status.startswith("Not loaded. no vocabulary.")
    assert lab._talk.state == before and len(lab._work.ledger.messages) == 41


def test_the_same_question_beside_another_strategy():
    lab = WindowLab(strategy="Summarise old")
    ours, beside = lab.asking.as_text().splitlines()
    assert ours.startswith("With Summarise old (20, 5): ✓ Found in the summary.")
    assert beside.startswith("With Keep recent 10: ✕ Not in this window.")
    lab.asking.beside.value = "Send everything"
    assert "Nobody to ask: the call is refused." in lab.asking.as_text().splitlines()[1]
    lab.settings.window.value = 4_000
    assert "With Send everything: ✓ Found in message 1." in lab.asking.as_text()
    lab.strategy = "Send everything"
    assert len(lab.asking.as_text().splitlines()) == 1


def enter(part, text):
    """What a page sends when Enter is pressed in the box of a part, with this text in it."""
    part.enter._handle_custom_msg({"text": text}, [])


def test_an_answer_does_not_stay_under_another_question():
    lab = WindowLab(strategy="Summarise old")
    first = lab.asking.as_text()
    question = lab.asking.box.value
    lab.asking.box.value = "What do many kinds hunt for after dark?"
    changed = [["none", "", "The question has changed: press Enter or Ask.", ""]]
    assert lab.asking.page.state == {"answers": changed}
    assert lab.asking.as_text() == changed[0][2]
    lab.asking.box.value = question + " "
    assert lab.asking.as_text() == first, "the same question again: its answers are there"
    enter(lab.asking, "What do many kinds hunt for after dark?")
    assert "crabs" in lab.asking.as_text()
    lab.asking.box.set_state(
        {"value": "What do many kinds hunt for after dark?"}
    )  # what was typed comes late
    assert "crabs" in lab.asking.as_text()


def test_no_question_is_told_as_such():
    lab = WindowLab(strategy="Summarise old")
    for ask in (lab.asking.button.click, lambda: enter(lab.asking, lab.asking.box.value)):
        lab.asking.box.value = "  "
        ask()
        assert lab.asking.as_text() == "Type a question first."
        lab.asking.box.value = "What do many kinds hunt for after dark?"
        assert lab.asking.as_text() == "The question has changed: press Enter or Ask."
        ask()
        assert "crabs" in lab.asking.as_text()
        lab.asking.box.value = ""
    untouched = WindowLab([A("Hello.")])
    assert untouched.asking.as_text().startswith("Press Ask")
    untouched.asking.box.value = "Who?"
    assert untouched.asking.as_text().startswith("Press Ask")


def test_other_words_of_a_page_are_no_enter():
    lab = WindowLab(long_talk())
    for content in ({}, {"text": 5}, {"event": "submit"}, "text", None):
        lab.asking.enter._handle_custom_msg(content, [])
    assert lab.asking.as_text().startswith("Press Ask")


def test_a_long_window_is_read_when_asked_and_not_at_each_step():
    talk = [*long_talk(), U("The ferry leaves at ten past nine."), A("Fine.")]
    lab = WindowLab(talk, window=9_000)
    assert lab.asking.as_text().startswith("Press Ask")
    lab.asking.box.value = "When does the ferry leave?"
    lab.asking.button.click()
    assert lab.wait(60)
    assert "With Send everything: ✓ Found in message 260." in lab.asking.as_text()
    lab.stepper.go(250)
    assert lab.wait(60) and lab.asking.as_text() == "The window has changed since: press Ask again."


def test_a_real_model_is_asked_on_its_button_only():
    model = FakeModel("A sponge <b>.")
    lab = WindowLab(strategy="Keep recent", model=model)
    for at in (30, 20, 40):
        lab.stepper.go(at)
    lab.asking.beside.value = "Summarise old"
    assert model.requests == []
    lab.asking.job.start()
    assert lab.asking.job.wait(60) == "done"
    assert [len(request) for request in model.requests] == [11, 11]
    assert all(request[-1].content == lab.asking.question for request in model.requests)
    assert lab.asking.job.status == (
        f"Done. Asked “{lab.asking.question}”. "
        "With Keep recent 10: “A sponge <b>.” With Summarise old (20, 5): “A sponge <b>.”"
    )


def test_reset_brings_the_first_settings_back():
    lab = WindowLab(strategy="Keep recent", window=1_000)
    before = picture(lab)
    lab.strategy = "Summarise old"
    lab.settings.dials["Keep recent"][0].value = 3
    lab.settings.window.value = 5_000
    lab.stepper.go(7)
    lab.panes._reset()
    assert picture(lab) == before


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
