"""The answers file: what a learner predicted and solved, kept over kernel restarts.

Contract: JSON, at the path in the environment variable `CTXKIT_ANSWERS`, else `ctxkit_answers.json` in the
current folder. Each change reads the file, changes one entry and replaces the file in one step, so a crash
leaves the old file or the new one, and entries that another notebook wrote meanwhile stay. A file that
can't be read as answers is renamed, never overwritten; where nothing can be written, answers live as long
as the kernel and one warning says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

FILE_NAME = "ctxkit_answers.json"
SECTIONS = ("predictions", "exercises")

_unsaved: dict[Path, dict[str, Any]] = {}  # answers of files that can't be written, while the kernel lives


class AnswersWarning(UserWarning):
    """The answers file was damaged, or can't be written."""


def answers_path() -> Path:
    """Where the answers are kept now."""
    return Path(os.path.realpath(os.environ.get("CTXKIT_ANSWERS") or FILE_NAME))


def read_answers() -> dict[str, Any]:
    """Read all answers, as `{"predictions": {id: {"guess": 7}}, "exercises": {id: {"status": "right"}}}`.

    A missing file has none of them. A damaged one is set aside under a new name, with an `AnswersWarning`
    that says which.
    """
    path = answers_path()
    return _unsaved[path] if path in _unsaved else _read(path)


def change_answers(change: Callable[[dict[str, Any]], None]) -> bool:
    """Let `change` alter the answers, then write them. False when they could only be kept in memory."""
    path = answers_path()
    if path in _unsaved:
        change(_unsaved[path])
        return False
    answers = _read(path)
    change(answers)
    if path not in _unsaved:
        try:
            _replace(path, json.dumps(answers, indent=1) + "\n")
            return True
        except OSError as error:
            _keep_in_memory(path, answers, error)
    return False


def _read(path: Path) -> dict[str, Any]:
    empty: dict[str, Any] = {section: {} for section in SECTIONS}
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return empty
    except OSError as error:
        _keep_in_memory(path, empty, error)
        return empty
    try:
        answers = json.loads(text.decode("utf-8-sig"))
        return {**answers, **{section: _entries(answers.get(section, {})) for section in SECTIONS}}
    except (ValueError, AttributeError, TypeError, RecursionError):
        _set_aside(path, empty)
        return empty


def _entries(section: Any) -> dict[str, dict[str, Any]]:
    if not all(isinstance(entry, dict) for entry in section.values()):
        raise TypeError
    return section


def _set_aside(path: Path, empty: dict[str, Any]) -> None:
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
        number += 1
    try:
        path.rename(aside)
    except OSError as error:
        _keep_in_memory(path, empty, error)
        return
    _warn(
        f"The answers file {path.name} could not be read. It is kept as {aside.name}, and a new one begins."
    )


def _keep_in_memory(path: Path, answers: dict[str, Any], error: OSError) -> None:
    _unsaved[path] = answers
    _warn(
        f"The answers file {path.name} can't be used here ({error.strerror}). Answers last until the "
        "kernel restarts."
    )


def _warn(text: str) -> None:
    warnings.warn(text, AnswersWarning, stacklevel=2)


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        new.write_text(text, encoding="utf-8")
        os.replace(new, path)
    finally:
        with contextlib.suppress(OSError):  # gone already when all went well
            new.unlink()
