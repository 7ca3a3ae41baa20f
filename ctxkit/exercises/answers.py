"""The answers file: what a learner predicted and solved, kept over kernel restarts.

Contract: JSON, at the path in the environment variable `CTXKIT_ANSWERS`, else `ctxkit_answers.json` in the
current folder. Each change locks the file, reads it, changes one entry and replaces the file in one step. So
a crash leaves the old file or the new one, and entries that another notebook writes meanwhile stay. A file
that can't be read as answers is renamed, never overwritten. A change that can't be written stays in memory
and is written with the next one that can; one warning says so.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctxkit.exercises.answers_file import Damaged, empty, load, replace, set_aside
from ctxkit.exercises.lock import locked

FILE_NAME = "ctxkit_answers.json"

Change = Callable[[dict[str, Any]], None]

_unsaved: dict[Path, list[Change]] = {}  # what could not be written yet, oldest first
_warned: set[Path] = set()


class AnswersWarning(UserWarning):
    """The answers file was damaged, or can't be written."""


def answers_path() -> Path:
    """Where the answers are kept now."""
    path = os.environ.get("CTXKIT_ANSWERS") or FILE_NAME
    try:
        return Path(os.path.realpath(path))
    except OSError:  # the current folder was removed
        return Path(path)


def read_answers() -> dict[str, Any]:
    """Read all answers, as `{"predictions": {id: {"guess": 7}}, "exercises": {id: {"status": "right"}}}`.

    A missing file has none of them. A damaged one is set aside under a new name, with an `AnswersWarning`
    that says which.
    """
    path = answers_path()
    try:
        answers = _read(path)
    except OSError as error:
        answers = empty()
        _warn_once(path, error)
    for change in list(_unsaved.get(path, ())):
        change(answers)
    return answers


def change_answers(change: Change) -> bool:
    """Let `change` alter the answers, then write them. False when they could only be kept in memory.

    change: called again when the answers are read before they could be written.
    """
    path = answers_path()
    unsaved = _unsaved.setdefault(path, [])
    unsaved.append(change)
    try:
        with locked(path):
            count = len(unsaved)
            answers = _read_locked(path)
            for one in unsaved[:count]:
                one(answers)
            replace(path, answers)
            del unsaved[:count]
    except OSError as error:
        _warn_once(path, error)
        return False
    _warned.discard(path)
    return True


def _read(path: Path) -> dict[str, Any]:
    try:
        return load(path)
    except Damaged:
        with locked(path):
            return _read_locked(path)


def _read_locked(path: Path) -> dict[str, Any]:
    try:
        return load(path)
    except Damaged:
        aside = set_aside(path)
        _warn(f"The answers file {path.name} could not be read. It is kept as {aside}, and a new one begins.")
        return empty()


def _warn_once(path: Path, error: OSError) -> None:
    if path not in _warned:
        _warned.add(path)
        _warn(
            f"The answers file {path.name} can't be used here ({error.strerror}). Answers last until the "
            "kernel restarts, unless saving works again with a later one."
        )


def _warn(text: str) -> None:
    warnings.warn(text, AnswersWarning, stacklevel=2)
