"""G6: what broke in peers on their current releases (d, f, h, i, j come with the summarising transforms)."""

from __future__ import annotations

import pytest

from ctxkit import (
    BudgetImpossible,
    ClearToolResults,
    KeepRecentMessages,
    KeepWithinTokens,
    Pipeline,
    count_tokens,
    run,
)
from tests.histories import A, C, S, T, U, shape, valid_faults


def test_a_an_interrupt_between_call_and_result():
    history = [U(), C("a", "b"), T("a"), U("interrupt"), T("b"), A(), U("last")]
    for keep in range(8):
        sent = run(KeepRecentMessages(keep)(history))
        assert valid_faults(sent) == []
    assert shape(run(KeepRecentMessages(4)(history))) == "CTTUAU"


def test_b_an_agent_loop_keeps_its_task_and_its_newest_groups():
    history = [U("the task"), *(m for i in range(20) for m in (C(f"c{i}"), T(f"c{i}", "line " * 20)))]
    by_count = run(KeepRecentMessages(4)(history))
    assert shape(by_count) == "UCTCT"
    by_tokens = run(KeepWithinTokens(200)(history))
    assert by_tokens[0] is history[0] and by_tokens[-1] is history[-1]
    assert 3 < len(by_tokens) < 20
    assert valid_faults(by_tokens) == []


def test_c_a_group_of_ten_calls_is_kept_whole_or_cleared_or_refused():
    names = [f"c{i}" for i in range(10)]
    history = [U(), C(*names), *(T(name, "line " * 50) for name in names)]
    assert len(run(KeepRecentMessages(6)(history))) == 12
    with pytest.raises(BudgetImpossible):
        run(KeepWithinTokens(300)(history))
    sent = run(Pipeline([ClearToolResults(0), KeepWithinTokens(300)])(history))
    assert shape(sent) == shape(history)
    assert all(m.kind == "placeholder" for m in sent if m.role == "tool")
    assert count_tokens(sent) <= 300


def test_e_a_placeholder_longer_than_the_result_is_not_used():
    history = [U(), C("a"), T("a", "ok"), C("b"), T("b", "line " * 100), A()]
    sent = run(ClearToolResults(0, placeholder="[this result was cleared to make room]")(history))
    assert sent[2] is history[2]
    assert sent[4].content == "[this result was cleared to make room]"


def test_e_an_aim_that_cannot_be_reached_clears_nothing():
    history = [U(), C("a"), T("a", "line " * 100), A()]
    assert run(ClearToolResults(0, clear_at_least=5_000)(history)) == history
    assert run(ClearToolResults(0, clear_at_least=50)(history)) != history


def test_e_excluded_tools_are_never_cleared():
    history = [U(), C("a", name="plan"), T("a", "line " * 100), C("b"), T("b", "line " * 100), A()]
    sent = run(ClearToolResults(0, exclude=["plan"])(history))
    assert [m.kind for m in sent if m.role == "tool"] == ["message", "placeholder"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: KeepRecentMessages(2),
        lambda: KeepWithinTokens(500),
        lambda: ClearToolResults(0),
        lambda: Pipeline([]),
    ],
)
def test_g_the_smallest_histories(make):
    assert run(make()([])) == []
    assert run(make()([S()])) == [S()]
    assert run(make()([A()])) == [A()]
    assert run(make()([T("a")])) == []
