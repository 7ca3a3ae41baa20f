"""`ContextWindow` and `BudgetImpossible`."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import BudgetImpossible, ContextWindow, Message, TokenCounter, count_tokens
from tests.histories import SUM, A, D, S, U, histories

SCHEMA = {
    "type": "function",
    "function": {"name": "search", "description": "word " * 500, "parameters": {"type": "object"}},
}


@given(history=histories(), reserve=st.integers(0, 50))
def test_the_parts_add_up(history, reserve):
    usage = ContextWindow(200, reserve=reserve).measure(history, [SCHEMA])
    assert usage.total == sum(usage.by_role.values()) == TokenCounter().count_all(history, [SCHEMA])
    assert usage.fraction == usage.total / 200
    assert (usage.status == "over") == (usage.total + reserve > 200)
    assert usage.free == 200 - reserve - usage.total


def test_case_64_the_parts_are_shown_schemas_apart():
    """Twelve schemas of 500 tokens in a window of 8k: compaction cannot shrink them, so they stand apart."""
    usage = ContextWindow(8000, reserve=500).measure([S(), D(), SUM(), U("word " * 1600), A()], [SCHEMA] * 12)
    assert set(usage.by_role) == {"system", "summary", "user", "assistant", "tools", "priming"}
    assert usage.by_role["tools"] > 6000
    assert usage.status == "over"


def test_status_goes_from_ok_over_warning_to_over():
    history = [U("word " * 86)]
    total = count_tokens(history)
    limits = {1000: "ok", total * 10 // 8: "warning", total: "warning", total - 1: "over"}
    assert {limit: ContextWindow(limit).measure(history).status for limit in limits} == limits
    assert ContextWindow(total, reserve=1).measure(history).status == "over"


def test_a_picture_makes_it_an_estimate():
    picture = Message.user([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}])
    assert ContextWindow(9000).measure([U()]).exact
    assert not ContextWindow(9000).measure([U(), picture]).exact
    assert not ContextWindow(9000, counter=TokenCounter("llama3.2")).measure([U()]).exact


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"limit": 0}, ValueError, "limit"),
        ({"limit": 8192.0}, TypeError, "limit"),
        ({"limit": 100, "reserve": 100}, ValueError, "reserve"),
        ({"limit": 100, "reserve": -1}, ValueError, "reserve"),
        ({"limit": 100, "warn_at": 80}, ValueError, "warn_at"),
        ({"limit": 100, "warn_at": "0.8"}, TypeError, "warn_at"),
        ({"limit": 100, "warn_at": True}, TypeError, "warn_at"),
    ],
)
def test_bad_windows_are_refused(arguments, error, says):
    with pytest.raises(error, match=says):
        ContextWindow(**arguments)


def test_budget_impossible_says_what_to_do():
    error = BudgetImpossible(range(20), 1300, 1000)
    assert (error.required, error.tokens, error.budget) == (list(range(20)), 1300, 1000)
    assert "1,300" in str(error) and "1,000" in str(error) and "Raise the budget" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.required, str(again)) == (error.required, str(error))
