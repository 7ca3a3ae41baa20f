"""The file of `SqliteStore`: whose it is, what survives, and who may open it."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing
from pathlib import Path

import pytest

from ctxkit import MemoryStore, SqliteStore, SummaryCache
from ctxkit.stores import Change, NotAStore, StoreDamaged, StoreTooNew, StoreUnavailable, ThreadConflict
from ctxkit.stores.schema import APPLICATION, VERSION, prepare
from tests.histories import A, U

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "threads.db"


def filled(path):
    store = SqliteStore(path)
    seen = store.commit("t", store.read("t"), Change("user", (U("one"), A("two"))))
    store.commit("t", seen, Change("summary", removed=1, summary="They counted."))
    store.close()


def change_file(path, *statements):
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)


def child(code, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        **options,
    )


class TestFile:
    def test_one_file_in_write_ahead_mode_with_its_mark(self, path):
        filled(path)
        assert [p.name for p in path.parent.iterdir()] == ["threads.db"]
        with closing(sqlite3.connect(path)) as db:
            facts = [db.execute(f"PRAGMA {x}").fetchone()[0] for x in ("journal_mode", "application_id")]
        assert facts == ["wal", APPLICATION]

    def test_an_empty_file_becomes_one(self, path):
        path.touch()
        filled(path)
        assert SqliteStore(path).threads() == ["t"]

    @pytest.mark.parametrize("content", [b"not a database at all, but long enough" * 9, b"\x00" * 5000, b"x"])
    def test_something_else_is_refused_and_left_as_it_is(self, path, content):
        path.write_bytes(content)
        with pytest.raises(NotAStore, match=r"threads\.db is no database"):
            SqliteStore(path)
        assert path.read_bytes() == content

    def test_another_programs_database_is_refused_and_left_as_it_is(self, path):
        SummaryCache(path=path)
        before = path.read_bytes()
        with pytest.raises(NotAStore, match="of another program"):
            SqliteStore(path)
        assert path.read_bytes() == before
        assert [p.name for p in path.parent.iterdir()] == ["threads.db"]

    def test_a_newer_one_is_refused_and_left_as_it_is(self, path):
        filled(path)
        change_file(path, f"PRAGMA user_version = {VERSION + 1}")
        before = path.read_bytes()
        with pytest.raises(StoreTooNew, match=r"newer ctxkit \(schema 2, this one knows 1\)"):
            SqliteStore(path)
        assert path.read_bytes() == before

    def test_missing_tables_are_named(self, path):
        filled(path)
        change_file(path, "DROP TABLE summaries")
        with pytest.raises(StoreDamaged, match="missing: summaries"):
            SqliteStore(path)

    @pytest.mark.parametrize(
        ("statement", "says"),
        [
            ('UPDATE messages SET body = \'{"role":"pirate","content":1}\' WHERE id = 2', "message 2 .*role"),
            ("UPDATE messages SET body = '[[[' WHERE id = 2", "message 2 cannot be read"),
            ("UPDATE messages SET body = '" + "[" * 100_000 + "' WHERE id = 2", "nested too deeply"),
            ("UPDATE messages SET body = x'80' WHERE id = 2", "expected text, got bytes"),
            (
                "UPDATE messages SET parent = 2, position = 7 WHERE id = 2",
                "messages 1 to 1 are not all there",
            ),
            ("UPDATE summaries SET body = '7'", "summary 1 is no text"),
            ("DELETE FROM summaries", "summary 1 cannot be read"),
            ("UPDATE checkpoints SET start = 'x'", "checkpoint 2: start: expected a whole number, got str"),
            ("UPDATE checkpoints SET notes = x'01'", "checkpoint 2: notes"),
            ('UPDATE checkpoints SET "end" = 99999999999', "messages 1 to 99999999998 are not all there"),
            ("UPDATE checkpoints SET happened = x'ff'", "checkpoint 2: happened"),
            ("UPDATE messages SET body = CAST(x'80' AS TEXT)", "cannot be read: Could not decode"),
        ],
    )
    def test_what_no_store_wrote_is_named(self, path, statement, says):
        filled(path)
        change_file(path, statement)
        with pytest.raises(StoreDamaged, match=says):
            SqliteStore(path).read("t")

    def test_a_name_that_is_no_text(self, path):
        filled(path)
        change_file(path, "INSERT INTO threads VALUES (x'ff', 1)")
        with pytest.raises(StoreDamaged, match="name of a thread is no text"):
            SqliteStore(path).threads()

    def test_damage_that_sqlite_itself_cannot_put_into_words(self, path):
        filled(path)
        path.write_bytes(path.read_bytes().replace(b"tablemessages", b"tablem\xff\xfesages"))
        with pytest.raises(StoreDamaged, match="cannot be read"):
            SqliteStore(path)

    def test_a_past_that_leads_in_circles_ends(self, path):
        filled(path)
        change_file(path, "UPDATE checkpoints SET parent = 2", "UPDATE messages SET parent = 2")
        assert [h.id for h in SqliteStore(path).history("t")] == [2]

    def test_no_folder(self, tmp_path):
        with pytest.raises(StoreUnavailable, match=r"threads\.db cannot be used now: unable to open"):
            SqliteStore(tmp_path / "nowhere" / "threads.db")

    @pytest.mark.parametrize("path", ["", ":memory:"])
    def test_no_file(self, path):
        with pytest.raises(ValueError, match="use MemoryStore"):
            SqliteStore(path)

    def test_a_file_that_somebody_else_makes_while_it_is_looked_at(self, path, monkeypatch):
        """What is read of a file is read at one moment, so half of a new store is never taken for another
        program's file."""
        monkeypatch.setattr("ctxkit.stores.sqlite.PATIENCE", 0.0)
        tried = []

        class Meddled(sqlite3.Connection):
            def execute(self, sql, *values):
                if sql == "PRAGMA user_version" and not tried:
                    tried.append(sql)
                    with contextlib.suppress(StoreUnavailable):  # it has to wait
                        filled(path)
                return super().execute(sql, *values)

        with closing(sqlite3.connect(path, isolation_level=None, factory=Meddled)) as db:
            prepare(db, path.name, 0.0)
        assert tried and SqliteStore(path).threads() == []

    def test_a_busy_file_is_named(self, path, monkeypatch):
        monkeypatch.setattr("ctxkit.stores.sqlite.PATIENCE", 0.0)
        filled(path)
        store = SqliteStore(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert store.read("t").summary == "They counted."
            with pytest.raises(StoreUnavailable, match="locked"):
                store.commit("t", store.read("t"), Change("user", (U(),)))
            other.execute("ROLLBACK")
        assert store.commit("t", store.read("t"), Change("user", (U(),))).live == (A("two"), U())


class Interrupted:
    """A connection with the kernel's stop button, pressed when the first statement that begins so is done."""

    def __init__(self, connection, statement):
        self._connection, self._statement = connection, statement

    def execute(self, sql, *arguments):
        cursor = self._connection.execute(sql, *arguments)
        if sql.startswith(self._statement):
            raise KeyboardInterrupt
        return cursor

    def __getattr__(self, name):
        return getattr(self._connection, name)


class TestLife:
    @pytest.mark.parametrize("statement", ["BEGIN", "SELECT", "INSERT", "COMMIT"])
    def test_after_an_interrupt_the_store_goes_on(self, path, statement):
        store = SqliteStore(path)
        seen = store.read("t")
        connection = store._connection
        store._connection = Interrupted(connection, statement)
        with pytest.raises(KeyboardInterrupt):
            store.commit("t", seen, Change("user", (U("one"),)))
        store._connection = connection
        assert store.threads() == (["t"] if statement == "COMMIT" else [])
        store.commit("t", store.read("t"), Change("user", (U("two"),)))
        assert store.transcript("t")[-1] == U("two")

    def test_close_and_go_on(self, path):
        store = SqliteStore(path)
        store.close()
        store.close()
        assert store.threads() == []

    def test_a_file_that_is_taken_away_while_it_is_open(self, path):
        store = SqliteStore(path)
        seen = store.commit("t", store.read("t"), Change("user", (U("one"),)))
        path.rename(path.with_name("elsewhere.db"))
        with pytest.raises(StoreUnavailable, match=r"threads\.db was moved or deleted while it was open"):
            store.commit("t", seen, Change("reply", (A("two"),)))
        assert store.transcript("t") == [U("one")], "it can still be read"
        path.with_name("elsewhere.db").rename(path)
        store.commit("t", seen, Change("reply", (A("two"),)))
        path.unlink()
        store.close()
        assert store.threads() == []

    def test_it_closes_by_itself(self, path):
        filled(path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            store = SqliteStore(path)
            assert store.threads() == ["t"]
            del store
            gc.collect()
        assert [p.name for p in path.parent.iterdir()] == ["threads.db"]

    def test_a_copy_through_pickle_names_the_same_file(self, path):
        filled(path)
        assert pickle.loads(pickle.dumps(SqliteStore(path))).read("t").summary == "They counted."

    def test_a_change_of_folder_does_no_harm(self, path, monkeypatch):
        monkeypatch.chdir(path.parent)
        store = SqliteStore(path.name)
        monkeypatch.chdir("/")
        store.close()
        assert store.threads() == [] and path.exists()

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
    def test_a_forked_child_opens_its_own(self, path):
        code = """
import os, sys
from ctxkit import Message, SqliteStore
from ctxkit.stores import Change
store = SqliteStore(sys.argv[1])
def add(text):
    store.commit("t", store.read("t"), Change("user", (Message.user(text),)))
add("parent")
if os.fork() == 0:
    inherited = store._connection
    add("child")
    assert store._connection is not inherited
    sys.exit(0)
print(os.wait()[1])
add("parent_again")
print(*[m.content for m in store.transcript("t")], sep=",")
"""
        assert child(code, path).communicate(timeout=30)[0].split("\n")[:2] == [
            "0",
            "parent,child,parent_again",
        ]

    def test_memory_and_file_know_each_other_not(self, path):
        filled(path)
        assert MemoryStore().threads() == []


WRITER = """
import sys
from ctxkit import Message, SqliteStore
from ctxkit.stores import Change
store = SqliteStore(sys.argv[1])
seen = store.read("t")
for number in range(10**9):
    pair = (Message.user(f"question {number}"), Message.assistant(f"answer {number} " + "x" * 2000))
    seen = store.commit("t", seen, Change("reply", pair))
    print(number, flush=True)
"""


class TestProcesses:
    @pytest.mark.parametrize("round_", range(5))
    def test_killed_in_the_middle_of_writing(self, path, round_):
        """All that was reported is there, at most one more, and no half of anything."""
        process = child(WRITER, path)
        for _ in range(20 + 13 * round_):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        reported = 20 + 13 * round_ + process.stdout.read().count("\n")
        process.communicate(timeout=30)
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        store = SqliteStore(path)
        pairs = len(store.transcript("t")) // 2
        assert reported <= pairs <= reported + 1
        assert [m.content.split(" x")[0] for m in store.transcript("t")] == [
            f"{word} {number}" for number in range(pairs) for word in ("question", "answer")
        ]
        assert store.commit("t", store.read("t"), Change("user", (U("on"),))).live[-1] == U("on")

    def test_many_processes_make_one_new_file(self, path):
        code = """
import sys
from ctxkit import Message, SqliteStore
from ctxkit.stores import Change
sys.stdin.readline()
store = SqliteStore(sys.argv[1])
for i in range(5):
    store.commit(sys.argv[2], store.read(sys.argv[2]), Change("user", (Message.user(f"{i}"),)))
"""
        processes = [child(code, path, name) for name in range(6)]
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
        assert [process.communicate(timeout=60) and process.returncode for process in processes] == [0] * 6
        store = SqliteStore(path)
        assert store.threads() == [str(name) for name in range(6)]
        assert all([m.content for m in store.transcript(str(name))] == list("01234") for name in range(6))

    def test_of_two_processes_that_saw_the_same_one_wins(self, path):
        code = """
import sys
from ctxkit import Message, SqliteStore
from ctxkit.stores import Change, ThreadConflict
store = SqliteStore(sys.argv[1])
seen = store.read("t")
print("seen", flush=True)
sys.stdin.readline()
try:
    store.commit("t", seen, Change("user", (Message.user(sys.argv[2]),)))
    print("won")
except ThreadConflict:
    print("told")
"""
        processes = [child(code, path, name) for name in ("ada", "ben")]
        assert [process.stdout.readline() for process in processes] == ["seen\n"] * 2
        answers = [process.communicate("\n", timeout=30)[0].strip() for process in processes]
        assert sorted(answers) == ["told", "won"]
        winner = "ada" if answers[0] == "won" else "ben"
        assert [m.content for m in SqliteStore(path).transcript("t")] == [winner]

    def test_a_conflict_across_objects_names_the_thread(self, path):
        first, second = SqliteStore(path), SqliteStore(path)
        seen = second.read("t")
        first.commit("t", seen, Change("user", (U(),)))
        with pytest.raises(ThreadConflict, match="'t'"):
            second.commit("t", seen, Change("user", (U(),)))
