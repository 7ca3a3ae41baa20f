"""`Job`: progress, a stop that does no damage, errors that are told, one run at a time."""

from __future__ import annotations

import asyncio
import threading

import pytest
from ipywidgets.widgets.widget import _instances

from ctxkit import KeepRecentMessages, run
from ctxkit.widgets import Job, lifetime
from tests.histories import U

SOON = 30  # seconds, for what takes milliseconds


class Gate:
    """Work that goes three steps, says so, and waits until it is let through."""

    def __init__(self):
        self.reached, self.cancelled = threading.Event(), threading.Event()
        self.runs = 0
        self.waits = None

    async def __call__(self, progress):
        self.runs += 1
        for done in range(3):
            await progress(done + 1, 5)
        self.waits = asyncio.get_running_loop().create_future()
        self.reached.set()
        try:
            return await self.waits
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    def open(self):
        self.waits.get_loop().call_soon_threadsafe(self.waits.set_result, "Through.")


@pytest.fixture
def gate():
    return Gate()


def started(gate):
    job = Job("Go", gate)
    job.start()
    assert gate.reached.wait(SOON)
    return job


def buttons(job):
    """Which of start and stop can be pressed."""
    return not job.button.disabled, not job.stop_button.disabled


def test_it_runs_tells_how_far_it_is_and_what_came_of_it(gate):
    job = started(gate)
    assert job.running and buttons(job) == (False, True)
    assert job.status.startswith("Running.")
    gate.open()
    assert job.wait(SOON) == "done"
    assert job.status == "Done. Through."
    assert (job.bar.value, job.bar.max, job.far.value) == (3, 5, "3 of 5")
    assert not job.running and buttons(job) == (True, False)


def test_it_is_stopped_where_it_waits_and_can_be_started_again(gate):
    job = started(gate)
    job.stop()
    assert job.wait(SOON) == "stopped" and gate.cancelled.is_set()
    assert job.status == "Stopped. After 3 of 5 steps. “Go” starts it again."
    assert buttons(job) == (True, False)
    gate.reached.clear()
    job.start()
    assert gate.reached.wait(SOON)
    gate.open()
    assert job.wait(SOON) == "done" and gate.runs == 2


def test_each_word_on_progress_is_a_place_to_stop():
    going = threading.Event()

    async def endless(progress):
        while True:
            going.set()
            await progress(1, 2)

    job = Job("Go", endless)
    job.start()
    assert going.wait(SOON)
    job.stop()
    assert job.wait(SOON) == "stopped"


def test_a_stop_before_the_first_step_ends_it_too(gate):
    job = Job("Go", gate)
    ready, hold = threading.Event(), threading.Event()

    async def busy():
        ready.set()
        hold.wait(SOON)  # holds the loop itself, so that start and stop are both waiting for it

    holder = threading.Thread(target=lambda: run(busy()))
    holder.start()
    assert ready.wait(SOON)
    job.start()
    job.stop()
    hold.set()
    holder.join(SOON)
    assert job.wait(SOON) == "stopped" and gate.runs == 0
    assert buttons(job) == (True, False)


def test_a_second_press_starts_nothing(gate):
    job = started(gate)
    job.button.click()
    job.start()
    gate.open()
    assert job.wait(SOON) == "done" and gate.runs == 1


def test_the_buttons_of_the_page_do_it(gate):
    job = Job("Go", gate)
    job.button.click()
    assert gate.reached.wait(SOON)
    job.stop_button.click()
    assert job.wait(SOON) == "stopped"


def test_stopping_what_does_not_run_does_nothing(gate):
    job = Job("Go", gate)
    before = job.status
    job.stop()
    assert run(KeepRecentMessages(1)([U("after the stop")]))
    assert job.status == before and job.wait(0) is None


@pytest.mark.parametrize("error", [ValueError("<b>no</b> \ud83d"), SystemExit(3), KeyboardInterrupt()])
def test_an_error_is_told_and_the_loop_lives_on(error):
    async def failing(progress):
        await progress(1, 4)
        raise error

    job = Job("Go", failing)
    job.start()
    assert job.wait(SOON) == "failed"
    assert job.status.startswith("Failed. After 1 of 4 steps. ") and type(error).__name__ in job.status
    assert "\ud83d" not in job.status and buttons(job) == (True, False)
    assert run(KeepRecentMessages(1)([U("still there")]))


def test_work_that_is_not_async_is_an_error_in_words():
    job = Job("Go", lambda progress: "at once")
    job.start()
    assert job.wait(SOON) == "failed" and "TypeError" in job.status


def test_a_slider_answers_while_it_runs(gate):
    job = started(gate)
    assert len(run(KeepRecentMessages(1)([U("1"), U("2")]))) >= 1
    assert job.running
    job.stop()
    assert job.wait(SOON) == "stopped"


def test_closing_stops_it_and_leaves_nothing(gate):
    before = set(_instances)
    job = started(gate)
    job.close()
    assert job.wait(SOON) == "stopped" and gate.cancelled.is_set()
    assert set(_instances) <= before


def test_running_the_cell_again_stops_what_runs(gate, monkeypatch):
    runs = iter([("cell", 1), ("cell", 2)])
    monkeypatch.setattr(lifetime, "_cell", lambda: next(runs))
    first = started(gate)
    second = Job("Go", Gate())
    assert first.wait(SOON) == "stopped" and first.widget.comm is None
    assert second.widget.comm is not None and not second.running


def test_how_far_it_is_shows_while_it_runs(gate):
    job, shown = Job("Go", gate), threading.Event()
    job.far.observe(lambda change: change["new"] == "3 of 5" and shown.set(), names="value")
    job.start()
    assert shown.wait(SOON) and job.running
    assert job.bar.value == 3
    job.stop()
    assert job.wait(SOON) == "stopped"


def test_many_steps_are_few_messages_to_the_page():
    async def thousand(progress):
        for done in range(1_000):
            await progress(done + 1, 1_000)
        return "Counted."

    job = Job("Go", thousand)
    told = []
    job.bar.observe(lambda change: told.append(change["new"]), names="value")
    job.start()
    assert job.wait(SOON) == "done"
    assert told[-1] == 1_000 and len(told) < 500
    assert job.far.value == "1,000 of 1,000"


def test_hostile_words_are_text():
    async def saying(progress):
        return "<script>x</script>\ud83d" + "x" * 5_000

    job = Job("<b>$x$</b>\ud83d", saying)
    assert job.button.description == "<b>$x$</b>⟨U+D83D⟩"
    job.start()
    assert job.wait(SOON) == "done"
    assert job.status.startswith("Done. <script>x</script>⟨U+D83D⟩") and len(job.status) < 700


def test_its_text_is_the_status():
    job = Job("Go", Gate())
    assert job._repr_mimebundle_()["text/plain"] == (
        "Ready. “Go” starts it; it can be stopped at any moment."
    )


@pytest.mark.parametrize("arguments", [(3, print), ("Go", None), ("Go", "work")])
def test_bad_arguments_are_named(arguments):
    with pytest.raises(TypeError, match=r"label|work"):
        Job(*arguments)


class Mute(Exception):
    """An error, or a result, that cannot be shown."""

    def __str__(self):
        raise ValueError("no text")


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ("raises", "Failed. Mute: (its text fails with ValueError)."),
        ("returns", "Done. (its text fails with ValueError)"),
        ("returns nothing", "Done."),
    ],
)
def test_whatever_comes_of_it_the_buttons_come_back(ends, said):
    async def work(progress):
        if ends == "raises":
            raise Mute
        return Mute() if ends == "returns" else None

    job = Job("Go", work)
    job.start()
    assert job.wait(SOON) == ("failed" if ends == "raises" else "done")
    assert job.status == said
    assert buttons(job) == (True, False)
