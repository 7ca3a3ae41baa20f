"""`SummaryCache` in a file: bounded, shared by runs, and a fault of the disk loses nothing."""

from __future__ import annotations

import shutil
import sqlite3

from ctxkit import Message, SummarizeOldMessages, SummaryCache, run
from tests.fakes import FakeModel

TALK = [Message(("user", "assistant")[i % 2], f"message {i}: " + "the ferry waits " * 9) for i in range(9)]


def rows(file):
    with sqlite3.connect(file) as db:
        return [key for (key,) in db.execute("SELECT key FROM summaries ORDER BY rowid")]


def test_the_file_is_bounded_also_when_several_runs_write_it(tmp_path):
    file = tmp_path / "cache.db"
    one, other = (SummaryCache(max_entries=3, path=file) for _ in range(2))
    for i in range(3):
        one.put(f"one {i}", "They spoke of ferries.")
        other.put(f"other {i}", "They spoke of tides.")
    assert rows(file) == ["other 1", "one 2", "other 2"]
    assert (len(one), len(other)) == (3, 3)
    assert SummaryCache(max_entries=2, path=file).get("other 2") == "They spoke of tides."


def test_a_file_that_cannot_be_written_is_an_error_that_loses_nothing(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    model = FakeModel()
    transform = SummarizeOldMessages(model, 6, 2, cache=SummaryCache(path=folder / "cache.db"))
    shutil.rmtree(folder)
    failed = run(transform.apply(TALK))
    assert isinstance(failed.error, sqlite3.Error)
    assert failed.messages == TALK
    assert transform.cache.misses == 0
    again = run(transform.apply(TALK))
    assert again.error is None and again.messages[0].kind == "summary"
    assert len(model.requests) == 1, "what was paid for is not paid again"
