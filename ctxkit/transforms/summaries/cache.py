"""`SummaryCache`: summaries that were paid for, in memory or in a file.

Contract: bounded, in memory and in the file; the least recently used entry goes first. Keys are digests that
are the same in every process, so a file can be shared by runs, which see what the others put in. A lookup
that leads to nothing in the end is not counted: `hits` and `misses` only move when a summary was used or
made.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxkit._arguments import whole_number
from ctxkit.transforms.summaries.locks import KeyedLocks

if TYPE_CHECKING:
    import sqlite3

_SCHEMA = 1


class SummaryCache:
    """Keeps summaries by key.

    max_entries: how many are kept (default 10,000). path: an SQLite file to keep them in as well (default
    None: memory only). hits, misses: summaries found, and made anew, since this object was made. changes: how
    often one was put in; while it is the same, so are the keys. Copied and pickled with its entries. Raises
    ValueError for a file that is no summary cache.

    >>> cache = SummaryCache(max_entries=2)
    >>> cache.put("a", "They spoke of dolphins.")
    >>> cache.get("a"), cache.get("b")
    ('They spoke of dolphins.', None)
    """

    def __init__(self, max_entries: int = 10_000, path: str | os.PathLike[str] | None = None) -> None:
        self.max_entries = whole_number("max_entries", max_entries, minimum=1)
        self.path = None if path is None else Path(path)
        self.hits = self.misses = self._changes = 0
        self._entries: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()
        self._paying = KeyedLocks()  # of the transforms that share this cache, one pays for a summary
        self._aside: dict[str, str] = {}  # paid for by runs that did not come to their end yet, or ever
        self._row, self._stamp = 0, b""  # of the file: the last row that was read, and what it was at then
        if self.path is not None:
            self._open(self.path)

    @property
    def changes(self) -> int:
        with self._lock:
            self._catch_up()
            return self._changes

    def get(self, key: str) -> str | None:
        """The summary under a key, or None."""
        with self._lock:
            self._catch_up()
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def first(self, keys: Iterable[str]) -> tuple[int, str] | None:
        """Of some keys the first under which there is a summary: its place among them, and the summary.

        >>> cache = SummaryCache()
        >>> cache.put("b", "They spoke of dolphins.")
        >>> cache.first(["a", "b", "c"])
        (1, 'They spoke of dolphins.')
        """
        with self._lock:
            self._catch_up()
            for place, key in enumerate(keys):
                if key in self._entries:
                    self._entries.move_to_end(key)
                    return place, self._entries[key]
        return None

    def get_all(self, keys: Sequence[str]) -> dict[str, str]:
        """The summaries under some keys, as far as there are any.

        >>> cache = SummaryCache()
        >>> cache.put("a", "They spoke of dolphins.")
        >>> cache.get_all(["a", "b"])
        {'a': 'They spoke of dolphins.'}
        """
        with self._lock:  # no loop of Python's: a long history asks for all its summaries at each call
            self._catch_up()
            known = [*filter(self._entries.__contains__, keys)]
            deque(map(self._entries.move_to_end, known), maxlen=0)
            return dict(zip(known, map(self._entries.__getitem__, known), strict=True))

    def put(self, key: str, summary: str) -> None:
        """Keep a summary.

        Raises sqlite3.Error when the file cannot be written; the summary is kept in memory all the same.
        """
        with self._lock:
            self._changes += 1
            self._entries[key] = summary
            self._entries.move_to_end(key)
            gone = [
                self._entries.popitem(last=False)[0] for _ in range(len(self._entries) - self.max_entries)
            ]
            if self.path is not None:
                self._store(self.path, key, summary, gone, self.max_entries)

    def copy(self) -> SummaryCache:
        """The same entries in memory, counters at 0; what is put into the copy stays out of this one.

        >>> cache = SummaryCache()
        >>> cache.put("a", "They spoke of dolphins.")
        >>> cache.copy().get("a")
        'They spoke of dolphins.'
        """
        twin = SummaryCache(self.max_entries)
        with self._lock:
            twin._entries.update(self._entries)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # which cannot be copied; nor may the entries be shared without it
            own = {"_entries": self._entries.copy(), "_aside": self._aside.copy()}
            return {**vars(self), **own, "_lock": None, "_paying": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock(), _paying=KeyedLocks())

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else f"in {self.path.name}"
        used = f"{self.hits} hits, {self.misses} misses"
        return f"SummaryCache({len(self)} of {self.max_entries:,} {where}: {used})"

    def _open(self, path: Path) -> None:
        import sqlite3

        try:
            with closing(sqlite3.connect(path)) as db, db:
                version = db.execute("PRAGMA user_version").fetchone()[0]
                tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
                if version > _SCHEMA or (tables and "summaries" not in tables):
                    raise ValueError(f"{path.name} is no summary cache of this version; choose another file")
                db.execute(
                    "CREATE TABLE IF NOT EXISTS summaries (key TEXT PRIMARY KEY, summary TEXT NOT NULL)"
                )
                db.execute(f"PRAGMA user_version = {_SCHEMA}")
                self._read(db)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise ValueError(f"{path.name} cannot be used as a summary cache: {error}") from None

    def _catch_up(self) -> None:
        """Take in what others put into the file since it was read; one that cannot be read now has nothing
        new."""
        if self.path is None or (stamp := _stamp(self.path)) in (self._stamp, b""):
            return
        import sqlite3

        unreadable = sqlite3.Error, UnicodeDecodeError
        with suppress(*unreadable), closing(sqlite3.connect(self.path, timeout=0.2)) as db:
            self._changes += self._read(db)
            self._stamp = stamp

    def _read(self, db: sqlite3.Connection) -> bool:
        """Take in the rows that were not read yet; whether there was something new in them.

        What is here already stays: two may have paid for the same summary, and each goes on with its own.
        """
        newest = "SELECT rowid, key, summary FROM summaries WHERE rowid > ? ORDER BY rowid DESC LIMIT ?"
        rows = db.execute(newest, (self._row, self.max_entries)).fetchall()[::-1]
        self._row = rows[-1][0] if rows else self._row
        new = {_text(key): _text(summary) for _, key, summary in rows}
        for key in self._entries.keys() & new.keys():
            del new[key]
        self._entries.update(new)
        for _ in range(len(self._entries) - self.max_entries):
            self._entries.popitem(last=False)
        return bool(new)

    @staticmethod
    def _store(path: Path, key: str, summary: str, gone: Iterable[str], most: int) -> None:
        import sqlite3

        with closing(sqlite3.connect(path)) as db, db:
            db.execute("INSERT OR REPLACE INTO summaries VALUES (?, ?)", (_cell(key), _cell(summary)))
            db.executemany("DELETE FROM summaries WHERE key = ?", [(_cell(old),) for old in gone])
            db.execute(  # what other runs wrote counts too
                "DELETE FROM summaries WHERE rowid IN"
                " (SELECT rowid FROM summaries ORDER BY rowid DESC LIMIT -1 OFFSET ?)",
                (most,),
            )


def _stamp(path: Path) -> bytes:
    """What differs after each change of an SQLite file, the counter in its header; b"" for no file."""
    try:
        with path.open("rb") as file:
            return file.read(28)[24:]
    except OSError:
        return b""


def _cell(text: str) -> str | bytes:
    """A text as the file can hold it: SQLite takes no lone surrogates as text (openai/tiktoken#541)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _text(cell: str | bytes) -> str:
    return cell if isinstance(cell, str) else cell.decode("utf-8", "surrogatepass")
