"""A memory as plain JSON and back: nothing but what JSON holds, and every fault named by its place.

Contract: `{"version": 1, "options": {...}, "pinned": [...], "levels": [...], "turns": [...]}`. The options
are those of `HierarchicalMemory`, under their names; model and counter are objects and never saved. A file is
hostile until it was read: unknown names, wrong types and levels that contradict themselves are refused.
"""

from __future__ import annotations

from dataclasses import asdict
from dataclasses import fields as field_names
from typing import Any

from ctxkit._arguments import text, whole_number
from ctxkit.memory.levels import Level, Levels
from ctxkit.memory.options import Options
from ctxkit.memory.turns import Turn
from ctxkit.messages.plain import plain
from ctxkit.transforms.config import named

VERSION = 1
MAX_TURNS = 10_000_000
"""Turns that a level may say it holds: far above any talk, and few enough to list."""

Saved = dict[str, Any]


def dump(options: Options, pinned: tuple[str, ...], levels: Levels, turns: tuple[Turn, ...]) -> Saved:
    """The parts of a memory as plain data."""
    return {
        "version": VERSION,
        "options": plain(asdict(options), "options"),
        "pinned": list(pinned),
        "levels": [{"text": level.text, "turns": level.turns, "folds": level.folds} for level in levels],
        "turns": [turn.as_dict() for turn in turns],
    }


def read(data: object) -> tuple[Saved, tuple[str, ...], Levels, tuple[Turn, ...]]:
    """Options, pinned facts, levels and turns.

    Raises TypeError or ValueError naming the place, such as `memory.turns[3].user`.

    >>> read({"version": 2})
    Traceback (most recent call last):
    ValueError: memory.version: 2 is not known; this ctxkit reads version 1
    """
    fields = named(plain(data, "memory"), "memory", ("version", "options", "pinned", "levels", "turns"))
    version = fields.get("version")
    if version != VERSION or isinstance(version, bool):
        raise ValueError(f"memory.version: {version!r:.40} is not known; this ctxkit reads version {VERSION}")
    facts = [fact(f"memory.pinned[{i}]", item) for i, item in _items(fields, "pinned")]
    levels = tuple(_level(f"memory.levels[{i}]", item) for i, item in _items(fields, "levels"))
    turns = tuple(_turn(f"memory.turns[{i}]", item) for i, item in _items(fields, "turns"))
    options = named(fields.get("options"), "memory.options", [field.name for field in field_names(Options)])
    return options, tuple(dict.fromkeys(facts)), levels, turns


def fact(name: str, value: object) -> str:
    """A pinned fact: text that says something."""
    found = text(name, value).strip()
    if not found:
        raise ValueError(f"{name}: expected a fact, got blank text")
    return found


def _items(fields: Saved, name: str) -> list[tuple[int, object]]:
    value = fields.get(name)
    if not isinstance(value, list):
        raise TypeError(f"memory.{name}: expected a list, got {type(value).__name__}")
    return list(enumerate(value))


def _level(where: str, value: object) -> Level:
    fields = named(value, where, ("text", "turns", "folds"))
    summary = text(f"{where}.text", fields.get("text"))
    turns = whole_number(f"{where}.turns", fields.get("turns"))
    folds = whole_number(f"{where}.folds", fields.get("folds"))
    if turns > MAX_TURNS:
        raise ValueError(f"{where}.turns: more than {MAX_TURNS:,} turns")
    if not folds <= turns or bool(summary.strip()) != bool(turns) or bool(turns) != bool(folds):
        told = f"{turns} turns in {folds} folds and a text of {len(summary)} characters"
        raise ValueError(f"{where}: {told} contradict each other")
    return Level(summary, turns, folds)


def _turn(where: str, value: object) -> Turn:
    fields = named(value, where, ("user", "assistant", "steps"))
    try:
        return Turn.of(fields.get("user"), fields.get("assistant"), fields.get("steps", ()))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}.{error}") from None
