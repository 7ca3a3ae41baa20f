"""C1-C5, C7 and C9 for every pure transform, alone and in pipelines, over generated histories."""

from __future__ import annotations

import copy
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxkit import (
    BudgetImpossible,
    ClearToolResults,
    KeepRecentMessages,
    KeepWithinTokens,
    Message,
    Pipeline,
    TokenCounter,
    check,
    count_tokens,
    repair,
    run,
)
from tests.guides import guide_discard
from tests.histories import histories
from tests.property import contract

COUNTER = TokenCounter()
TOOLS = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]

MAKE = {
    "recent 0": lambda: KeepRecentMessages(0),
    "recent 1": lambda: KeepRecentMessages(1),
    "recent 3": lambda: KeepRecentMessages(3),
    "recent 3, shrink": lambda: KeepRecentMessages(3, on_split="shrink"),
    "recent 99": lambda: KeepRecentMessages(99),
    "tokens 60": lambda: KeepWithinTokens(60),
    "tokens 120, low water 60": lambda: KeepWithinTokens(120, low_water=60),
    "clear 0": lambda: ClearToolResults(0, placeholder="-"),
    "clear 1": lambda: ClearToolResults(1, placeholder="-"),
    "clear above 80": lambda: ClearToolResults(1, trigger=80, placeholder="-"),
    "clear 20 at least": lambda: ClearToolResults(0, clear_at_least=20, placeholder="-"),
    "clear, recent": lambda: Pipeline([ClearToolResults(1, placeholder="-"), KeepRecentMessages(4)]),
    "recent, tokens": lambda: Pipeline([KeepRecentMessages(6), KeepWithinTokens(150)]),
    "clear, tokens": lambda: Pipeline(
        [ClearToolResults(1, trigger=60, placeholder="-"), KeepWithinTokens(200, low_water=80)]
    ),
    "tokens, clear": lambda: Pipeline([KeepWithinTokens(150), ClearToolResults(0, placeholder="-")]),
    "nothing": lambda: Pipeline([]),
}
WINDOWS = [name for name in MAKE if "clear" not in name]
every_transform = pytest.mark.parametrize("name", MAKE)


def applied(transform, history):
    """The outcome, or None where a budget cannot be met (which has its own tests)."""
    try:
        return run(transform.apply(history))
    except BudgetImpossible:
        return None


@every_transform
@given(history=histories())
def test_c1_valid(name, history):
    outcome = applied(MAKE[name](), history)
    if outcome is not None:
        contract.check_valid(history, outcome.messages)
        if any(m.role == "user" for m in history):
            assert check(outcome.messages) == []


@pytest.mark.parametrize("low_water", [None, 0, 25])
@given(history=histories(), budget=st.integers(0, 120), with_tools=st.booleans())
def test_c2_in_budget_or_an_error(low_water, history, budget, with_tools):
    transform = KeepWithinTokens(budget, low_water=None if low_water is None else min(low_water, budget))
    contract.check_budget(history, transform.apply, budget, COUNTER, TOOLS if with_tools else ())


@given(history=histories(), keep=st.integers(0, 4), budget=st.integers(0, 120))
def test_c2_in_a_pipeline(history, keep, budget):
    pipeline = Pipeline(
        [ClearToolResults(1, placeholder="-"), KeepRecentMessages(keep), KeepWithinTokens(budget)]
    )
    try:
        after = run(pipeline.apply(history)).messages
    except BudgetImpossible as error:
        assert error.tokens > budget
        assert set(error.required) <= set(range(len(history)))
    else:
        assert not after or COUNTER.count_all(after) <= budget


@every_transform
@given(history=histories())
def test_c3_protected(name, history):
    outcome = applied(MAKE[name](), history)
    if outcome is not None:
        contract.check_protected(history, outcome.messages, as_little_as_possible="recent 0" in name)


@pytest.mark.parametrize("name", WINDOWS)
@given(history=histories())
def test_c3_one_unbroken_window(name, history):
    outcome = applied(MAKE[name](), history)
    if outcome is not None:
        contract.check_window(history, outcome.messages)


@every_transform
@given(history=histories())
def test_c4_pure(name, history):
    before = copy.deepcopy(history)
    outcome = applied(MAKE[name](), history)
    assert history == before
    if outcome is not None:
        contract.check_pure(history, outcome.messages)


@every_transform
@given(history=histories())
def test_c5_idempotent(name, history):
    transform = MAKE[name]()
    outcome = applied(transform, history)
    if outcome is not None:
        assert run(transform(outcome.messages)) == outcome.messages
        assert run(transform(history)) == outcome.messages
        assert run(MAKE[name]()(outcome.messages)) == outcome.messages


@every_transform
@given(history=histories(), data=st.data())
def test_c4_what_was_seen_before_changes_nothing(name, history, data):
    """A transform that saw prefixes, and another conversation, gives what a fresh one gives."""
    seasoned = MAKE[name]()
    for _ in range(3):
        applied(seasoned, history[: data.draw(st.integers(0, len(history)))])
    applied(seasoned, data.draw(histories(max_turns=2)))
    fresh, again = applied(MAKE[name](), history), applied(seasoned, history)
    assert (fresh and fresh.messages) == (again and again.messages)


@given(history=histories())
def test_c7_each_message_is_tokenised_once(history):
    counter = contract.CountingCounter()
    stages = [ClearToolResults(1, trigger=10, counter=counter), KeepWithinTokens(10_000, counter=counter)]
    for end in range(len(history) + 1):
        run(Pipeline(stages).apply(history[:end]))
    cleared = {m.digest: m for end in range(len(history) + 1) for m in run(stages[0](history[:end]))}
    met = cleared | {m.digest: m for end in range(len(history) + 1) for m in repair(history[:end])}
    placeholder = contract.texts_of(Message.tool("[cleared]", "a"))
    for text, times in Counter(counter.asked).items():
        assert times <= sum(contract.texts_of(m).count(text) for m in met.values()) or text in placeholder
    before = len(counter.asked)
    run(Pipeline(stages).apply(history))
    assert len(counter.asked) == before


@given(length=st.integers(1, 40))
def test_c7_one_more_message_is_one_count(length):
    counter = contract.CountingCounter()
    transform = KeepWithinTokens(50, counter=counter)
    history = [Message(("user", "assistant")[i % 2], f"message number {i}") for i in range(length)]
    run(transform.apply(history))
    before = len(counter.asked)
    assert before == length
    run(transform.apply([*history, Message.user("one more")]))
    assert counter.asked[before:] == ["one more"]


@every_transform
@given(history=histories())
def test_c9_explained(name, history):
    outcome = applied(MAKE[name](), history)
    if outcome is not None:
        contract.check_explained(MAKE[name](), history, outcome, COUNTER)


@given(history=histories())
def test_without_a_user_message_none_is_owed(history):
    spoken = [m for m in history if m.role != "user"]
    for name in WINDOWS:
        outcome = applied(MAKE[name](), spoken)
        if outcome is not None:
            assert not any(m.role == "user" for m in outcome.messages)


class TestTheGuidesOwnRule:
    """Guide A's discarding, through the same checks: they must catch what is wrong in it."""

    def test_fails_c1_even_where_the_history_was_sound(self):
        @settings(database=None, report_multiple_bugs=False)
        @given(history=histories(), keep=st.integers(0, 5))
        def holds(history, keep):
            sound = repair(history)
            assume(sound)
            contract.check_valid(sound, guide_discard()(sound, keep))

        with pytest.raises(AssertionError):
            holds()

    def test_fails_c5_by_giving_up_on_histories_that_ours_takes(self):
        """Where it gives a result it gives the same again; for an orphan it gives an error instead."""

        @settings(database=None, report_multiple_bugs=False, max_examples=1000)
        @given(history=histories(), keep=st.integers(0, 5))
        def holds(history, keep):
            assume(history)
            once = run(KeepRecentMessages(keep)(history))
            assert run(KeepRecentMessages(keep)(once)) == once
            once = guide_discard()(history, keep)
            assert guide_discard()(once, keep) == once

        with pytest.raises(ValueError, match="Should not happen"):
            holds()


def test_low_water_moves_the_cut_in_few_jumps():
    """200 turns at 2,000 tokens down to 1,500: the first message sent changes a tenth as often as without."""

    def moves(transform):
        first = [run(transform.apply(history[:end])).sources[1] for end in range(2, len(history) + 1)]
        return sum(x != y for x, y in pairwise(first))

    history = [Message.system("Be brief.")]
    for i in range(200):
        history += [
            Message.user(f"question {i} " + "word " * 20),
            Message.assistant(f"answer {i} " + "word " * 20),
        ]
    stepped, smooth = moves(KeepWithinTokens(2000, low_water=1500)), moves(KeepWithinTokens(2000))
    assert smooth > 300
    assert stepped < smooth / 8
    assert count_tokens(run(KeepWithinTokens(2000, low_water=1500)(history))) <= 2000


def test_low_water_stands_at_the_same_place_in_a_new_object():
    history = [Message(("user", "assistant")[i % 2], "word " * (i % 17 + 3)) for i in range(300)]
    grown = KeepWithinTokens(900, low_water=500)
    for end in range(1, len(history) + 1):
        assert run(grown.apply(history[:end])).messages == run(
            KeepWithinTokens(900, low_water=500)(history[:end])
        )
