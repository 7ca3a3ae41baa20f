"""Work in the background: only the newest counts, and it ends between two steps."""

from __future__ import annotations

import threading

import pytest

from ctxkit import run
from ctxkit.widgets.labs.window.background import Background


class Told(list):
    """Keeps what it is called with."""

    def __call__(self, *what):
        self.append(what)


def never(error):
    raise AssertionError("it should not have failed") from error


def steps(count, log, gate=None):
    """Work of so many steps; waits for the gate after the first."""

    async def work(progress):
        import asyncio

        for done in range(1, count + 1):
            log.append(done)
            await progress(done, count)
            while gate is not None and not gate.is_set():
                await progress(done, count)
                await asyncio.sleep(0)
        return count

    return work


def test_newer_work_ends_older_work_between_two_steps():
    background, log, done = Background(Told()), [], Told()
    gate = threading.Event()
    background.start(background.begin(), steps(3, log, gate), done, never)
    while not log:
        assert not background.wait(0.01)
    background.start(background.begin(), steps(2, []), done, never)
    assert background.wait(30)
    gate.set()
    assert done == [(2,)]
    assert log == [1]


def test_work_done_here_ends_work_done_there():
    background, log, done = Background(Told()), [], Told()
    background.start(background.begin(), steps(3, log, threading.Event()), done, never)
    number = background.begin()
    assert background.busy and background.is_newest(number)
    background.finish(number)
    assert background.wait(30) and not done


def test_an_older_number_finishes_nothing():
    background = Background(Told())
    older, _ = background.begin(), background.begin()
    background.finish(older)
    assert background.busy and not background.wait(0)


def test_an_error_is_handed_over_and_ends_the_wait():
    background, failed = Background(Told()), Told()

    async def broken(progress):
        raise ValueError("no")

    background.start(background.begin(), broken, Told(), failed)
    assert background.wait(30)
    assert [str(error) for [error] in failed] == ["no"]


def test_waiting_inside_the_loop_is_refused():
    background = Background(Told())

    async def wait():
        background.wait()

    with pytest.raises(RuntimeError, match="inside the kit's own event loop"):
        run(wait())
