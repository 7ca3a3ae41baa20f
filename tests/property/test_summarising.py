"""C1-C9 for the transform that folds old messages into a summary, with faults at each model call."""

from __future__ import annotations

import asyncio
import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import (
    BudgetImpossible,
    ClearToolResults,
    KeepWithinTokens,
    Message,
    Pipeline,
    SummarizeOldMessages,
    TokenCounter,
    check,
    repair,
    run,
)
from ctxkit.messages.text import content_text
from tests.fakes import FAULTS, FakeModel
from tests.histories import head, histories, last_group, open_questions, valid_faults

COUNTER = TokenCounter()
MAKE = {
    "6 to 2": lambda model: SummarizeOldMessages(model, 6, 2),
    "4 to 0": lambda model: SummarizeOldMessages(model, 4, 0),
    "4 to 1, by assistant": lambda model: SummarizeOldMessages(model, 4, 1, role="assistant"),
    "by tokens": lambda model: SummarizeOldMessages(model, 99, 1, max_tokens=60),
    "6 to 2, by system": lambda model: SummarizeOldMessages(model, 6, 2, role="system"),
    "clear, fold, guard": lambda model: Pipeline(
        [ClearToolResults(1, placeholder="-"), SummarizeOldMessages(model, 5, 2), KeepWithinTokens(100_000)]
    ),
}
every_transform = pytest.mark.parametrize("name", MAKE)


@every_transform
@given(history=histories())
def test_c1_c3_valid_and_protected(name, history):
    outcome = run(MAKE[name](FakeModel()).apply(history))
    sent, sound = outcome.messages, repair(history)
    assert outcome.error is None
    assert valid_faults(sent) == []
    if any(m.role == "user" for m in history):
        assert check(sent) == []
    assert sent[: len(head(sound))] == head(sound)
    asked = open_questions(sound)
    assert not asked or all(a is b for a, b in zip(sent[-len(asked) :], asked, strict=True))
    if sound and len(head(sound)) < len(sound) and not ("to 0" in name and sound[-1].role == "assistant"):
        last = last_group(sound)
        assert all(a is b or b.role == "tool" for a, b in zip(sent[-len(last) :], last, strict=True))


@every_transform
@given(history=histories())
def test_c4_pure(name, history):
    before = copy.deepcopy(history)
    outcome = run(MAKE[name](FakeModel()).apply(history))
    assert history == before
    sound = repair(history)
    kept = [
        (i, m)
        for i, m in zip(outcome.sources, outcome.messages, strict=True)
        if i is not None and m.kind != "placeholder"
    ]
    assert [i for i, _ in kept] == sorted(i for i, _ in kept) or sound != history
    assert all(
        history[i] is m
        for i, m in kept
        if history[i] in sound and len(history[i].tool_calls) == len(m.tool_calls)
    )


@every_transform
@given(history=histories())
def test_c5_idempotent(name, history):
    model = FakeModel()
    transform = MAKE[name](model)
    sent = run(transform.apply(history)).messages
    calls = len(model.requests)
    assert run(transform(history)) == sent
    assert run(transform(sent)) == sent
    assert run(MAKE[name](model)(sent)) == sent
    assert len(model.requests) == calls


@pytest.mark.parametrize("fault", FAULTS)
@given(history=histories())
def test_c6_a_failure_changes_nothing(fault, history):
    model = FakeModel(FAULTS[fault], "They counted.")
    transform = SummarizeOldMessages(model, 4, 1)
    outcome = run(transform.apply(history))
    assert (outcome.error is not None) == bool(model.requests)
    if outcome.error is not None:
        assert outcome.messages == repair(history)
        assert (len(transform.cache), transform.cache.hits, transform.cache.misses) == (0, 0, 0)
        again = run(transform.apply(history))
        assert again.error is None and again.messages != outcome.messages


@given(history=histories(), stop=st.sampled_from([asyncio.CancelledError, KeyboardInterrupt]))
def test_c6_being_stopped_changes_nothing_and_is_not_swallowed(history, stop):
    model = FakeModel(stop(), "They counted.")
    transform = SummarizeOldMessages(model, 4, 1)
    if run(SummarizeOldMessages(FakeModel(), 4, 1).apply(history)).model_calls == 0:
        return
    with pytest.raises(stop):
        asyncio.run(transform.apply(history))
    assert len(transform.cache) == transform.cache.misses == 0
    assert run(transform.apply(history)).error is None


@given(history=histories(), room=st.integers(1100, 1300))
def test_c8_every_folded_message_was_in_a_request_that_fits(history, room):
    model = FakeModel()
    outcome = run(SummarizeOldMessages(model, 4, 1, request_tokens=room).apply(history))
    for decision in outcome.decisions:
        if decision.action == "summarised":
            message = history[decision.index]
            assert all(line in model.read for line in content_text(message).splitlines())
            assert all(call.name in model.read and call.id in model.read for call in message.tool_calls)
    assert all(COUNTER.count_all(request) + 400 <= room for request in model.requests)
    assert all(tools == () for tools in model.offered)


@every_transform
@given(history=histories())
def test_c9_explained_and_planned(name, history):
    model = FakeModel()
    transform = MAKE[name](model)
    try:
        plan = transform.plan(history)
    except BudgetImpossible:
        return  # a summary that is not made yet counts at its cap
    assert model.requests == []
    outcome = run(transform.apply(history))
    assert [d.index for d in outcome.decisions] == list(range(len(history)))
    assert [d.tokens for d in outcome.decisions] == [COUNTER.count(m) for m in history]
    sent = {i for i in outcome.sources if i is not None}
    assert {d.index for d in outcome.decisions if d.action in ("kept", "cleared")} <= sent
    assert not {d.index for d in outcome.decisions if d.action in ("dropped", "summarised")} & sent
    assert transform.plan(history) == outcome.decisions
    planned = {d.index for d in plan if d.action in ("kept", "cleared", "repaired")}
    kept = {d.index for d in outcome.decisions if d.action in ("kept", "cleared", "repaired")}
    assert planned <= kept


@pytest.mark.parametrize(("length", "most", "least"), [(200, 20, 5), (60, 20, 5), (50, 4, 1), (31, 3, 2)])
def test_c7_one_call_for_each_stretch_of_new_messages(length, most, least):
    model = FakeModel()
    transform = SummarizeOldMessages(model, most, least)
    history = [
        Message(("user", "assistant")[i % 2], f"message number {i} of the talk") for i in range(length)
    ]
    for end in range(1, length + 1):
        run(transform.apply(history[:end]))
    assert len(model.requests) == -(-(length - most) // (most - least))
