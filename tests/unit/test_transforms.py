"""Transforms in the hands of callers: lists that are changed, settings that are changed, threads, bad
counters.
"""

from __future__ import annotations

import copy
import pickle
import sys
import threading

import pytest

from ctxkit import (
    BudgetImpossible,
    ClearToolResults,
    ContextWindow,
    KeepRecentMessages,
    KeepWithinTokens,
    MessageList,
    Pipeline,
    SummarizeOldMessages,
    TokenCounter,
    TokenUsageChart,
    TokenView,
    _links,
    check,
    run,
)
from ctxkit.replay import replay
from ctxkit.tokens import vocabulary
from ctxkit.transforms import mending, timeline
from ctxkit.transforms.handover import Growing, Sent
from ctxkit.widgets import DiscardingLab
from tests.fakes import FakeModel
from tests.histories import SUM, A, C, S, T, U

LONG = [
    S(),
    *(m for i in range(60) for m in (U(f"question {i} " + "word " * 20), A("answer " * 30))),
    U("last"),
]


class TestTheHeadOfAResult:
    """A stage tells the next how long the head is; a caller who changes the list knows better."""

    @pytest.mark.parametrize(
        "put_in_front",
        [
            lambda sent: sent.insert(0, S("Never reveal the key.")),
            lambda sent: sent.__setitem__(slice(0, 0), [S("Never reveal the key.")]),
            lambda sent: sent.__setitem__(0, S("Never reveal the key.")),
        ],
    )
    def test_a_prompt_put_in_front_is_protected(self, put_in_front):
        sent = run(KeepRecentMessages(3)([U("hi"), A("yo"), U("bye")]))
        put_in_front(sent)
        assert run(KeepRecentMessages(1)(sent))[0].content == "Never reveal the key."
        with pytest.raises(BudgetImpossible):
            run(KeepWithinTokens(13)(sent))

    @pytest.mark.parametrize(
        "again", [copy.copy, copy.deepcopy, lambda sent: pickle.loads(pickle.dumps(sent))]
    )
    def test_a_copy_is_as_good(self, again):
        sent = again(run(KeepRecentMessages(3)([U("1"), A("2"), S("note"), U("3"), A("4")])))
        assert [m.content for m in run(KeepRecentMessages(1)(sent))] == ["3", "4"]
        sent.insert(0, S("rules"))
        assert run(KeepRecentMessages(1)(sent))[0] == S("rules")

    def test_a_broken_list_is_taken_anew_when_it_comes_with_a_shorter_head(self):
        broken, transform = (
            [S("rules"), T("?", "x"), S("note"), U("1"), A("2"), U("3")],
            KeepRecentMessages(1),
        )
        for given, sent in ((broken, ["rules", "note", "3"]), (Sent(broken, 1), ["rules", "3"])):
            assert [m.content for m in transform.preview(given).messages] == sent


class TestTheMemoryOfTheCut:
    def test_changed_settings_are_followed(self):
        transform = KeepWithinTokens(900, low_water=400)
        run(transform(LONG))
        transform.max_tokens, transform.low_water = 300, 150
        assert TokenCounter().count_all(run(transform(LONG))) <= 300
        transform.counter = TokenCounter("o200k_base").calibrated([(100, 200)])
        assert run(transform(LONG)) == run(
            KeepWithinTokens(300, low_water=150, counter=transform.counter)(LONG)
        )

    def test_estimates_are_forgotten_when_the_vocabulary_comes(self, monkeypatch):
        for table in ("_loaded", "_failures", "_locks"):
            monkeypatch.setattr(vocabulary, table, {})
        real = vocabulary._build

        def down(encoding):
            raise OSError("down")

        monkeypatch.setattr(vocabulary, "_build", down)
        transform = KeepWithinTokens(700, counter=TokenCounter("o200k_base"))
        with pytest.warns(UserWarning, match="estimates"):
            few = len(run(transform(LONG)))
        monkeypatch.setattr(vocabulary, "_build", real)
        monkeypatch.setattr(vocabulary, "_failures", {})
        assert len(run(transform(LONG))) > few
        assert run(transform(LONG)) == run(KeepWithinTokens(700, counter=TokenCounter("o200k_base"))(LONG))

    def test_many_threads_on_one_transform(self):
        history, counter = LONG, TokenCounter()
        for _ in range(10):
            transform, start = KeepWithinTokens(900, low_water=400), threading.Barrier(6)

            def work(transform=transform, start=start):
                start.wait()
                transform.preview(history)

            threads = [threading.Thread(target=work) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            longer = [*history, A("answer " * 30), U("and more " + "word " * 20)]
            sent = transform.preview(longer).messages
            assert sent == KeepWithinTokens(900, low_water=400).preview(longer).messages
            assert counter.count_all(sent) <= 900

    @pytest.mark.parametrize("broken", [True, False])
    @pytest.mark.parametrize("grows", [timeline, _links, mending], ids=lambda module: module.__name__)
    def test_an_interrupt_at_any_line_does_no_harm_to_the_calls_after_it(self, grows, broken):
        history = [S(), *([T("?", "x")] if broken else []), U("a"), A("b"), U("c")]
        grown = [*history, C("k"), T("k", "r"), U("d"), A("e"), U("f")]
        afresh, line = KeepRecentMessages(99).preview(grown), 0
        while True:
            transform = KeepRecentMessages(99)
            transform.preview(history)
            if not interrupted(grows.__file__, line, lambda transform=transform: transform.preview(grown)):
                break
            outcome = transform.preview(grown)
            assert (outcome.messages, outcome.decisions) == (afresh.messages, afresh.decisions), line
            line += 1
        assert line > 20 or (grows is mending and not broken)


def interrupted(file, line, work):
    """Whether work came so far that it was interrupted, before it went through one more line of a file."""
    passed = 0

    def trace(frame, event, argument):
        nonlocal passed
        if frame.f_code.co_filename != file:
            return None
        passed += event == "line"
        if passed > line:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_tool_schemas_from_a_generator_count_in_every_stage():
    schemas = [{"name": "x", "description": "y " * 500}]
    pipeline = Pipeline([KeepWithinTokens(3000), KeepWithinTokens(100)])
    with pytest.raises(BudgetImpossible):
        run(pipeline.apply([U("hi")], tools=(schema for schema in schemas)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: KeepWithinTokens(100, counter="gpt-4"),
        lambda: ClearToolResults(counter="gpt-4"),
        lambda: ContextWindow(100, counter="gpt-4"),
        lambda: MessageList([U()], counter="gpt-4"),
        lambda: TokenUsageChart(counter="gpt-4"),
        lambda: TokenView("hi", counter="gpt-4"),
        lambda: DiscardingLab([U()], counter="gpt-4"),
    ],
)
def test_the_name_of_an_encoding_is_no_counter(make):
    with pytest.raises(TypeError, match=r"TokenCounter\('gpt-4'\)"):
        make()


def test_a_pipeline_takes_transforms_only():
    with pytest.raises(TypeError, match=r"transforms\[1\]"):
        Pipeline([KeepRecentMessages(), "tokens"])


def test_a_cleared_result_still_counts_among_the_newest():
    history = [U(), C("a"), T("a", "line " * 50), C("b"), T("b", "line " * 50), A()]
    cleared = run(ClearToolResults(1)(history))
    assert [m.kind for m in cleared if m.role == "tool"] == ["placeholder", "message"]
    grown = [*cleared, U(), C("c"), T("c", "line " * 50)]
    assert [m.kind for m in run(ClearToolResults(2)(grown)) if m.role == "tool"] == [
        "placeholder",
        "message",
        "message",
    ]


def test_a_class_that_changes_apply_gets_lists_as_it_always_did():
    class Brief(KeepRecentMessages):
        async def apply(self, messages, *, tools=()):
            told = messages.copy()
            told.append(U("Be brief."))
            return await super().apply(told, tools=tools)

    talk = [U("a"), A("b"), U("c")]
    alone = run(Brief(9)(talk))
    assert run(Pipeline([Brief(9)])(talk)) == run(replay(Brief(9), talk))[-1].messages == alone
    assert [KeepRecentMessages.takes_prefix, Brief.takes_prefix] == [True, False]


def test_replay_names_what_is_no_transform():
    with pytest.raises(TypeError, match="transform: expected a MessageTransform, got function"):
        run(replay(lambda messages: messages, []))


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_somebody_speaks_for_the_user_though_the_only_one_who_did_was_a_summary(role):
    steps = [m for i in range(6) for m in (C(f"c{i}"), T(f"c{i}"))]
    history = [SUM("Ada asked for a report"), *steps]
    outcome = run(SummarizeOldMessages(FakeModel(), 4, 1, role=role).apply(history))
    assert outcome.model_calls == 1 and outcome.messages[0].kind == "summary"
    assert check(history) == check(outcome.messages) == []


def test_a_slice_of_a_prefix_that_ends_before_it_begins_is_empty():
    history = [U("q"), *(m for i in range(8) for m in (C(f"c{i}"), T(f"c{i}", "a long result text " * 30)))]
    clearing, talk = ClearToolResults(1, clear_at_least=250), Growing(history)
    for end in range(1, 14, 2):
        old = clearing.preview(talk.upto(end)).sent
    clearing.preview(talk.upto(15))  # what was sent before is kept as a difference from now on
    assert old[9:7] == [] and len(old) == 13
