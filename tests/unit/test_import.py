"""`import ctxkit` is cheap: no widget, no socket, no vocabulary; public names load when asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ctxkit
from ctxkit.models import errors

HEAVY = (
    "ipywidgets",
    "plotly",
    "anywidget",
    "httpx",
    "requests",
    "ollama",
    "tiktoken",
    "IPython",
    "pydantic",
    "numpy",
    "sqlite3",
    "asyncio",
)


def run_child(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


@pytest.mark.parametrize(
    "code", ["import ctxkit", "import ctxkit; [getattr(ctxkit, name) for name in ctxkit.__all__]"]
)
def test_nothing_heavy_is_loaded(code):
    loaded = run_child(f"{code}\nimport sys; print(*[m for m in {HEAVY!r} if m in sys.modules])")
    assert loaded == []


def test_no_vocabulary_is_opened():
    code = """
import builtins, io, sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
import ctxkit
for name in ctxkit.__all__:
    getattr(ctxkit, name)
print(*[path for path in opened if "tiktoken" in path])
"""
    assert run_child(code) == []


def test_every_public_name_loads():
    for name in ctxkit.__all__:
        assert getattr(ctxkit, name) is not None
    assert set(ctxkit.__all__) <= set(dir(ctxkit))


def test_every_named_error_of_a_model_is_public():
    named = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert named <= set(ctxkit.__all__)
    assert ctxkit.ServerNotRunning is errors.ServerNotRunning


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ctxkit.nothing
