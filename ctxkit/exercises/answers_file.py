"""The answers as a file: read, set aside, replace. `answers` says when, and holds the lock meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

SECTIONS = ("predictions", "exercises")


class Damaged(Exception):
    """The file can't be read as answers."""


def empty() -> dict[str, Any]:
    """Answers without any entry."""
    return {section: {} for section in SECTIONS}


def load(path: Path) -> dict[str, Any]:
    """Read the file; a missing one is empty. Raises Damaged, else OSError."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return empty()
    try:
        answers = json.loads(text.decode("utf-8-sig"))
        answers = {**answers, **{section: _entries(answers.get(section, {})) for section in SECTIONS}}
        _text(answers)  # nested so deep that it can be read and not be written: damaged too
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise Damaged from None
    return answers


def replace(path: Path, answers: dict[str, Any]) -> None:
    """Write the file in one step. Raises OSError, and leaves the old file then."""
    from uuid import uuid4

    draft = path.with_name(f"{path.name}.{uuid4().hex}.new")
    try:
        draft.write_text(_text(answers), encoding="utf-8")
        os.replace(draft, path)
    finally:
        with contextlib.suppress(OSError):  # gone already when all went well
            draft.unlink()


def set_aside(path: Path) -> str:
    """Rename the file to the first free name for damaged ones, and tell it. Raises OSError."""
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
        number += 1
    path.rename(aside)
    return aside.name


def _text(answers: dict[str, Any]) -> str:
    return json.dumps(answers, indent=1) + "\n"


def _entries(section: Any) -> dict[str, dict[str, Any]]:
    if not all(isinstance(entry, dict) for entry in section.values()):
        raise TypeError
    return section
