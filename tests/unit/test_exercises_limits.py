"""Loops without end: each ends in a sentence, and nothing of the stop is left over."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import sys
import threading
import time

import pytest

from ctxkit.exercises import check_answer, limits, predict, probe
from ctxkit.exercises.limits import Endless, limited
from ctxkit.exercises.probe import ENDLESS, ENDLESS_VALUE


@pytest.fixture(autouse=True)
def short_limits(tmp_path, monkeypatch):
    monkeypatch.setenv("CTXKIT_ANSWERS", str(tmp_path / "answers.json"))
    monkeypatch.setattr(probe, "CALL_SECONDS", 0.2)
    monkeypatch.setattr(probe, "CHECK_SECONDS", 0.4)


def swallowing(messages, start):
    while True:
        try:
            start = -start
        except:  # noqa: E722
            start = 0


def on_one_line(messages, start):
    while True: pass  # fmt: skip  # noqa: E701


def is_answer(number):
    return False


def in_a_library(messages, start):
    return any(filter(is_answer, itertools.count()))


def in_a_generator(messages, start):
    return any(False for _ in itertools.count())


def giving_in(messages, start):
    try:
        while True:
            start = -start
    except BaseException:
        return 0


def endless_cleaning(messages, start):
    try:
        while True:
            start = -start
    finally:
        while start < 100:
            start = -abs(start)


class Looping:
    """A value that loops wherever somebody looks at it."""

    def loop(self, *arguments):
        while True:
            pass

    __eq__ = __repr__ = __index__ = __deepcopy__ = __iter__ = loop
    __hash__ = object.__hash__


LOOPS = [swallowing, on_one_line, in_a_library, in_a_generator, giving_in, endless_cleaning]


@pytest.mark.parametrize("function", LOOPS)
@pytest.mark.parametrize("elsewhere", [False, True], ids=["main thread", "another thread"])
def test_a_loop_without_end_is_ended_and_always_in_the_same_words(function, elsewhere):
    results = []

    def check():
        results.append(check_answer("03-safe-start", function))

    if elsewhere:
        thread = threading.Thread(target=check)
        thread.start()
        thread.join()
    else:
        check()
    [result] = results
    assert (result.status, result.message) == (
        "wrong",
        ENDLESS.format("a window that begins with a question"),
    )
    for thread in threading.enumerate():
        if thread.name in ("ctxkit-check", "ctxkit-stop"):  # threads of other tests' models stay
            thread.join(timeout=20)
            assert not thread.is_alive(), "the loop goes on"


@pytest.mark.parametrize("exercise", ["00-keep", "01-build", "02-frame"])
def test_a_value_that_loops_when_looked_at_is_wrong(exercise):
    result = check_answer(exercise, Looping())
    assert result.status == "wrong"
    assert "\n" not in repr(result)


def test_a_result_whose_elements_loop_when_compared_is_wrong():
    result = check_answer("03-last", lambda messages, keep: [Looping()] * keep)
    assert (result.status, result.message) == ("wrong", ENDLESS_VALUE)


def test_a_prediction_that_loops_is_not_kept():
    assert repr(predict("00-sponge", Looping())) == f"Nothing kept: {ENDLESS_VALUE}"


def test_code_that_swallows_every_stop_is_left_behind(monkeypatch):
    monkeypatch.setattr(limits, "PATIENCE", 0.1)
    released = threading.Event()

    def stubborn():
        while not released.is_set():
            try:
                while not released.is_set():
                    pass
            except SystemExit:
                pass

    def never_giving_in():
        while not released.is_set():
            try:
                stubborn()
            except SystemExit:
                continue

    try:
        with pytest.raises(Endless):
            limited(never_giving_in, seconds=0.1)
    finally:
        released.set()


def test_a_stop_by_the_learner_ends_the_wait_and_then_the_loop():
    # A process of its own: the signal goes to the main thread, as the kernel's stop button sends it.
    code = """
import _thread, signal, sys, threading
from ctxkit.exercises import check_answer, probe
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
probe.CALL_SECONDS = probe.CHECK_SECONDS = 3600
begun = threading.Event()
def safe_start(messages, start):
    begun.set()
    while True: pass
def press_stop():
    begun.wait()
    _thread.interrupt_main()
threading.Thread(target=press_stop).start()
try:
    check_answer("03-safe-start", safe_start)
except KeyboardInterrupt:
    for thread in threading.enumerate():
        if thread.name.startswith("ctxkit-check"):
            thread.join()
    print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("stopped\n", "")


def test_no_stop_is_left_over_for_what_comes_next():
    # Tasks that end just when the limit is reached: either verdict is fine, a stray SystemExit is not.
    def spin(seconds):
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
        return seconds

    for step in range(30):
        seconds = 0.08 + step / 1000
        with contextlib.suppress(Endless):
            assert limited(lambda seconds=seconds: spin(seconds), seconds=0.1) == seconds
        assert [len(str(number)) for number in range(100)].count(1) == 10  # a stop left over is raised here


def test_the_thread_sees_the_callers_context_and_its_errors_reach_the_caller():
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 3
        assert limited(lambda: str(Decimal(1) / 3), seconds=1) == "0.333"
    with pytest.raises(ZeroDivisionError):
        limited(lambda: 1 / 0, seconds=1)
    with pytest.raises(SystemExit):
        limited(lambda: sys.exit(3), seconds=1)


def test_waiting_takes_no_time_from_the_limit():
    gate = threading.Event()
    opener = threading.Timer(0.3, gate.set)
    opener.start()
    assert limited(gate.wait, seconds=0.1) is True
