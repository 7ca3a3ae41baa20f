"""`SqliteStore`: threads in one file, safe against killed processes and second writers.

The rules are those of `base`; here they are four tables and a transaction. SQLite's own module is all that it
takes: an object mapper would hide the two things that matter, which statements run and where a transaction
begins, and would add more imports than the kit has.

Contract: one connection, opened when it is needed and once in each process; calls from several Python threads
wait for each other. A call does not await: a commit takes a fraction of a millisecond and is never cancelled
half-way. What was committed survives `kill -9`. Whatever SQLite has to report comes as a `StoreError`.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxkit._arguments import text, whole_number
from ctxkit.messages import Message
from ctxkit.messages.plain import canonical_json
from ctxkit.stores.base import ThreadStore
from ctxkit.stores.errors import NotAStore, StoreDamaged, StoreUnavailable
from ctxkit.stores.rows import parsed, read_row, write_row
from ctxkit.stores.values import Point

if TYPE_CHECKING:
    import sqlite3

PATIENCE = 10.0
"""Seconds to wait while another process writes; a commit takes less than a thousandth of that."""

_POINT = 'id, parent, time, happened, head, leading, tip, start, "end", notes'
# A damaged file must not lead in circles: positions and ids only fall.
_CHAIN = """
WITH RECURSIVE chain(id, parent, position, body) AS (
    SELECT id, parent, position, body FROM messages WHERE id = ?
    UNION ALL
    SELECT m.id, m.parent, m.position, m.body FROM messages m JOIN chain ON m.id = chain.parent
    WHERE m.position = chain.position - 1 AND m.position >= ?
) SELECT id, position, body FROM chain ORDER BY position
"""
_PAST = f"""
WITH RECURSIVE past(step) AS (
    SELECT ?
    UNION ALL
    SELECT c.parent FROM checkpoints c JOIN past ON c.id = past.step WHERE c.parent < c.id
) SELECT {_POINT} FROM checkpoints WHERE id IN past ORDER BY id
"""


class SqliteStore(ThreadStore):
    """Keeps threads in an SQLite file (in write-ahead mode: two more files stand beside it while it is open).

    path: the file; it is made if there is none, in a folder that exists, on a disk of this machine. Raises
    NotAStore for a file that is something else, StoreTooNew for one of a newer ctxkit, StoreUnavailable for
    one that cannot be opened.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = SqliteStore(Path(folder) / "threads.db")
    ...     print(store, store.threads())
    ...     store.close()
    SqliteStore('threads.db') []
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if str(path) in ("", ":memory:"):
            raise ValueError(
                f"path: {str(path)!r} names no file; use MemoryStore() to keep threads in memory"
            )
        self.path = Path(path).absolute()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._lock, self._process = threading.Lock(), os.getpid()
        with self._hold(write=False):
            pass

    def __repr__(self) -> str:
        return f"SqliteStore({self.path.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.path,))

    def close(self) -> None:
        """Close the file, which also happens by itself; it is opened again when the store is used."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    @contextmanager
    def _hold(self, write: bool) -> Generator[None, None, None]:
        import sqlite3

        from ctxkit.stores.schema import transaction

        if self._process != os.getpid():
            # In a forked child. SQLite forbids using or closing the parent's connection here, so it is kept
            # aside unused.
            _inherited.append(self._connection)
            self._connection, self._lock, self._process = None, threading.Lock(), os.getpid()
        with self._lock:
            try:
                db = self._connection or self._open()
                if write and _identity(self.path) != self._file:  # it would be written to, and lost
                    raise StoreUnavailable(
                        f"{self.path.name} was moved or deleted while it was open; what it held can still be "
                        "read, and nothing more is stored: put it back, or close() the store for a new file"
                    )
                with transaction(db, "BEGIN IMMEDIATE" if write else "BEGIN"):
                    yield
            except UnicodeDecodeError as error:  # in what SQLite says of a damaged file
                raise StoreDamaged(f"{self.path.name} cannot be read: it holds text that is none") from error
            except sqlite3.OperationalError as error:
                if "decode" in str(error):
                    raise StoreDamaged(f"{self.path.name} cannot be read: {error}") from error
                raise StoreUnavailable(f"{self.path.name} cannot be used now: {error}") from error
            except sqlite3.DatabaseError as error:
                raise StoreDamaged(f"{self.path.name} cannot be read: {error}") from error

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        from ctxkit.stores.schema import prepare

        if not _begins_like_a_database(self.path):
            raise NotAStore(f"{self.path.name} is no database; choose another file for the threads")
        db = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            prepare(db, self.path.name, PATIENCE)
        except BaseException:
            db.close()
            raise
        self._connection, self._file = db, _identity(self.path)
        weakref.finalize(self, _close, db, self._process)
        return db

    @property
    def _db(self) -> sqlite3.Connection:
        assert self._connection is not None, "only used inside a transaction"
        return self._connection

    def _names(self) -> Sequence[str]:
        names = [row[0] for row in self._db.execute("SELECT name FROM threads")]
        if not all(isinstance(name, str) for name in names):
            raise StoreDamaged(f"{self.path.name}: the name of a thread is no text")
        return names

    def _current(self, thread_id: str) -> Point | None:
        row = self._db.execute(
            f"SELECT {_POINT} FROM checkpoints WHERE id = (SELECT checkpoint FROM threads WHERE name = ?)",
            (thread_id,),
        ).fetchone()
        return None if row is None else self._point(row)

    def _past(self, checkpoint: int) -> list[Point]:
        return [self._point(row) for row in self._db.execute(_PAST, (checkpoint,))]

    def _chain(self, tip: int | None, start: int, end: int) -> list[Message]:
        rows = self._db.execute(_CHAIN, (tip, start)).fetchall() if start < end else []
        # A damaged number may be huge, so it is compared before anything of that size is made.
        if len(rows) != max(0, end - start) or any(row[1] != start + i for i, row in enumerate(rows)):
            raise StoreDamaged(f"{self.path.name}: messages {start} to {end - 1} are not all there")
        return [self._read(read_row, "message", number, body) for number, _, body in rows]

    def _text(self, notes: int) -> str:
        row = self._db.execute("SELECT body FROM summaries WHERE id = ?", (notes,)).fetchone()
        summary = self._read(parsed, "summary", notes, row and row[0])
        if not isinstance(summary, str):
            raise StoreDamaged(f"{self.path.name}: summary {notes} is no text")
        return summary

    def _append(self, parent: int | None, position: int, message: Message) -> int:
        return self._insert("messages (parent, position, body)", parent, position, write_row(message))

    def _note(self, summary: str) -> int:
        return self._insert("summaries (body)", canonical_json(summary))

    def _write(self, point: Point) -> int:
        return self._insert(f"checkpoints ({_POINT.removeprefix('id, ')})", *point[1:])

    def _refer(self, thread_id: str, checkpoint: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO threads VALUES (?, ?)", (thread_id, checkpoint))

    def _insert(self, into: str, *values: Any) -> int:
        marks = ", ".join("?" * len(values))
        number = self._db.execute(f"INSERT INTO {into} VALUES ({marks})", values).lastrowid
        assert number is not None, "SQLite numbers every row"
        return number

    def _point(self, row: Sequence[Any]) -> Point:
        point = Point(*row)
        try:
            for name in ("leading", "start", "end"):
                whole_number(name, getattr(point, name))
            for name in ("head", "tip", "notes"):
                whole_number(name, getattr(point, name) or 0)
            text("happened", point.happened)
        except (TypeError, ValueError) as error:
            raise StoreDamaged(f"{self.path.name}: checkpoint {point.id}: {error}") from None
        return point

    def _read(self, reader: Any, what: str, number: int, body: object) -> Any:
        try:
            return reader(body)
        except (TypeError, ValueError) as error:
            raise StoreDamaged(f"{self.path.name}: {what} {number} cannot be read: {error}") from None


_inherited: list[object] = []


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file stands at a path, whatever its name; None for none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _begins_like_a_database(path: Path) -> bool:
    """SQLite itself takes a file of a few bytes for an empty database, and would write over it."""
    try:
        with path.open("rb") as file:
            return file.read(16) in (b"", b"SQLite format 3\x00")
    except OSError:  # none there yet, or not to be read: SQLite says which
        return True


def _close(db: sqlite3.Connection, process: int) -> None:
    """When the store is gone: in a forked child the connection is not ours to close."""
    if process == os.getpid():
        db.close()
    else:
        _inherited.append(db)
