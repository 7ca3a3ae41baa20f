"""C1-C9 for the transform that shortens tool results, with faults at each model call."""

from __future__ import annotations

import asyncio
import copy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import (
    BudgetImpossible,
    ClearToolResults,
    KeepWithinTokens,
    Pipeline,
    SummarizeOldMessages,
    TokenCounter,
    check,
    dump_messages,
    load_messages,
    repair,
    run,
)
from ctxkit.messages.marks import SHORTENED_END, SHORTENED_START
from ctxkit.transforms import SummarizeToolResults
from tests.fakes import FAULTS, FakeModel
from tests.histories import WORDS, head, histories, open_questions, valid_faults

COUNTER = TokenCounter()
CAP = 80
MAKE = {
    "at once": lambda model: SummarizeToolResults(model, CAP, 64),
    "a small cap": lambda model: SummarizeToolResults(model, 16, 64),
    "once old": lambda model: SummarizeToolResults(model, CAP, 64, min_age=1),
    "one at a time": lambda model: SummarizeToolResults(model, CAP, 30, concurrency=1),
    "shorten, clear, fold, guard": lambda model: Pipeline(
        [
            SummarizeToolResults(model, CAP, 64),
            ClearToolResults(2, placeholder="-"),
            SummarizeOldMessages(model, 5, 2),
            KeepWithinTokens(100_000),
        ]
    ),
}
every_transform = pytest.mark.parametrize("name", MAKE)


def rows(count):
    return [f"{i} {WORDS[i * i % 10]} {WORDS[i % 7]}" for i in range(count)]


LOGS = {
    "lines": "\n".join(rows(60)),
    "more lines": "\n".join(rows(75)),
    "a line that repeats": "start\n" + "waiting\n" * 300 + "error: rope missing\n" + "\n".join(rows(30)),
    "JSON": "[" + ", ".join(f'{{"id": {i}, "name": "{WORDS[i % 10]}"}}' for i in range(60)) + "]",
    "one line": "salt " * 400,
    "marks": f"{SHORTENED_START}]\n" + "\n".join(rows(50)) + f"\n{SHORTENED_END}",
    "pizza": "🍕" * 300,
    "blank": "\n \n\t\n" * 200,
}


@st.composite
def long_histories(draw):
    """Any history, with long results in it, some of them equal, some growing."""
    messages = draw(histories(max_turns=5))
    chosen = draw(st.lists(st.sampled_from([None, *LOGS]), min_size=1, max_size=4))
    results = [i for i, message in enumerate(messages) if message.role == "tool"]
    for nth, i in enumerate(results):
        log = chosen[nth % len(chosen)]
        if log is not None:
            parts = [{"type": "text", "text": LOGS[log]}, *pictures(messages[i])]
            content = parts if len(parts) > 1 else LOGS[log]
            messages[i] = replace(messages[i], content=content, id=draw(st.sampled_from([None, "m1"])))
    return messages


def pictures(message):
    return [p for p in message.content if "image" in str(p)] if isinstance(message.content, list) else []


def text(message):
    if not isinstance(message.content, list):
        return message.content or ""
    return "\n".join(part["text"] for part in message.content if "text" in part)


def facts(transform):
    return len(transform.cache), transform.cache.hits, transform.cache.misses


@every_transform
@given(history=long_histories())
def test_c1_c3_valid_protected_and_under_the_cap(name, history):
    outcome = run(MAKE[name](FakeModel()).apply(history))
    sound = repair(history)
    assert outcome.error is None
    assert valid_faults(outcome.messages) == []
    if any(m.role == "user" for m in history):
        assert check(outcome.messages) == []
    assert outcome.messages[: len(head(sound))] == head(sound)
    asked = open_questions(sound)
    assert not asked or outcome.messages[-len(asked) :] == asked
    if "fold" in name:
        return
    cap = 16 if "small" in name else CAP
    assert len(outcome.messages) == len(sound)
    age = 0
    for before, after in zip(reversed(sound), reversed(outcome.messages), strict=True):
        age += before.role == "assistant"
        if after is before:
            fresh = "old" in name and age == 0
            assert before.role != "tool" or fresh or COUNTER.count_text(text(before)) <= cap
            continue
        assert before.role == "tool"
        assert COUNTER.count_text(text(after)) <= cap < COUNTER.count_text(text(before))
        assert text(after).startswith(SHORTENED_START) and text(after).endswith(SHORTENED_END)
        assert text(after).count(SHORTENED_END) == 1
        assert (after.tool_call_id, after.name, after.id) == (before.tool_call_id, before.name, before.id)
        assert pictures(after) == pictures(before)


@every_transform
@given(history=long_histories())
def test_c4_pure(name, history):
    before = copy.deepcopy(history)
    outcome = run(MAKE[name](FakeModel()).apply(history))
    assert history == before
    same = {id(m) for m in repair(history)}
    kept = [m for m in outcome.messages if m.kind == "message"]
    assert all(id(m) in same for m in kept)


@every_transform
@given(history=long_histories())
def test_c5_idempotent_also_through_dicts(name, history):
    model = FakeModel()
    transform = MAKE[name](model)
    sent = run(transform.apply(history)).messages
    calls = len(model.requests)
    assert run(transform(history)) == sent
    assert run(transform(sent)) == sent
    assert run(MAKE[name](model)(sent)) == sent
    loaded = load_messages(dump_messages(sent))
    assert run(MAKE[name](model)(loaded)) == loaded
    assert len(model.requests) == calls


@pytest.mark.parametrize("fault", FAULTS)
@given(history=long_histories(), good=st.integers(0, 5))
def test_c6_a_failure_at_any_call_changes_nothing(fault, history, good):
    model = FakeModel(*["They counted."] * good, FAULTS[fault], "They counted.")
    transform = SummarizeToolResults(model, CAP, 64)
    plan = transform.plan(history)
    outcome = run(transform.apply(history))
    assert (outcome.error is not None) == (len(model.requests) > good)
    if outcome.error is None:
        return
    assert outcome.messages == repair(history)
    assert facts(transform) == (0, 0, 0)
    assert transform.plan(history) == plan
    assert "shortened" not in {d.action for d in outcome.decisions}
    again = run(transform.apply(history))
    assert again.error is None
    assert again.messages == run(SummarizeToolResults(FakeModel(), CAP, 64)(history))


@pytest.mark.parametrize("stop", [asyncio.CancelledError, KeyboardInterrupt])
@given(history=long_histories(), good=st.integers(0, 5))
def test_c6_being_stopped_at_any_call_changes_nothing_and_is_not_swallowed(stop, history, good):
    model = FakeModel(*["They counted."] * good, stop(), "They counted.")
    transform = SummarizeToolResults(model, CAP, 64)
    if run(SummarizeToolResults(FakeModel(), CAP, 64).apply(history)).model_calls <= good:
        return
    with pytest.raises(stop):
        asyncio.run(transform.apply(history))
    assert facts(transform) == (0, 0, 0)
    assert run(transform.apply(history)).error is None


@given(history=long_histories(), good=st.integers(0, 8))
def test_c7_what_was_paid_for_before_a_failure_is_not_paid_again(history, good):
    smooth = run(SummarizeToolResults(FakeModel(), CAP, 64).apply(history)).model_calls
    model = FakeModel(*["They counted."] * good, ConnectionError(), "They counted.")
    transform = SummarizeToolResults(model, CAP, 64, concurrency=1)
    outcomes = [run(transform.apply(history)), run(transform.apply(history))]
    assert len(model.requests) == smooth + (outcomes[0].error is not None)
    assert transform.cache.misses == smooth


@given(history=long_histories())
def test_c8_all_that_was_shortened_was_in_requests_that_fit(history):
    model = FakeModel()
    model.num_ctx = 330
    outcome = run(SummarizeToolResults(model, CAP, 200).apply(history))
    for decision in outcome.decisions:
        if decision.action == "shortened":
            lines = [line for line in text(history[decision.index]).splitlines() if "🍕" not in line]
            assert all(word in model.read for line in lines for word in line.split())
    assert model.read.count("🍕") % 300 == 0 and "\ufffd" not in model.read
    assert all(COUNTER.count_all(request) + CAP // 3 <= 330 for request in model.requests)
    assert all(tools == () for tools in model.offered)


@every_transform
@given(history=long_histories())
def test_c9_explained_and_planned(name, history):
    model = FakeModel()
    transform = MAKE[name](model)
    plan = transform.plan(history)
    assert model.requests == []
    outcome = run(transform.apply(history))
    assert [d.index for d in outcome.decisions] == list(range(len(history)))
    assert [d.tokens for d in outcome.decisions] == [COUNTER.count(m) for m in history]
    assert all(d.reason for d in outcome.decisions)
    assert transform.plan(history) == outcome.decisions
    if "fold" not in name:
        assert plan == outcome.decisions
        sent = dict(zip(outcome.sources, outcome.messages, strict=True))
        shortened = {i for i, m in sent.items() if i is not None and m is not history[i] and m.role == "tool"}
        assert {d.index for d in plan if d.action == "shortened"} == shortened


@given(history=long_histories(), budget=st.integers(20, 600))
def test_c9_a_plan_drops_no_less_than_apply(history, budget):
    pipeline = Pipeline([SummarizeToolResults(FakeModel(), CAP, 64), KeepWithinTokens(budget)])
    try:
        planned = {d.index for d in pipeline.plan(history) if d.action in ("kept", "shortened")}
    except BudgetImpossible:
        return
    kept = {d.index for d in run(pipeline.apply(history)).decisions if d.action in ("kept", "shortened")}
    assert planned <= kept
