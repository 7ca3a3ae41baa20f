"""`PipelineLab`: what an order of stages costs, in chart, table, list and words."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit import (
    ClearToolResults,
    KeepRecentMessages,
    KeepWithinTokens,
    OfflineModel,
    Pipeline,
    SummarizeOldMessages,
    SummarizeToolResults,
    TokenCounter,
    load_sample,
    run,
    tool,
)
from ctxkit.replay import replay
from ctxkit.transforms.config import register_transform
from ctxkit.widgets import PipelineLab
from ctxkit.widgets.labs.staged import told
from tests.fakes import FakeModel
from tests.histories import A, U, histories

NIGHT = load_sample("night_watch")
RESULTS, OLD, CLEAR, GUARD = range(4)
QUESTION = "Which relay rejected the newsletter?"


def stages(budget=600, model=None):
    model = model or OfflineModel()
    return [
        SummarizeToolResults(model, 120),
        SummarizeOldMessages(model, 12, 4, summary_tokens=150),
        ClearToolResults(2),
        KeepWithinTokens(budget),
    ]


def night(**options):
    return PipelineLab(NIGHT, stages(), question=QUESTION, answer_in=3, **options)


def picture(lab):
    """All that a lab shows, as data."""
    figure = lab.chart.widget.to_dict()
    traces = [{name: value for name, value in trace.items() if name != "uid"} for trace in figure["data"]]
    return traces, figure["layout"], lab.table.widget.state, lab.order.as_text(), lab.status, lab.as_text()


def test_status_and_stages_say_what_a_replay_gives():
    lab = night()
    outcomes = run(replay(Pipeline(stages()), NIGHT))
    sent = sum(TokenCounter().count_all(outcome.messages) for outcome in outcomes)
    calls, hits = sum(o.model_calls for o in outcomes), sum(o.cache_hits for o in outcomes)
    assert (
        f"{len(outcomes)} calls so far: {sent:,} tokens sent, {calls} summary calls, {hits} cache hits."
        in lab.status
    )
    lines = lab.order.as_text().splitlines()
    for place, line in enumerate(lines):
        done = [outcome.stages[place] for outcome in outcomes]
        paid = sum(stage.model_calls for stage in done)
        tokens = TokenCounter().count_all(done[-1].messages)
        assert f"{tokens} tokens" in line
        assert (f"so far {paid} summary calls, " in line) == bool(paid)
    assert lab.status.endswith(
        'quotes the summary: "error: relay-3 rejected the newsletter, its certificate expired on 3 May"'
    )


def test_cleared_before_it_was_summarised_the_answer_is_lost():
    lab = night()
    lab.order.value = [CLEAR, RESULTS, OLD, GUARD]
    assert lab.status.startswith("Fits. ") and lab.status.endswith("not in the messages I was sent.")


def test_a_guard_in_front_of_the_summary_makes_it_be_paid_again():
    lab = night()
    paid = {}
    for name, order in {"last": [RESULTS, OLD, CLEAR, GUARD], "second": [RESULTS, GUARD, OLD, CLEAR]}.items():
        lab.order.value = order
        [line] = [line for line in lab.order.as_text().splitlines() if "SummarizeOldMessages" in line]
        paid[name] = line.partition("so far ")[2]
    assert paid == {"last": "3 summary calls, 7 cache hits", "second": "6 summary calls, 4 cache hits"}


def test_a_guard_in_front_cannot_fit_and_says_where_it_stops():
    lab = night(upto=28)
    lab.order.value = [OLD, GUARD, RESULTS]
    assert lab.status.startswith("Cannot fit. At least ") and lab.status.endswith("Nothing is sent.")
    lines = lab.order.as_text().splitlines()
    assert lines[0].startswith("1. SummarizeOldMessages: 17 in summary")
    assert lines[1].startswith("2. KeepWithinTokens: stops here: ") and lines[1].endswith("600 are allowed")
    assert lines[2] == "3. SummarizeToolResults: not reached"
    assert "ClearToolResults (left out)" in lines[3]


def test_calls_that_could_not_be_made_are_counted_with_what_they_cost():
    lab = night()
    lab.order.value = [OLD, GUARD, RESULTS]
    assert "2 earlier calls could not be made." in lab.status
    lab.order.value = [RESULTS, GUARD]
    lab.budget.value = 30
    assert lab.status.startswith("Cannot fit.")
    assert "so far 3 summary calls" in lab.order.as_text().splitlines()[0]


def test_without_a_guard_what_is_over_is_said():
    lab = night()
    lab.order.value = []
    assert lab.status.startswith("Over the budget. All 34 messages are sent: 2,946 tokens, 491 %")
    assert lab.status.endswith(
        'quotes message 3: "error: relay-3 rejected the newsletter, its certificate expired on 3 May"'
    )


@settings(max_examples=15)
@given(history=histories(), seed=st.integers(0, 1000))
def test_one_setting_always_shows_one_picture(history, seed):
    if not history:
        return
    chance = random.Random(seed)
    lab = PipelineLab(history, stages(200))
    for _ in range(5):
        if chance.random() < 0.5:
            order = chance.sample(range(4), 4)
            on = [chance.random() < 0.8 for _ in order]
            lab.order.widget.set_state({"picked": {"order": order, "on": on}})
        else:
            control = chance.choice([lab.upto, lab.budget])
            control.slider.set_state({"value": chance.randint(control.slider.min, control.slider.max)})
    fresh = PipelineLab(history, stages(200), upto=lab.upto.value)
    fresh.budget.value = lab.budget.value
    fresh.order.widget.set_state({"picked": lab.order.widget.picked})
    assert picture(fresh) == picture(lab)
    assert "Not redrawn" not in lab.status


def test_only_the_offline_reader_is_asked():
    model = FakeModel()
    lab = PipelineLab(NIGHT, stages(model=model))
    lab.order.value = [OLD, RESULTS, GUARD]
    assert model.requests == [] and "6 summary calls" in lab.status


def test_schemas_count():
    @tool
    def read_log(job: str) -> str:
        """Read the log of a job."""
        return job

    plain, with_tool = (PipelineLab([U("hi")], [KeepWithinTokens(500)], tools=t) for t in ([], [read_log]))
    cost = TokenCounter().count_all([], tools=[read_log]) - TokenCounter().count_all([])
    tokens = [int(lab.order.as_text().split(", ")[1].split()[0]) for lab in (plain, with_tool)]
    assert tokens[1] - tokens[0] == cost > 0


def test_a_summary_that_fails_is_said():
    model = FakeModel(ConnectionError("no route"))
    outcome = run(SummarizeOldMessages(model, 2, 1).apply([U("1"), A("2"), U("3"), A("4")]))
    assert told(outcome, 20, TokenCounter()) == "no summary was made: no route"


def test_a_hostile_name_is_shown_as_text():
    attack = "<img src=x onerror=alert(1)>"
    kind = register_transform(type(attack, (KeepRecentMessages,), {}))
    lab = PipelineLab([U("<b>hi</b>")], [kind(3), KeepWithinTokens(90)], question="<script>$x$")
    assert lab.order.widget.content["names"][0] == attack
    assert "<script>" not in lab.widget.children[0].value and "$" not in lab.widget.children[0].value
    assert json.dumps(lab.order.widget.state)


def test_its_text_is_status_stages_and_table():
    lab = night()
    assert lab.as_text() == f"{lab.status}\n{lab.order.as_text()}\n{lab.table.as_text()}"


def test_it_has_three_controls():
    lab = night()
    [bar] = [child for child in lab.widget.children if "ctxkit-panel" in child._dom_classes]
    assert len(bar.children) == 3 and bar.children[2] is lab.order.widget


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([], "exactly one KeepWithinTokens"),
        ([ClearToolResults()], "exactly one KeepWithinTokens"),
        ([KeepWithinTokens(5), KeepWithinTokens(9)], "exactly one KeepWithinTokens"),
        (KeepWithinTokens(5), "expected a list"),
        (["KeepWithinTokens"], "MessageTransform"),
    ],
)
def test_stages_that_will_not_do_are_named(given, error):
    with pytest.raises((TypeError, ValueError), match=error):
        PipelineLab([U()], given)


@pytest.mark.parametrize("options", [{"question": 3}, {"upto": -1}, {"answer_in": 9}, {"counter": 4}])
def test_bad_settings_are_named(options):
    [name] = options
    with pytest.raises((TypeError, ValueError), match=name):
        PipelineLab([U()], **options)
