"""The tables of a store's file, and whether a file is one.

Contract: a file that is something else, or that a newer ctxkit made, is refused by name and not changed; not
even into write-ahead mode. Two processes may make a new file at the same time.
"""

from __future__ import annotations

import sqlite3  # this module is only loaded when a file is opened
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic, sleep

from ctxkit.stores.errors import NotAStore, StoreDamaged, StoreTooNew

APPLICATION = int.from_bytes(b"ctxk", "big")
"""SQLite's mark for whose file this is (PRAGMA application_id)."""

VERSION = 1

# Messages form a tree: each names the one before it, and two branches share what they have in common. A
# checkpoint names the last message and where the live ones start, so it takes the same room in every turn.
TABLES = """
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, parent INTEGER REFERENCES messages, position INTEGER NOT NULL, body TEXT NOT NULL
);
CREATE TABLE summaries (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE checkpoints (
    id INTEGER PRIMARY KEY, parent INTEGER REFERENCES checkpoints, time REAL NOT NULL, happened TEXT NOT NULL,
    head INTEGER REFERENCES messages, leading INTEGER NOT NULL, tip INTEGER REFERENCES messages,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, notes INTEGER REFERENCES summaries
);
CREATE TABLE threads (
    name TEXT PRIMARY KEY, checkpoint INTEGER NOT NULL REFERENCES checkpoints
) WITHOUT ROWID;
"""
_NAMES = {"messages", "summaries", "checkpoints", "threads"}


def prepare(db: sqlite3.Connection, name: str, patience: float) -> None:
    """Make a new file a store, and accept one that is.

    name: of the file, for errors. patience: seconds to wait for others who open it too. Raises NotAStore,
    StoreTooNew or StoreDamaged, and what SQLite raises.
    """
    with transaction(db, "BEGIN"):
        new = _is_new(db, name)
    if new:
        _write_ahead(db, patience)
        with transaction(db, "BEGIN IMMEDIATE"):
            if _is_new(db, name):  # another process may have been first
                for statement in TABLES.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION}")
                db.execute(f"PRAGMA user_version = {VERSION}")
    # In write-ahead mode a killed process loses nothing that was committed; only a power cut may lose the
    # last commits, and never damages the file.
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA foreign_keys = ON")


@contextmanager
def transaction(db: sqlite3.Connection, begin: str) -> Generator[None, None, None]:
    """What happens inside is seen whole or not at all."""
    try:
        db.execute(begin)  # in here, for the kernel's stop button may come right after it
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _is_new(db: sqlite3.Connection, name: str) -> bool:
    """Whether the file is empty; an error when it is neither that nor a store of this version."""
    try:
        owner = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        if not str(error):  # in Python 3.10, where SQLite's own words cannot be decoded
            raise StoreDamaged(f"{name} is damaged: its tables cannot be read") from None
        raise NotAStore(f"{name} cannot be used for threads: {error}; choose another file") from None
    if owner == 0 and version == 0 and not tables:
        return True
    if owner != APPLICATION:
        raise NotAStore(f"{name} is a database of another program; choose another file for the threads")
    if version > VERSION:
        raise StoreTooNew(
            f"{name} was made by a newer ctxkit (schema {version}, this one knows {VERSION}); update ctxkit"
        )
    if not tables >= _NAMES:
        raise StoreDamaged(f"{name}: tables are missing: {', '.join(sorted(_NAMES - tables))}")
    return False


def _write_ahead(db: sqlite3.Connection, patience: float) -> None:
    """Switch to write-ahead mode, which SQLite refuses at once while others use the file."""
    until = monotonic() + patience
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if monotonic() > until:
                raise
            sleep(0.005)
