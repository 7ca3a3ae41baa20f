"""`SummaryCache` in a file: bounded, shared by runs, and a fault of the disk loses nothing."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3

import pytest

from ctxkit import Message, SummarizeOldMessages, SummarizeToolResults, SummaryCache, ToolCall, run
from tests.fakes import FakeModel

TALK = [Message(("user", "assistant")[i % 2], f"message {i}: " + "the ferry waits " * 9) for i in range(9)]

LOGS = [
    Message.user("Why?"),
    Message.assistant("", [ToolCall("a", "read_log", {}), ToolCall("b", "read_log", {})]),
    *(Message.tool(f"starting {key}\n" + f"waiting {key}\n" * 900 + "failed", key) for key in "ab"),
]
KINDS = {
    "old messages": (lambda model, cache: SummarizeOldMessages(model, 6, 2, cache=cache), TALK, 1),
    "tool results": (lambda model, cache: SummarizeToolResults(model, 200, cache=cache), LOGS, 2),
}


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


@pytest.mark.parametrize("kind", KINDS)
def test_61_a_lone_surrogate_in_a_summary_is_kept_as_it_is(kind, tmp_path):
    made, history, calls = KINDS[kind]
    model, file = FakeModel("They spoke of \ud83d tides."), tmp_path / "cache.db"
    first = run(made(model, SummaryCache(path=file)).apply(history))
    assert first.error is None and len(model.requests) == calls
    again = run(made(model, SummaryCache(path=file)).apply(history))
    assert again.messages == first.messages != history
    assert len(model.requests) == calls, "another process finds it in the file"


def test_what_one_puts_into_the_file_the_other_finds(tmp_path):
    file = tmp_path / "cache.db"
    one, other = SummaryCache(path=file), SummaryCache(path=file)
    before = other.changes
    one.put("a", "They spoke of ferries.")
    assert other.changes > before
    assert other.get_all(["a", "b"]) == {"a": "They spoke of ferries."}
    other.put("a", "They spoke of boats.")
    assert (one.get("a"), other.get("a")) == ("They spoke of ferries.", "They spoke of boats.")
    other.put("c", "They spoke of tides.")
    assert one.first(["b", "c"]) == (1, "They spoke of tides.")


@pytest.mark.parametrize("kind", KINDS)
def test_two_notebooks_with_one_file_pay_once(kind, tmp_path):
    made, history, calls = KINDS[kind]
    model = FakeModel()
    transforms = [made(model, SummaryCache(path=tmp_path / "cache.db")) for _ in range(2)]
    first, second = (run(transform.apply(history)) for transform in transforms)
    assert len(model.requests) == calls and first.messages == second.messages
    assert (first.model_calls, second.model_calls) == (calls, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_44_of_three_transforms_with_one_cache_one_pays(kind):
    made, history, calls = KINDS[kind]
    model, cache = FakeModel(), SummaryCache()

    async def story():
        return await asyncio.gather(*(made(model, cache).apply(history) for _ in range(3)))

    outcomes = run(story())
    assert len(model.requests) == sum(outcome.model_calls for outcome in outcomes) == calls
    assert outcomes[0].messages == outcomes[1].messages == outcomes[2].messages != history


def test_c5_a_cache_too_small_for_the_results_of_one_history_is_no_reason_to_pay_again():
    model = FakeModel()
    transform = SummarizeToolResults(model, 200, cache=SummaryCache(max_entries=1))
    first = run(transform.apply(LOGS))
    again = run(transform.apply(LOGS))
    assert (first.model_calls, again.model_calls, again.messages) == (2, 0, first.messages)
    assert [decision.action for decision in transform.plan(LOGS)][2:] == ["shortened"] * 2
    assert run(transform.apply(first.messages)).messages == first.messages
