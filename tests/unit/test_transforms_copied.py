"""Copies: a transform is copied as its options, a result whole, by `copy` and through another process."""

from __future__ import annotations

import copy
import inspect
import multiprocessing
import pickle

import pytest

from ctxkit import (
    Agent,
    BudgetImpossible,
    ClearToolResults,
    Conversation,
    KeepRecentMessages,
    KeepWithinTokens,
    MessageTransform,
    OllamaTruncation,
    Pipeline,
    Pricing,
    Strategy,
    SummarizeOldMessages,
    SummarizeToolResults,
    SummaryCache,
    load_sample,
    run,
    simulate,
    transforms,
)
from ctxkit.economy import usual_strategies
from ctxkit.economy.usual import SHORT
from ctxkit.models import SummaryFailed
from ctxkit.transforms.options import option_names
from tests.fakes import FakeModel
from tests.histories import A, C, S, T, U

LOG = "starting\n" + "waiting\n" * 400 + "error: no credentials for user mira"
TALK = [S(), U("Read the log."), C("a"), T("a", LOG), A("It failed."), U("Why?"), A("No key."), U("Whose?")]
MADE = {
    "KeepRecentMessages": lambda: KeepRecentMessages(3, "shrink"),
    "KeepWithinTokens": lambda: KeepWithinTokens(200, low_water=100),
    "ClearToolResults": lambda: ClearToolResults(0, 50, 10, ["plan"], "[gone]"),
    "SummarizeToolResults": lambda: SummarizeToolResults(FakeModel(), 200, concurrency=2),
    "SummarizeOldMessages": lambda: SummarizeOldMessages(FakeModel(), 4, 2, max_tokens=900),
    "OllamaTruncation": lambda: OllamaTruncation(120, num_keep=2),
    "Pipeline": lambda: Pipeline([Pipeline([ClearToolResults(0)]), KeepWithinTokens(200)]),
}


def through_pickle(thing):
    return pickle.loads(pickle.dumps(thing))


WAYS = pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, through_pickle])


def test_every_transform_of_the_kit_is_here():
    kinds = [getattr(transforms, name) for name in transforms.__all__]
    offered = [kind for kind in kinds if inspect.isclass(kind) and issubclass(kind, MessageTransform)]
    assert {kind.__name__ for kind in offered} - {"MessageTransform"} == set(MADE)


@WAYS
@pytest.mark.parametrize("name", MADE)
def test_a_copy_has_the_same_options_and_does_the_same(name, copied):
    transform = MADE[name]()
    before = run(transform.apply(TALK))  # it has something to remember now
    twin = copied(transform)
    assert (type(twin), repr(twin)) == (type(transform), repr(transform))
    plain = set(option_names(type(transform))) - {"model", "cache", "transforms"}
    assert {option: getattr(twin, option) for option in plain} == {
        option: getattr(transform, option) for option in plain
    }
    after = run(twin.apply(TALK))
    assert (after.messages, after.decisions) == (before.messages, before.decisions)
    assert after.messages != TALK


def test_a_copy_and_its_original_do_not_stand_in_each_others_way():
    transform = ClearToolResults(0)
    first = run(transform.apply(TALK))
    twin = copy.copy(transform)
    assert twin._lock is not transform._lock
    assert run(twin.apply(TALK)).messages == first.messages
    twin.keep, transform.label = 1, "mine"  # no option
    assert not hasattr(copy.copy(transform), "label")
    assert run(twin.apply(TALK)).messages == TALK
    assert run(transform.apply(TALK)).messages == first.messages


def test_a_shallow_copy_shares_the_cache_and_a_deep_one_has_the_summaries_as_its_own():
    model = FakeModel()
    transform = SummarizeOldMessages(model, 4, 2)
    run(transform.apply(TALK))
    shared, own = copy.copy(transform), copy.deepcopy(transform)
    assert shared.cache is transform.cache and shared.model is model
    assert own.cache is not transform.cache and own.model is not model
    assert [run(twin.apply(TALK)).model_calls for twin in (shared, own)] == [0, 0]
    own.cache.put("a", "They spoke of dolphins.")
    assert transform.cache.get("a") is None
    two = copy.deepcopy(Pipeline([transform, SummarizeOldMessages(model, 9, 2, cache=transform.cache)]))
    assert two.transforms[0].cache is two.transforms[1].cache is not transform.cache


@WAYS
def test_a_cache_is_copied_with_its_entries_and_its_file(tmp_path, copied):
    for path in (None, tmp_path / f"{copied.__name__}.sqlite"):
        cache = SummaryCache(2, path)
        cache.put("a", "They spoke of dolphins.")
        twin = copied(cache)
        twin.put("b", "They spoke of jobs.")
        assert twin.get("a") == "They spoke of dolphins."
        assert cache.get("b") == (None if path is None else "They spoke of jobs."), "the file is shared"
        assert (twin.max_entries, twin.path) == (2, path)


@WAYS
@pytest.mark.parametrize("name", MADE)
def test_an_outcome_is_copied_whole(name, copied):
    outcome = run(MADE[name]().apply(TALK))
    twin = copied(outcome)
    assert twin == outcome
    assert (twin.messages, twin.decisions) == (outcome.messages, outcome.decisions)
    assert [stage.decisions for stage in twin.stages] == [stage.decisions for stage in outcome.stages]
    assert [message.kind for message in twin.messages] == [message.kind for message in outcome.messages]


@WAYS
def test_an_outcome_is_copied_with_its_error_and_without_the_model(copied):
    class Local(FakeModel):
        """Of a class that cannot be pickled."""

    outcome = run(SummarizeOldMessages(Local(""), 4, 2).apply(TALK))
    twin = copied(outcome)
    assert isinstance(twin.error, SummaryFailed) and str(twin.error) == str(outcome.error)
    assert (twin.messages, twin.decisions) == (TALK, outcome.decisions)


@WAYS
def test_what_was_sent_keeps_its_head_in_a_copy(copied):
    note = S("Be kind from now on.")
    sent = copied(run(KeepRecentMessages(4).apply([S(), U(), A(), note, U(), A(), U()])).messages)
    assert [m.content for m in run(KeepRecentMessages(1).apply(sent)).messages] == [
        "Answer briefly.",
        "hello",
    ]


@WAYS
def test_a_simulation_is_copied_whole(copied):
    talk = load_sample("dolphins")
    strategies = [*usual_strategies(600, talk), Strategy("too tight", [KeepWithinTokens(20)])]
    simulation = run(simulate(talk, strategies, 600, Pricing(input=1, output=4)))
    twin = copied(simulation)
    assert twin == simulation and str(twin) == str(simulation)
    assert twin.to_rows() == simulation.to_rows()
    pairs = zip(simulation.courses, twin.courses, strict=True)
    mades = [(one.made, two.made) for a, b in pairs for one, two in zip(a.turns, b.turns, strict=True)]
    impossible = [(one, two) for one, two in mades if isinstance(one, BudgetImpossible)]
    assert all((one.tokens, one.required) == (two.tokens, two.required) for one, two in impossible)
    assert len(impossible) > 10
    whole = [pair for pair in mades if pair not in impossible]
    assert all((one.messages, one.decisions) == (two.messages, two.decisions) for one, two in whole)
    assert len(whole) > 100


@WAYS
def test_strategies_and_agents_are_copied_with_their_transforms(copied):
    [*_, shortening] = map(copied, usual_strategies(600, TALK))
    assert shortening.transforms[0].max_tokens == SHORT
    agent = copied(Agent(FakeModel("By Mira."), transforms=[MADE["Pipeline"]()]))
    assert run(agent.run(Conversation(TALK))).reply.content == "By Mira."


def test_a_transform_goes_to_another_process_and_its_result_comes_back():
    pipeline = Pipeline([ClearToolResults(0), KeepRecentMessages(3)])
    run(pipeline.apply(TALK))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(pipeline.preview, [TALK])
    here = pipeline.preview(TALK)
    assert (there, there.decisions) == (here, here.decisions)


class Forgetful(KeepRecentMessages):
    def __init__(self, wanted):
        super().__init__(wanted)


@WAYS
def test_a_transform_that_does_not_keep_an_option_is_named(copied):
    with pytest.raises(TypeError, match=r"^Forgetful cannot be copied: .* its option 'wanted'"):
        copied(Forgetful(3))


class Vague(KeepRecentMessages):
    def __init__(self, *wanted, **others):
        super().__init__(*wanted, **others)


@WAYS
def test_a_transform_whose_options_have_no_names_is_named(copied):
    with pytest.raises(TypeError, match=r"^Vague cannot be copied or exported: 'wanted' of its __init__"):
        copied(Vague(3))
