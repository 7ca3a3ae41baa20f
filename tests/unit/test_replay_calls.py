"""The numbers behind a bar: the quick way and the plain way agree, and both with the counter."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import (
    BudgetImpossible,
    ClearToolResults,
    KeepRecentMessages,
    KeepWithinTokens,
    Pipeline,
    TokenCounter,
    repair,
    run,
)
from ctxkit.replay.calls import FRAME, Ledger, call_of, sampled
from ctxkit.replay.sums import SumsAlong
from tests.histories import SUM, A, C, S, T, U, histories

COUNTER = TokenCounter()
TOOLS = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
transforms = st.one_of(
    st.integers(0, 12).map(KeepRecentMessages),
    st.integers(60, 400).map(KeepWithinTokens),
    st.integers(0, 6).map(
        lambda keep: Pipeline([ClearToolResults(keep, placeholder="-"), KeepRecentMessages(8)])
    ),
)


@given(history=histories(), transform=transforms, tools=st.sampled_from([(), TOOLS]))
def test_a_call_adds_up_to_what_is_sent(history, transform, tools):
    try:
        outcome = run(transform.apply(history, tools=tools))
    except BudgetImpossible:
        return
    ledger = Ledger(history, COUNTER, tools)
    call = ledger.call(len(history), outcome)
    assert call.total == COUNTER.count_all(outcome.messages, tools)
    plain = call_of(outcome, COUNTER, tools)
    assert call == replace(plain, exact=call.exact)
    assert plain.exact or not call.exact, "a ledger also knows the estimates among what is left out"
    own = sum(
        COUNTER.count(m)
        for m, source in zip(outcome.messages, outcome.sources, strict=True)
        if source is not None
    )
    assert call.not_sent == sum(map(COUNTER.count, history)) - own


@given(history=histories())
def test_everything_is_everything(history):
    sound = repair(history)
    ledger = Ledger(sound, COUNTER)
    assert ledger.everything(len(sound)).total == ledger.total(len(sound)) == COUNTER.count_all(sound)
    assert ledger.everything(len(sound)) == ledger.call(len(sound), run(Pipeline([]).apply(sound)))


def test_parts_are_named_by_role():
    call = Ledger([S("be brief"), SUM(), U("hi"), A("ok"), T("x")], COUNTER).everything(5)
    assert [*call.sent] == [FRAME, "system", "summary", "user", "assistant", "tool"]
    assert call.sent[FRAME] == COUNTER.count_all(())


def test_a_summary_is_sent_but_was_not_in_the_conversation():
    history = [U("word " * 50), A("word " * 50), U("last")]
    outcome = run(KeepRecentMessages(1).apply(history))
    with_summary = type(outcome)([SUM(), *outcome.messages], [None, *outcome.sources], outcome.explain)
    call = Ledger(history, COUNTER).call(3, with_summary)
    assert call.sent["summary"] == COUNTER.count(SUM())
    assert call.not_sent == COUNTER.count(history[0]) + COUNTER.count(history[1])


def test_a_result_that_never_came_is_sent_but_was_not_in_the_conversation():
    history = [U("time?"), T("nobody", "noon " * 9), C("a"), U("never mind"), A("ok"), U("bye")]
    outcome = run(Pipeline([]).apply(history))
    call = Ledger(history, COUNTER).call(len(history), outcome)
    assert call.sent["tool"] == COUNTER.count(outcome.messages[2])
    assert call.not_sent == COUNTER.count(history[1])


def test_a_result_that_came_late_is_sent_though_the_message_is_the_one_that_stood_in_for_it():
    history = [U("time?"), T("nobody"), C("a"), U("and?")]
    keeping = KeepRecentMessages(9)
    stand_in = keeping.preview(history).messages[2]
    ledger, sums, turns = Ledger([*history, stand_in], COUNTER), SumsAlong(COUNTER), []
    for end in (4, 5):
        outcome = keeping.preview(ledger.messages[:end])
        turns.append((outcome.sent.timeline, ledger.call(end, outcome, sums).not_sent))
    orphan = COUNTER.count(history[1])
    assert turns == [(turns[0][0], orphan)] * 2


def test_a_call_that_cannot_be_made_leaves_all_out():
    history = [U("word " * 50)]
    call = Ledger(history, COUNTER).impossible(1, BudgetImpossible([0], 57, 10))
    assert (call.total, call.required, call.not_sent) == (0, 57, COUNTER.count_all(history))


def test_estimates_stay_estimates():
    picture = U([{"type": "image_url", "image_url": {"url": "data:,"}}])
    ledger = Ledger([U("hi"), picture, U("bye")], COUNTER)
    assert [ledger.exact(upto) for upto in range(4)] == [True, True, False, False]
    assert not Ledger([U("hi")], TokenCounter("llama3.2")).everything(1).exact


@pytest.mark.parametrize("count", [1, 7, 8, 9, 500])
def test_a_sample_is_even_and_ends_with_the_last(count):
    chosen = sampled(range(count), 8)
    gaps = {after - before for before, after in pairwise(chosen)}
    assert chosen[-1] == count - 1 and len(chosen) == min(count, 8)
    assert max(gaps, default=1) - min(gaps, default=1) <= 1
