"""Is the embedded model there, and does it run? What can go wrong, with packages made up for it."""

from __future__ import annotations

import os
import sys

import pytest

from ctxkit import EmbeddedModel
from ctxkit.models.embedded import EmbeddedUnavailable, embedded_available, files, trial

SOUND = """
class Group: pass
class CommonParams:
    def __init__(self): self.model, self.cpuparams, self.cpuparams_batch = Group(), Group(), Group()
class Server:
    def __init__(self, params): self.params = params
    def handle_completions(self, body): return {"choices": [{"text": " four"}]}
"""
DIES = "import os, signal; os.kill(os.getpid(), signal.SIGILL)"
REFUSES = SOUND.replace("self.params = params", "raise RuntimeError('no model in it')")
FAILS = SOUND.replace('{"choices": [{"text": " four"}]}', '{"error": {"message": "out of memory"}}')


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A folder on the path of Python that hides the real packages; give the runner's code to put it there."""

    def put(runner=None, model=b"GGUF"):
        for name in (files.RUNNER, files.MODEL):
            (tmp_path / name).mkdir()
        if runner is not None:
            (tmp_path / files.RUNNER / "__init__.py").write_text(runner, encoding="utf-8")
        # Importing it would end the test: only the file in it is wanted.
        (tmp_path / files.MODEL / "__init__.py").write_text("raise SystemExit", encoding="utf-8")
        if model is not None:
            (tmp_path / files.MODEL / "tiny.gguf").write_bytes(model)
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return tmp_path / files.MODEL / "tiny.gguf"

    monkeypatch.delitem(sys.modules, files.RUNNER, raising=False)
    return put


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(files, "find_spec", lambda name: None)


def test_it_is_tried_in_a_child_and_the_finding_is_kept(packages, monkeypatch):
    file = packages(SOUND)
    assert embedded_available()
    assert embedded_available().reason == ""
    monkeypatch.setattr(trial, "SECONDS", 0)  # another child would not get as far
    assert embedded_available() and embedded_available(file)
    assert files.MODEL not in sys.modules and files.RUNNER not in sys.modules


@pytest.mark.skipif(os.name == "nt", reason="signals are for POSIX")
def test_a_child_that_dies_means_not_available_and_this_process_lives(packages):
    packages(DIES)
    found = embedded_available()
    assert not found
    assert "was ended by SIGILL; llama.cpp needs AVX2" in found.reason
    assert found.reason.endswith("make embedded")


@pytest.mark.parametrize(("runner", "why"), [(REFUSES, "no model in it"), (FAILS, "out of memory")])
def test_a_model_that_cannot_be_loaded_is_named_with_the_reason(packages, runner, why):
    packages(runner)
    reason = embedded_available().reason
    assert "tiny.gguf cannot be loaded" in reason and why in reason and "make embedded" in reason


def test_a_trial_that_takes_too_long_is_ended(packages, monkeypatch):
    packages("import threading; threading.Event().wait()")
    monkeypatch.setattr(trial, "SECONDS", 0.5)
    assert "TimeoutExpired" in embedded_available().reason


def test_another_file_is_tried_anew(packages, tmp_path):
    packages(REFUSES)
    assert not embedded_available()
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF")
    assert "own.gguf cannot be loaded" in embedded_available(own).reason


def test_what_is_not_installed_says_how_and_starts_no_child(nothing_installed, monkeypatch):
    monkeypatch.setattr(trial, "_tried", None)
    assert embedded_available().reason.startswith("The embedded model is not installed. To install it: make")
    with pytest.raises(EmbeddedUnavailable, match="make embedded"):
        EmbeddedModel()


def test_a_model_without_its_runner_is_not_enough(packages, monkeypatch):
    packages()
    found = files.find_spec
    monkeypatch.setattr(files, "find_spec", lambda name: None if name == files.RUNNER else found(name))
    assert embedded_available().reason.startswith("The runner of the embedded model is not installed")


def test_a_package_without_a_model_is_not_enough(packages):
    packages(SOUND, model=None)
    assert embedded_available().reason.startswith("The embedded model is not installed")


@pytest.mark.parametrize("broken", [None, object()])
def test_a_half_loaded_package_is_none(monkeypatch, broken):
    monkeypatch.setitem(sys.modules, files.MODEL, broken)
    with pytest.raises(EmbeddedUnavailable, match="not installed"):
        files.model_file()


@pytest.mark.parametrize("path", ["no_such.gguf", "~/no_such.gguf", "."])
def test_a_path_that_is_no_file_says_what_to_do(path):
    with pytest.raises(EmbeddedUnavailable, match=r"There is no file .+ Give the path of a model in GGUF"):
        EmbeddedModel(path)


def test_a_path_is_a_path():
    with pytest.raises(TypeError):
        EmbeddedModel(3)
