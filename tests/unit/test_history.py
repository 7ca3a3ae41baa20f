"""`check`, `repair`, `groups` and `split_history`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import check, groups, repair, split_history
from ctxkit.history import repair_sources
from tests.histories import A, C, S, T, U, head, histories, shape, valid_faults


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([], []),
        ([U(), A()], []),
        ([S(), A()], [(0, "no_user_message")]),
        ([U(), T("a")], [(1, "orphan_result")]),
        ([U(), C("a"), A()], [(1, "unanswered_call")]),
        ([U(), T("a"), C("a")], [(1, "result_before_call"), (2, "unanswered_call")]),
        ([U(), C("a"), T("a"), T("a")], [(3, "duplicate_result")]),
        ([U(), C("a"), U(), T("a")], [(3, "misplaced_result")]),
        ([U(), C("a", "b"), T("b"), T("a")], [(3, "misplaced_result")]),
        ([U(), C("a", "a"), T("a")], [(1, "duplicate_call")]),
        ([U(), C("a"), T("a"), C("a"), T("a")], []),
        ([U(), C("a"), C("a"), T("a")], [(1, "unanswered_call")]),
    ],
)
def test_check_names_index_and_code(history, codes):
    found = check(history)
    assert [(v.index, v.code) for v in found] == codes
    assert all(v.message for v in found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([U(), T("a"), A()], "UA"),
        ([U(), C("a")], "UCT"),
        ([U(), C("a", "b"), T("b")], "UCTT"),
        ([U(), C("a"), U(), T("a"), A()], "UCTUA"),
        ([U(), C("a"), T("a"), T("a"), A()], "UCTA"),
        ([U(), C("a", "b"), T("b"), T("a")], "UCTT"),
        ([T("a")], ""),
        ([], ""),
    ],
)
def test_repair(before, after):
    assert shape(repair(before)) == after


def test_repair_puts_results_in_call_order():
    mended = repair([U(), C("a", "b"), T("b"), T("a")])
    assert [m.tool_call_id for m in mended[2:]] == ["a", "b"]


def test_a_result_belongs_to_the_nearest_call_before_it():
    first, second = T("a", "first"), T("a", "second")
    mended = repair([U(), C("a"), first, U(), C("a"), U(), second])
    assert shape(mended) == "UCTUCTU"
    assert (mended[2], mended[5]) == (first, second)


@given(history=histories())
def test_repair_keeps_its_promises(history):
    before = list(history)
    mended = repair(history)
    assert history == before
    assert valid_faults(mended) == []
    assert repair(mended) == mended
    if any(m.role == "user" for m in history):
        assert check(mended) == []
    assert [m for m in mended if m.role == "user"] == [m for m in history if m.role == "user"]
    assert mended[: len(head(history))] == head(history)


@given(history=histories())
def test_a_sound_history_comes_back_as_the_same_objects(history):
    sound = repair(history)
    assert all(a is b for a, b in zip(repair(sound), sound, strict=True))


@given(history=histories())
def test_check_agrees_with_the_providers_rules(history):
    structural = [v for v in check(history) if v.code != "no_user_message"]
    assert bool(structural) == bool(valid_faults(history))


@given(history=histories())
def test_repair_leaves_out_the_results_that_check_ties_to_no_call(history):
    loose = {"orphan_result", "result_before_call", "duplicate_result"}
    named = [violation.index for violation in check(history) if violation.code in loose]
    kept = {source for source, _ in repair_sources(history)}
    assert [
        index for index in range(len(history)) if history[index].role == "tool" and index not in kept
    ] == named


@given(history=histories())
def test_groups_cover_the_history_and_part_nothing(history):
    sound = repair(history)
    ranges = groups(sound)
    assert [i for r in ranges for i in r] == list(range(len(sound)))
    assert all(valid_faults(sound[r.start : r.stop]) == [] for r in ranges)


@given(history=histories(), keep=st.integers(0, 12), on_split=st.sampled_from(["expand", "shrink"]))
def test_split_history_loses_and_parts_nothing(history, keep, on_split):
    old, recent = split_history(history, keep, on_split)
    assert [*old, *recent] == repair(history)
    assert valid_faults(old) == valid_faults(recent) == []
    body = len(repair(history)) - len(head(repair(history)))
    if on_split == "expand":
        assert len(recent) >= min(keep, body)
    if keep:
        assert not body or recent


def test_split_history_on_request():
    history = [S(), U(), C("a", "b"), T("a"), T("b"), A()]
    assert [len(split_history(history, keep)[1]) for keep in range(7)] == [0, 1, 4, 4, 4, 5, 5]
    assert [len(split_history(history, keep, "shrink")[1]) for keep in range(7)] == [0, 1, 1, 1, 4, 5, 5]
    assert len(split_history(history[:-1], 1, "shrink")[1]) == 3
    with pytest.raises(ValueError, match="on_split"):
        split_history(history, 1, "guess")
