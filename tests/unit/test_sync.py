"""`run`: from a script, a thread, a running loop; refused where it could only hang (case G5 112)."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading

import pytest

from ctxkit import run

name = contextvars.ContextVar("name", default="nobody")


async def double(number):
    await asyncio.sleep(0)
    return 2 * number


def test_from_plain_code():
    assert run(double(21)) == 42


def test_from_inside_a_running_loop():
    async def cell():
        return run(double(21))

    assert asyncio.run(cell()) == 42


def test_from_many_threads():
    results = {}
    threads = [threading.Thread(target=lambda i=i: results.update({i: run(double(i))})) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: 2 * i for i in range(20)}


def test_inside_its_own_loop_it_says_use_await():
    async def nested():
        return run(double(1))

    with pytest.raises(RuntimeError, match="await"):
        run(nested())


def test_what_the_work_raises_is_raised():
    async def fails():
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        run(fails())


def test_the_callers_context_is_seen():
    async def who():
        return name.get()

    token = name.set("ada")
    try:
        assert run(who()) == "ada"
    finally:
        name.reset(token)


def test_interrupting_the_caller_cancels_the_work(monkeypatch):
    started, cancelled = threading.Event(), threading.Event()

    async def endless():
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def interrupted(self, timeout=None):
        assert started.wait(10)
        raise KeyboardInterrupt

    monkeypatch.setattr("concurrent.futures.Future.result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(endless())
    assert cancelled.wait(10)


@pytest.mark.parametrize("ending", [SystemExit(2), KeyboardInterrupt()])
def test_a_task_that_ends_the_program_ends_no_other_work(ending):
    async def ends():
        raise ending

    async def starts_it():
        await asyncio.ensure_future(ends())

    seen = []

    def caller():
        with pytest.raises(type(ending)):
            run(starts_it())
        seen.append(run(double(21)))

    waits = threading.Thread(target=caller, daemon=True)
    waits.start()
    waits.join(10)
    assert seen == [42]


def test_something_that_cannot_be_awaited():
    with pytest.raises(TypeError, match="await"):
        run(5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process")
def test_after_a_fork_the_child_has_a_loop_of_its_own():
    assert run(double(1)) == 2
    child = os.fork()
    if child == 0:
        os._exit(0 if run(double(2)) == 4 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
