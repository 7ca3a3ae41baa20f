"""`ProbeBar`: nothing is asked unasked, an answer belongs to its window, and the text before does not tell
whether the model is installed."""

from __future__ import annotations

import asyncio
import threading

import pytest

from ctxkit.models.embedded import EmbeddedUnavailable, Probe
from ctxkit.models.embedded.files import HOW
from ctxkit.widgets import probe_bar
from ctxkit.widgets.probe_bar import ProbeBar
from tests.histories import A, U

SENTENCE = "As said above, dolphins carry"
KNOWS = Probe((("sponges", 0.92), ("a", 0.02)), (("sponges", 0.92),), 277, 0)
GUESSES = Probe((("their", 0.13), ("a", 0.06)), (("sponges", 0.0064),), 282, 0)


class FakeModel:
    """Answers in turn; `held` keeps it reading until it is set or cancelled."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []
        self.held, self.reading = threading.Event(), threading.Event()
        self.held.set()

    async def probe(self, messages, text, right, *, progress):
        self.asked.append((list(messages), text, right))
        await progress(128, 256)
        self.reading.set()
        await asyncio.to_thread(self.held.wait)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def bar_of(model, window=None):
    messages = [U(), A()] if window is None else window
    return ProbeBar(lambda: messages, SENTENCE, "sponges", make_model=lambda: model)


def press(bar):
    """Press the button and wait for the end."""
    bar.job.button.click()
    return bar.job.wait(10)


def test_nothing_is_asked_before_the_button_is_pressed():
    model = FakeModel(KNOWS)
    bar = bar_of(model)
    bar.refresh()
    assert model.asked == []
    assert bar.status.startswith("Ready.")
    assert not bar.job.button.disabled and bar.rows.state["rows"] == []


def test_the_text_before_is_the_same_installed_or_not(monkeypatch):
    def missing():
        raise EmbeddedUnavailable(f"The embedded model is not installed. To install it: {HOW}")

    monkeypatch.setattr(probe_bar, "model_file", lambda: None)
    there = ProbeBar(lambda: [], SENTENCE, ["sponges", "sponge"])
    monkeypatch.setattr(probe_bar, "model_file", missing)
    absent = ProbeBar(lambda: [], SENTENCE, ["sponges", "sponge"])
    assert there._repr_mimebundle_()["text/plain"] == absent._repr_mimebundle_()["text/plain"]
    assert str(there) == (
        "“As said above, dolphins carry …” The right word: sponges or sponge.\n"
        "The embedded model has not been asked yet."
    )
    assert not there.job.button.disabled and absent.job.button.disabled
    assert absent.status.startswith("Not available.") and "make embedded" in absent.status


def test_a_right_word_that_wins_is_marked_by_word_icon_and_first_bar():
    model = FakeModel(KNOWS)
    bar = bar_of(model)
    assert press(bar) == "done"
    assert model.asked == [([U(), A()], SENTENCE, ["sponges"])]
    assert bar.status == (
        "Done. The right word wins: “sponges” has 92 %. Read: 2 messages, 277 tokens of the model's own."
    )
    assert bar.rows.state["rows"] == [["sponges", "✓ right", 0.92, "92 %"], ["a", "other", 0.02, "2 %"]]
    assert bar.as_text().splitlines()[2].split() == ["sponges", "92", "%", "✓", "right"]
    assert (bar.job.bar.value, bar.job.bar.max) == (128, 256)


def test_a_right_word_that_loses_is_still_shown():
    bar = bar_of(FakeModel(GUESSES))
    press(bar)
    assert bar.status.startswith(
        "Done. Another word wins: “their” with 13 %; “sponges” has < 1 %. Read: 2 messages, 282 tokens"
    )
    assert [row[0] for row in bar.rows.state["rows"]] == ["their", "a", "sponges"]


def test_an_answer_for_another_window_is_marked_as_old_and_fresh_again_when_it_returns():
    window = [U(), A()]
    bar = bar_of(FakeModel(KNOWS), window)
    press(bar)
    fresh = bar.status, bar.rows.state
    window.pop(0)
    bar.refresh()
    assert bar.status.startswith("Of an older window. The right word wins: ")
    assert bar.status.endswith("Ask again.")
    assert bar.rows.state["stale"] and bar.rows.state["title"] == "Likely next words, for an older window"
    window.insert(0, U())
    bar.refresh()
    assert (bar.status, bar.rows.state) == fresh


def test_a_window_that_changes_while_the_model_reads_makes_the_answer_an_old_one():
    model, window = FakeModel(KNOWS), [U()]
    bar = bar_of(model, window)
    model.held.clear()
    bar.job.button.click()
    assert model.reading.wait(10) and bar.job.running
    window.append(A())
    bar.refresh()
    model.held.set()
    assert bar.job.wait(10) == "done"
    assert bar.status.startswith("Done. Of an older window by now. The right word wins")
    assert bar.rows.state["stale"] and model.asked[0][0] == [U()]


def test_a_slider_that_moves_while_the_model_reads_leaves_the_status_of_the_reading():
    model, window = FakeModel(KNOWS), [U()]
    bar = bar_of(model, window)
    press(bar)
    model.held.clear()
    model.reading.clear()
    bar.job.button.click()
    assert model.reading.wait(10)
    before = bar.status
    window.append(A())
    bar.refresh()
    assert bar.status == before == "Running. “Stop” ends it."
    model.held.set()
    assert bar.job.wait(10) == "done"


def test_stop_ends_it_and_it_can_be_asked_again():
    model = FakeModel(KNOWS)
    bar = bar_of(model)
    model.held.clear()
    bar.job.button.click()
    assert model.reading.wait(10)
    bar.job.stop_button.click()
    assert bar.job.wait(10) == "stopped"
    assert bar.as_text().endswith("has not been asked yet.")
    model.held.set()
    assert press(bar) == "done"


def test_a_failure_is_one_visible_line_and_loses_no_answer():
    bar = bar_of(FakeModel(KNOWS, ValueError("<b>\u202e" + "x" * 900), KNOWS))
    press(bar)
    rows = bar.rows.state
    assert press(bar) == "failed"
    assert "<b>⟨U+202E⟩xxx" in bar.status and len(bar.status) < 450
    assert bar.rows.state == rows
    assert press(bar) == "done"


def test_a_model_that_does_not_run_here_is_said_and_the_button_stays_off():
    bar = bar_of(FakeModel(EmbeddedUnavailable("It died. To install it anew: make embedded")))
    assert press(bar) == "failed"
    assert bar.status.endswith("It died. To install it anew: make embedded.")
    assert bar.job.button.disabled


def test_a_window_that_cannot_be_read_is_said():
    bar = ProbeBar(lambda: [{"role": "nobody"}], SENTENCE, "x", make_model=lambda: FakeModel(KNOWS))
    assert press(bar) == "failed"
    assert "messages[0]" in bar.status and not bar.job.button.disabled


def test_hostile_words_are_shown_and_do_nothing():
    hostile = Probe((("\n", 0.5), ("<img src=x>\u202e", 0.3)), (("sponges", 0.2),), 9, 0)
    bar = bar_of(FakeModel(hostile))
    press(bar)
    assert [row[0] for row in bar.rows.state["rows"]] == ["⏎", "<img·src=x>⟨U+202E⟩", "sponges"]


def test_closing_stops_what_runs():
    model = FakeModel(KNOWS)
    bar = bar_of(model)
    model.held.clear()
    bar.job.button.click()
    assert model.reading.wait(10)
    bar.close()
    assert bar.job.wait(10) == "stopped"
    assert bar.widget.comm is None
    model.held.set()


@pytest.mark.parametrize(
    ("text", "right", "error"),
    [
        ("", "a", ValueError),
        ("a", "", ValueError),
        ("a", [], ValueError),
        (3, "a", TypeError),
        ("a", [3], TypeError),
    ],
)
def test_bad_arguments_are_named(text, right, error):
    with pytest.raises(error, match=r"text|right"):
        ProbeBar(lambda: [], text, right)
