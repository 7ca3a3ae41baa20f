"""One answers file and several kernels: real processes that write it at once."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from ctxkit.exercises import lock, predict
from ctxkit.exercises.answers import AnswersWarning, change_answers, read_answers


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = tmp_path / "answers.json"
    monkeypatch.setenv("CTXKIT_ANSWERS", str(path))
    return path


WRITER = """
import sys, threading
from ctxkit.exercises.answers import change_answers
name, threads, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def write(thread):
    for number in range(count):
        key = f"{name}-{thread}-{number}"
        assert change_answers(lambda kept: kept["predictions"].update({key: {"guess": number}}))
print("ready", flush=True)
sys.stdin.readline()
writers = [threading.Thread(target=write, args=(number,)) for number in range(threads)]
for writer in writers: writer.start()
for writer in writers: writer.join()
"""


def run_at_once(code, *commands):
    """Start a process for each command line, let all go on together, and wait until each has ended well."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for command in commands
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), results
    return [out for out, _ in results]


def test_two_kernels_with_threads_that_write_at_once_lose_nothing(path):
    run_at_once(WRITER, ("a", "4", "25"), ("b", "4", "25"))
    assert len(json.loads(path.read_text())["predictions"]) == 200
    assert os.listdir(path.parent) == [path.name]


def test_two_kernels_that_find_a_damaged_file_at_once_keep_it_whole_and_once(path):
    code = """
import sys, warnings
from ctxkit.exercises.answers import change_answers
warnings.simplefilter("ignore")
print("ready", flush=True)
sys.stdin.readline()
change_answers(lambda kept: kept["predictions"].update({sys.argv[1]: {"guess": 1}}))
"""
    for number in range(1, 6):
        path.write_bytes(b"{damaged %d" % number)
        run_at_once(code, ("a",), ("b",))
        assert set(json.loads(path.read_text())["predictions"]) == {"a", "b"}
        aside = sorted(path.parent.glob("answers.damaged-*"))
        assert len(aside) == number
        assert (path.parent / f"answers.damaged-{number}.json").read_bytes() == b"{damaged %d" % number


def test_a_kernel_that_was_killed_with_the_lock_is_in_nobodys_way(path):
    code = """
import os, sys
from ctxkit.exercises.answers import answers_path
from ctxkit.exercises.lock import locked
print("ready", flush=True)
sys.stdin.readline()
with locked(answers_path()):
    os._exit(0)
"""
    run_at_once(code, ())
    assert (path.parent / "answers.json.lock").exists()
    assert change_answers(lambda kept: kept["predictions"].update(x={"guess": 1}))
    assert os.listdir(path.parent) == [path.name]


def test_the_wait_for_another_program_is_bounded(path, monkeypatch):
    monkeypatch.setattr(lock, "WAIT", 0.05)
    code = """
import sys
from ctxkit.exercises.answers import answers_path
from ctxkit.exercises.lock import locked
with locked(answers_path()):
    print("ready", flush=True)
    sys.stdin.readline()
"""
    holder = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "ready\n"
    with pytest.warns(AnswersWarning, match="another program holds its lock"):
        assert "until the kernel restarts" in repr(predict("00-sponge", 2))
    holder.communicate("go\n")
    assert "in your answers file" in repr(predict("03-giant", 3))
    assert set(read_answers()["predictions"]) == {"00-sponge", "03-giant"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows locks everywhere")
def test_a_network_folder_without_locks_is_written_all_the_same(path, monkeypatch):
    import fcntl

    def unknown(descriptor, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unknown)
    assert "in your answers file" in repr(predict("00-sponge", 2))
