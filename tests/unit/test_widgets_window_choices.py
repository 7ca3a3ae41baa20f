"""The strategies of the window lab: values keep to their bounds, and the code sends what the lab sends."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit import BudgetImpossible, ContextWindow, OfflineModel, Pipeline, TokenCounter, load_sample, run
from ctxkit.replay import replay
from ctxkit.widgets.labs.window.as_code import as_code
from ctxkit.widgets.labs.window.choices import CHOICES, NAMES, choice

every_choice = pytest.mark.parametrize("name", NAMES)


def run_as_a_cell(code):
    """The names that are there after some code has run as a cell of a notebook does."""
    names = {}
    waiting = eval(compile(code, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if waiting is not None:
        run(waiting)
    return names


def outcomes(pipeline, messages):
    """What is sent at each call, or why nothing can be."""
    try:
        return [outcome.messages for outcome in run(replay(pipeline, messages))]
    except BudgetImpossible as error:
        return str(error)


@every_choice
def test_at_most_two_dials(name):
    assert len(choice(name).dials) <= 2
    assert choice(name).about(choice(name).start).endswith(".")


def test_the_line_below_the_tabs_says_how_long_a_summary_serves():
    said = choice("Summarise old").about
    assert said((20, 5)).endswith(
        "A summary serves until 15 new messages have come, so more than 5 recent ones may be sent."
    )
    assert "until 1 new message has come, so more than 19 " in said((20, 19))
    assert choice("All in a row").about((400, 20)).endswith("until 15 new messages have come.")


def test_what_the_server_does_keeps_no_room_for_the_reply():
    reserves = {name: choice(name).window(832, 112).reserve for name in NAMES}
    assert reserves.pop("What Ollama does") == 0 and {*reserves.values()} == {112}


@every_choice
@pytest.mark.parametrize("reserve", [0, 100])
@pytest.mark.parametrize("sample", ["dolphins", "harbour"])
def test_the_code_runs_and_sends_the_same(name, reserve, sample, capsys):
    one, messages = choice(name), load_sample(sample)
    window = ContextWindow(1_024, reserve)
    values = one.settled(one.start, window, len(messages))
    names = run_as_a_cell(as_code(one, values, window, sample))
    assert names["window"] == window and names["messages"] == messages
    ours = outcomes(Pipeline(one.transforms(values, window, OfflineModel())), messages)
    assert outcomes(names["pipeline"], messages) == ours
    assert len(ours) > 5 and names["sent"] == ours[-1]
    became, usage = capsys.readouterr().out.splitlines()
    assert became == f"{len(messages)} became {len(ours[-1])} messages"
    assert usage.startswith("WindowUsage(total=")


@every_choice
def test_the_code_runs_without_a_sample_too(name):
    one, window = choice(name), ContextWindow(1_024)
    code = as_code(one, one.start, window, None)
    assert "  # yours" in code and [m.content for m in run_as_a_cell(code)["sent"]] == ["Hi"]


def test_the_code_counts_as_the_lab_does():
    window = ContextWindow(600, counter=TokenCounter("o200k_base"))
    names = run_as_a_cell(as_code(choice("Fit a token budget"), (300,), window, "dolphins"))
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
