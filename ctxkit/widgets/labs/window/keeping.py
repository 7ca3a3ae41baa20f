"""Settings of the lab that outlive the kernel, in the notebook's answers file.

Contract: an entry that is broken, or was written by another version, is not used, and left alone until the
learner changes a setting; reading never raises. Writing waits until the sliders rest, because it locks and
replaces a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from ctxkit.widgets.labs.window.choices import NAMES, Values, choice

if TYPE_CHECKING:
    from ctxkit.widgets.labs.window.settings import Settings
    from ctxkit.widgets.labs.window.stepping import Stepper

KEY = "lab:window"
VERSION = 1
REST = 0.4
"""Seconds without a change before the settings are written."""


@dataclass(frozen=True)
class Kept:
    """The settings of a lab. talk: digest of the conversation. upto: index of its last message."""

    strategy: str
    window: int
    values: Mapping[str, Values]
    talk: str
    upto: int


class Unreadable(ValueError):
    """There are settings, but none that this version can use."""


def read() -> Kept | None:
    """The settings that were kept, None for none. Raises Unreadable."""
    from ctxkit.exercises.answers import read_answers

    entry = read_answers().get(KEY)
    return None if entry is None else parse(entry)


def parse(entry: object) -> Kept:
    """The settings of an entry.

    Raises Unreadable, whatever is wrong with it.

    >>> parse({"version": 0})
    Traceback (most recent call last):
    ctxkit.widgets.labs.window.keeping.Unreadable: version
    """
    fields = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    if fields.get("version") != VERSION:
        raise Unreadable("version")
    values: Any = fields.get("values")
    if fields.get("strategy") not in NAMES or not isinstance(values, dict):
        raise Unreadable("strategy")
    read_values: dict[str, Values] = {}
    for name, numbers in cast("dict[str, Any]", values).items():
        if name not in NAMES or not isinstance(numbers, list):
            raise Unreadable("values")
        row = tuple(_whole(number) for number in cast("list[object]", numbers))
        if len(row) != len(choice(name).dials):
            raise Unreadable("values")
        read_values[name] = row
    window, upto = _whole(fields.get("window")), _whole(fields.get("upto"))
    return Kept(fields["strategy"], window, read_values, str(fields.get("talk")), upto)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise Unreadable("a number")
    return value


def restore(settings: Settings, stepper: Stepper, talk: str) -> str:
    """Take up the settings that were kept; gives a word where there are some that cannot be used.

    talk: digest of the present conversation; where to stand in it is taken from the same one only.
    """
    try:
        kept = read()
    except Unreadable:
        return " The settings that were kept could not be read; these are the lab's own."
    if kept is not None:
        settings.take(kept.strategy, kept.window, kept.values)
        if kept.talk == talk:
            stepper.resize(stepper.slider.box.max + 1, kept.upto)
    return ""


class Keeper:
    """Writes settings once they have rested for a moment; those that a lab begins with are no change."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: Kept | None = None
        self._newest: Kept | None = None
        self._changes = 0

    def keep(self, kept: Kept) -> None:
        """Write these settings soon, or what has come after them by then."""
        from ctxkit._sync import background_loop

        with self._lock:
            first, same = self._known is None, self._known == kept
            self._known = kept
            if first or same:
                return
            self._newest = kept
            self._changes += 1
            change = self._changes
        loop = background_loop()
        loop.call_soon_threadsafe(lambda: loop.call_later(REST, self._rested, change))

    def write(self) -> None:
        """Write now what was not written yet."""
        from ctxkit.exercises.answers import change_answers

        with self._lock:
            kept, self._newest = self._newest, None
        if kept is None:
            return
        entry = {"version": VERSION, **asdict(kept), "values": {k: list(v) for k, v in kept.values.items()}}
        change_answers(lambda answers: answers.__setitem__(KEY, entry))

    def _rested(self, change: int) -> None:
        if change == self._changes:
            self.write()
