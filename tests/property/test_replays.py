"""A replay that goes on from call to call sends, says and counts what a fresh transform does at each call."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import (
    BudgetImpossible,
    ClearToolResults,
    ContextWindow,
    KeepRecentMessages,
    KeepWithinTokens,
    OllamaTruncation,
    Pipeline,
    Strategy,
    SummarizeOldMessages,
    SummarizeToolResults,
    SummaryCache,
    TokenCounter,
    repair,
    run,
)
from ctxkit.economy.running import Running
from ctxkit.replay import Ledger, call_points
from ctxkit.replay.calls import call_of
from ctxkit.replay.replayed import Replayed
from ctxkit.tokens.reuse import prefix_reuse
from ctxkit.transforms.handover import Growing, Prefix
from tests.fakes import FakeModel
from tests.histories import WORDS, histories

COUNTER = TokenCounter()
LOG = "\n".join(f"{i} {WORDS[i * i % 10]}" for i in range(40))


def shorten(min_age=0):
    return lambda cache: SummarizeToolResults(FakeModel(), 60, 64, min_age=min_age, cache=cache)


def fold(**options):
    return lambda cache: SummarizeOldMessages(FakeModel(), 6, 2, cache=cache, **options)


def row(*stages):
    return lambda cache: Pipeline([stage(cache) for stage in stages])


MAKE = {
    "recent": lambda cache: KeepRecentMessages(4),
    "nothing that need not be": lambda cache: KeepRecentMessages(0),
    "budget": lambda cache: KeepWithinTokens(90),
    "low water": lambda cache: KeepWithinTokens(120, low_water=60),
    "clear": lambda cache: ClearToolResults(1, placeholder="-"),
    "clear seldom": lambda cache: ClearToolResults(1, trigger=120, clear_at_least=20, placeholder="-"),
    "Ollama": lambda cache: OllamaTruncation(100),
    "shorten": shorten(),
    "shorten old ones": shorten(min_age=1),
    "fold": fold(),
    "fold by tokens": fold(max_tokens=80, role="system"),
    "nothing": row(),
    "change, change, choose": row(
        shorten(min_age=1),
        lambda cache: ClearToolResults(1, placeholder="-"),
        lambda cache: KeepWithinTokens(150),
    ),
    "change, fold, choose": row(
        lambda cache: ClearToolResults(2, trigger=100, placeholder="-"),
        fold(),
        lambda cache: KeepWithinTokens(100_000, low_water=60),
    ),
    "fold, change, cut": row(fold(), shorten(), lambda cache: OllamaTruncation(200)),
}
every_transform = pytest.mark.parametrize("name", MAKE)


def with_logs(history):
    """Each other tool result long enough to be shortened."""
    results = 0
    for message in history:
        results += message.role == "tool"
        yield (
            replace(message, content=LOG + str(results))
            if message.role == "tool" and results % 2
            else message
        )


def made_by(transform, history):
    try:
        return run(transform.apply(history))
    except BudgetImpossible as error:
        return error


def told(made):
    """All that an outcome says, or the error."""
    if isinstance(made, BudgetImpossible):
        return made.required, made.tokens, made.budget
    figures = made.model_calls, made.cache_hits, made.error
    return (
        made.messages,
        list(made.sources),
        made.decisions,
        figures,
        [stage.messages for stage in made.stages],
    )


@every_transform
@given(history=histories())
def test_each_call_of_a_replay_is_that_of_a_fresh_transform_on_a_plain_list(name, history):
    history = [*with_logs(history)]
    ledger, points = Ledger(history, COUNTER), call_points(history)
    replayed = Replayed(ledger, points, MAKE[name])
    steps = [run(replayed.step(place)) for place in range(len(points))]
    cache = SummaryCache()
    for end, step in zip(points, steps, strict=True):
        afresh = made_by(MAKE[name](cache), history[:end])
        # Read only now that all calls were made: what was sent early must not have changed since.
        assert told(step.made) == told(afresh)
        if isinstance(afresh, BudgetImpossible):
            continue
        mine = {id(message) for message in history}
        assert all(x is y for x, y in zip(step.made.messages, afresh.messages, strict=True) if id(y) in mine)
        assert step.call == Ledger(history, COUNTER).call(end, afresh)
        assert step.call == replace(call_of(afresh, COUNTER), exact=step.call.exact)
        assert step.call.total == COUNTER.count_all(afresh.messages)


@every_transform
@given(history=histories())
def test_a_list_that_grows_message_by_message_is_worked_on_as_afresh(name, history):
    """Whatever is broken in it, and wherever a call waits for its results when it is asked for."""
    history = [*with_logs(history)]
    ends = range(len(history) + 1)
    transform, cache = MAKE[name](SummaryCache()), SummaryCache()
    made = [made_by(transform, history[:end]) for end in ends]
    for end, one in zip(ends, made, strict=True):
        assert told(one) == told(made_by(MAKE[name](cache), history[:end]))


@every_transform
@given(history=histories(), order=st.permutations(range(30)))
def test_prefixes_come_in_any_order(name, history, order):
    """A lab steps back and forth: what a transform has worked out of more messages does no harm to fewer."""
    growing = Growing(repair(with_logs(history)))
    whole = [end for end in order if isinstance(growing.upto(end), Prefix) and end <= len(growing.messages)]
    transform, cache = MAKE[name](SummaryCache()), SummaryCache()
    made = [made_by(transform, growing.upto(end)) for end in whole]
    for end, one in zip(whole, made, strict=True):
        assert told(one) == told(made_by(MAKE[name](cache), growing.messages[:end]))


@every_transform
@given(history=histories())
def test_what_is_read_again_is_what_two_prompts_begin_with(name, history):
    history = [*with_logs(history)]
    ledger, points = Ledger(history, COUNTER), call_points(history)
    strategy = Strategy("one", [MAKE[name](SummaryCache())])
    for lean in (False, True):
        running = Running(strategy, ledger, points, ContextWindow(100_000), lean=lean)
        before = []
        for place in range(len(points)):
            turn = run(running.turn(place))
            if turn.fits:
                assert turn.cached == prefix_reuse(before, turn.made.messages, COUNTER)
                before = turn.made.messages
