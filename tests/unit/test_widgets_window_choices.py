"""The strategies of the window lab: values keep to their bounds, and the code sends what the lab sends."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit import BudgetImpossible, ContextWindow, OfflineModel, Pipeline, TokenCounter, load_sample, run
from ctxkit.replay import replay
from ctxkit.widgets.labs.window.choices import CHOICES, NAMES, choice

every_choice = pytest.mark.parametrize("name", NAMES)


def outcomes(pipeline, messages):
    """What is sent at each call, or why nothing can be."""
    try:
        return [outcome.messages for outcome in run(replay(pipeline, messages))]
    except BudgetImpossible as error:
        return str(error)


@every_choice
def test_at_most_two_dials(name):
    assert len(choice(name).dials) <= 2
    assert choice(name).about.endswith(".")


@every_choice
@pytest.mark.parametrize("reserve", [0, 100])
@pytest.mark.parametrize("sample", ["dolphins", "harbour"])
def test_the_code_runs_and_sends_the_same(name, reserve, sample):
    one, messages = choice(name), load_sample(sample)
    window = ContextWindow(1_024, reserve)
    values = one.settled(one.start, window, len(messages))
    names = {}
    exec(one.code(values, window), names)
    assert names["window"] == window
    ours = outcomes(Pipeline(one.transforms(values, window, OfflineModel())), messages)
    assert outcomes(names["pipeline"], messages) == ours
    assert len(ours) > 5


def test_the_code_counts_as_the_lab_does():
    window = ContextWindow(600, counter=TokenCounter("o200k_base"))
    names = {}
    exec(choice("Fit a token budget").code((300,), window), names)
    [stage] = names["pipeline"].transforms
    assert (stage.counter.encoding, stage.max_tokens, stage.low_water) == ("o200k_base", 600, 300)
    assert names["window"].counter.encoding == "o200k_base"


@settings(max_examples=60)
@given(
    place=st.integers(0, len(CHOICES) - 1),
    wanted=st.tuples(st.integers(-5, 10_000), st.integers(-5, 10_000)),
    limit=st.integers(128, 9_000),
    reserve=st.integers(0, 64),
    messages=st.integers(1, 900),
)
def test_any_values_settle_to_some_that_work(place, wanted, limit, reserve, messages):
    one, window = CHOICES[place], ContextWindow(limit, reserve)
    values = one.settled(wanted[: len(one.dials)], window, messages)
    for value, (low, high) in zip(values, one.bounds(values, window, messages), strict=True):
        assert low <= value <= high
    assert one.settled(values, window, messages) == values
    assert len(one.transforms(values, window, OfflineModel())) == len(one.stages(values, window))


def test_an_unknown_name_lists_all():
    with pytest.raises(ValueError, match="'Two tiers'; there are 'Send everything', 'Keep recent'"):
        choice("Two tiers")
