"""A small checkout, and the kit as its wheel installs it, for tests that leave a learner's copies alone."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ctxkit import lessons

ROOT = Path(__file__).resolve().parents[2]


def complaint(*command: str) -> str:
    """What a command says that fails, "" for one that ends well."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return f"{done.returncode}: {done.stderr}" if done.returncode else ""


def notebook(title: str) -> str:
    """A lesson as the kit ships it: with outputs, a count, and the state of a widget."""
    output = {"output_type": "stream", "name": "stdout", "text": ["the answer\n"]}
    text = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["Größe"]}
    code = {"cell_type": "code", "id": "b", "metadata": {}, "source": ["print()"]}
    return json.dumps(
        {
            "cells": [text, code | {"execution_count": 7, "outputs": [output]}],
            "metadata": {"ctxkit": {"title": title, "minutes": 25}, "widgets": {"state": {}}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of a checkout with lessons 00 and 01, in a folder with a blank in its name."""
    root = tmp_path / "a kit"
    (root / "notebooks").mkdir(parents=True)
    (root / "pyproject.toml").touch()
    for name, title in (("00_start_here", "Start here"), ("01_roles", "Roles")):
        (root / "notebooks" / f"{name}.ipynb").write_text(notebook(title), encoding="utf-8")
    monkeypatch.setattr(lessons, "checkout", lambda: root)
    return root


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with no network and unpacked: what an installation puts on the path of Python."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("ctxkit-*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"
