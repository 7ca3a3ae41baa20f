"""`simulate`: what a conversation costs under a strategy, call by call."""

from __future__ import annotations

import asyncio
import csv
import io

import pytest

from ctxkit import (
    ClearToolResults,
    ContextWindow,
    KeepRecentMessages,
    KeepWithinTokens,
    Message,
    OfflineModel,
    OllamaTruncation,
    Pipeline,
    Pricing,
    Quiz,
    Strategy,
    SummarizeOldMessages,
    TokenCounter,
    ToolCall,
    load_sample,
    run,
    simulate,
)
from ctxkit.economy import ollama_alone, send_everything
from ctxkit.economy.running import Running
from ctxkit.replay import Ledger, call_points, replay
from ctxkit.transforms.base import MessageTransform
from tests.fakes import FakeModel
from tests.probers import FakeProber

COUNTER = TokenCounter()
TALK = load_sample("dolphins")
HARBOUR = load_sample("harbour")
FEW = Strategy("few", [KeepRecentMessages(4)])


def counting(numbers: int) -> list[Message]:
    return [Message(("user", "assistant")[i % 2], f"message {i}") for i in range(numbers)]


def only(talk, strategy, **options):
    [course] = run(simulate(talk, [strategy], **({"window": 100_000} | options))).courses
    return course


@pytest.mark.parametrize("talk", [TALK, HARBOUR], ids=["dolphins", "harbour"])
def test_every_call_is_counted_as_it_was_sent(talk):
    course = only(talk, Strategy("fits", [ClearToolResults(1), KeepWithinTokens(900)]))
    sent = run(replay(Pipeline([ClearToolResults(1), KeepWithinTokens(900)]), talk))
    assert [turn.upto for turn in course.turns] == call_points(talk)
    assert [turn.prompt for turn in course.turns] == [COUNTER.count_all(o.messages) for o in sent]
    assert all(turn.fits and turn.prompt == sum(turn.call.sent.values()) for turn in course.turns)


def test_a_growing_prompt_is_read_again_from_the_cache():
    course = only(TALK, send_everything())
    for before, after in zip(course.turns, course.turns[1:], strict=False):
        assert after.cached == before.prompt - COUNTER.count_all(())
    assert course.turns[0].cached == 0
    assert 0.85 < course.reuse < 1


def test_a_moving_cut_spoils_the_cache_and_low_water_saves_it():
    plain = only(TALK, Strategy("budget", [KeepWithinTokens(1_200)]))
    calm = only(TALK, Strategy("low water", [KeepWithinTokens(1_200, low_water=600)]))
    assert plain.reuse < 0.3 < 0.6 < calm.reuse


def test_money_is_that_of_the_pricing():
    price = Pricing(input=3, cached_input=1, output=10)
    course = only(TALK, send_everything(), pricing=price)
    first, second = course.turns[:2]
    assert first.money == pytest.approx((first.prompt * 3 + first.reply * 10) / 1_000_000)
    assert second.money == pytest.approx(
        ((second.prompt - second.cached) * 3 + second.cached * 1 + second.reply * 10) / 1_000_000
    )
    assert course.money == pytest.approx(sum(turn.money for turn in course.turns))
    assert only(TALK, send_everything()).money is None


def test_a_conversation_without_a_call_costs_nothing_and_can_be_summed_with_others():
    talks = [[], [Message.system("Be brief.")], TALK]
    courses = [only(talk, send_everything(), pricing=Pricing(input=3)) for talk in talks]
    assert [course.money for course in courses[:2]] == [0, 0]
    assert sum(course.money for course in courses) == courses[2].money > 0


def test_summaries_are_paid_for():
    model = FakeModel()
    course = only(
        counting(40), Strategy("sum", [SummarizeOldMessages(model, 20, 5)]), pricing=Pricing(input=1_000_000)
    )
    assert course.summary_calls == len(model.requests) > 0
    assert course.summary_tokens == sum(COUNTER.count_all(request) for request in model.requests)
    assert course.money == pytest.approx(course.prompt + course.summary_tokens)


def test_what_does_not_fit_is_refused_and_costs_nothing():
    course = only(TALK, send_everything(), window=ContextWindow(1_024, reserve=100), pricing=Pricing(input=1))
    refused = [turn for turn in course.turns if not turn.fits]
    assert course.refused == len(refused) > 3
    assert all(turn.prompt == turn.cached == turn.reply == turn.money == 0 for turn in refused)
    assert all(turn.prompt <= 924 for turn in course.turns)


def test_a_server_that_cuts_the_prompt_itself_keeps_no_room_and_refuses_nothing():
    course = only(TALK, ollama_alone(1_024), window=ContextWindow(1_024, reserve=300))
    assert course.refused == 0 and max(turn.prompt for turn in course.turns) > 1_024 - 300


def test_a_budget_that_nothing_fits_is_refused_too():
    course = only(
        [Message.user("word " * 500)], Strategy("tiny", [KeepWithinTokens(100)]), pricing=Pricing(1)
    )
    [turn] = course.turns
    assert (turn.fits, turn.prompt, turn.money) == (False, 0, 0)
    assert turn.call.required > 100


def test_runs_do_not_see_each_other():
    stage = SummarizeOldMessages(OfflineModel(), 20, 5)
    strategies = [Strategy("one", [stage]), Strategy("two", [Pipeline([stage])])]
    both = run(simulate(TALK, strategies, window=4_096, pricing=Pricing.of_an_example()))
    assert both["one"].turns == both["two"].turns
    assert both["one"].summary_calls == 2
    again = run(simulate(TALK, strategies[::-1], window=4_096, pricing=Pricing.of_an_example()))
    assert again["one"] == both["one"]
    assert len(stage.cache) == 0


@pytest.mark.parametrize("lean", [True, False])
def test_a_look_at_a_call_is_that_call_and_is_paid_once(lean):
    talk = [m for i in range(30) for m in (Message.user(f"question {i}"), Message.assistant("answer"))]
    model = FakeModel(*(f"notes {i}" for i in range(99)))
    strategy = Strategy("summarise", [SummarizeOldMessages(model, 10, 3)])
    points = call_points(talk)
    running = Running(strategy, Ledger(talk, COUNTER), points, ContextWindow(4_096), lean=lean)
    for end in [*points, *reversed(points), *points]:
        *before, looked = run(running.upto(end))
        turn = run(running.turn(len(before)))
        assert (looked.call, looked.summary_calls) == (turn.call, turn.summary_calls)
        assert COUNTER.count_all(looked.made.messages) == looked.prompt
    turns = [run(running.turn(place)) for place in range(len(points))]
    assert len(model.requests) == sum(turn.summary_calls for turn in turns) > 4


def test_a_pipeline_inside_one_stays_one_and_repairs_what_goes_into_it():
    history = [
        Message.user("go"),
        Message.assistant("", [ToolCall("a", "f", {})]),
        Message.tool("x" * 90, "a"),
    ]
    inner = Pipeline([KeepRecentMessages(7), Pipeline([OllamaTruncation(33)]), Pipeline([])])
    turn = run(simulate(history, [Strategy("nested", [inner])], 4_096)).courses[0].turns[-1]
    assert turn.made.messages == run(inner(history))


def test_facts_leave_with_their_messages():
    facts = [
        {"question": "What tool do dolphins use on the seafloor?", "expected": ["sponge"], "messages": [1]},
        {"question": "Where does the octopus taste?", "expected": ["sucker"], "messages": [39]},
    ]
    simulation = run(simulate(TALK, [send_everything(), FEW], window=8_192, quiz=Quiz(facts)))
    everything, few = simulation.courses
    first = [turn.known[0] for turn in few.turns]
    assert first[0] is None
    assert first[1] is True
    assert first[-1] is False
    assert first.index(False) > first.index(True)
    assert all(turn.known[0] is True for turn in everything.turns[1:])
    assert (everything.turns[0].told, everything.turns[-1].told) == (0, 1 + (everything.turns[-1].upto > 39))


PROBED = Quiz(
    [
        {"question": "Which tool?", "expected": ["sponge"], "messages": [1]},
        {
            "question": "Which tool?",
            "expected": ["sponge"],
            "messages": [1],
            "sentence": "As said above, dolphins carry",
            "word": "sponges",
        },
        {
            "question": "What did they collect?",
            "expected": ["coconut"],
            "messages": [39],
            "sentence": "As said above, octopuses collect",
            "word": "coconut",
        },
    ]
)


def test_a_reader_that_measures_gives_a_probability_for_each_call():
    prober = FakeProber()
    simulation = run(simulate(TALK, [send_everything(), FEW], 8_192, quiz=PROBED, reader=prober))
    everything, few = simulation.courses
    assert everything.turns[0].known == everything.turns[0].probabilities == (None, None, None)
    assert all(turn.probabilities == (None, 0.9, None) for turn in everything.turns[1:-1])
    assert everything.turns[-1].probabilities == (None, 0.9, 0.9)
    assert (few.turns[-1].known, few.turns[-1].probabilities) == ((None, False, True), (None, 0.01, 0.9))
    assert (few.turns[-1].facts, few.turns[-1].told) == (1, 2)
    assert str(simulation).splitlines()[1].endswith(" 2/2")
    assert prober.probes


def test_probabilities_are_in_the_rows_of_those_facts_that_were_measured():
    rows = run(simulate(TALK, [send_everything(), FEW], 8_192, quiz=PROBED, reader=FakeProber())).to_rows()
    columns = {tuple(name for name in row if name.startswith("probability")) for row in rows}
    assert columns == {("probability_1", "probability_2")}
    assert [row["probability_1"] for row in rows if row["strategy"] == "few"].count(0.9) == 2
    asked = run(simulate(TALK, [FEW], 8_192, quiz=PROBED))
    assert not [name for name in asked.to_rows()[0] if name.startswith("probability")]
    assert all(turn.probabilities == () for turn in asked["few"].turns)


def test_a_refused_call_is_not_measured():
    prober = FakeProber()
    course = only(TALK, send_everything(), window=600, quiz=PROBED, reader=prober)
    refused = [turn for turn in course.turns if not turn.fits]
    assert refused[0].known == (None, False, None)
    assert all(turn.probabilities == (None, None, None) for turn in refused)
    assert max(len(window) for window, *_ in prober.probes) < 20


def test_a_call_that_was_refused_answers_nothing():
    facts = [{"question": "What tool do dolphins use?", "expected": ["sponge"], "messages": [1]}]
    course = only(TALK, send_everything(), window=600, quiz=Quiz(facts))
    assert [turn.known for turn in course.turns if not turn.fits]
    assert all(turn.known == (False,) for turn in course.turns if not turn.fits)


def test_progress_is_told_and_a_stop_stops():
    steps: list[tuple[int, int]] = []
    run(simulate(TALK, [send_everything(), FEW], window=8_192, progress=lambda *step: steps.append(step)))
    total = 2 * len(call_points(TALK))
    assert steps == [(done, total) for done in range(1, total + 1)]

    async def stopped():
        task = asyncio.ensure_future(
            simulate(TALK, [FEW], window=8_192, progress=lambda done, total: task.cancel())
        )
        with pytest.raises(asyncio.CancelledError):
            await task
            await asyncio.sleep(0)

    run(stopped())


def test_rows_are_plain_and_complete():
    simulation = run(simulate(HARBOUR, [send_everything(), FEW], window=8_192))
    rows = simulation.to_rows()
    assert len(rows) == 2 * len(call_points(HARBOUR))
    assert {type(value) for row in rows for value in row.values()} <= {str, int, bool, float, type(None)}
    out = io.StringIO()
    names = sorted({name for row in rows for name in row})
    writer = csv.DictWriter(out, names)
    writer.writeheader()
    writer.writerows(rows)
    assert out.getvalue().count("\n") == len(rows) + 1
    assert simulation["few"].strategy == "few"
    with pytest.raises(KeyError, match="'send everything', 'few'"):
        simulation["no such"]


def test_the_table_names_every_strategy():
    simulation = run(simulate(TALK, [send_everything(), FEW], 8_192, Pricing.of_an_example()))
    lines = str(simulation).splitlines()
    assert [line.split("  ")[0] for line in lines] == ["strategy", "send everything", "few"]
    assert all("$0.0" in line for line in lines[1:])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"strategies": [FEW, FEW]}, ValueError, "two are called 'few'"),
        ({"window": 0}, ValueError, "limit"),
        (
            {"quiz": Quiz([{"question": "?", "expected": ["x"], "messages": [99]}])},
            ValueError,
            r"quiz.facts\[0\]: message 99 of 41 is not there",
        ),
        ({"messages": 5}, TypeError, "messages"),
        ({"quiz": PROBED, "reader": "llama3.2"}, TypeError, "reader: expected a model"),
        ({"quiz": Quiz(PROBED.facts[:1]), "reader": FakeProber()}, ValueError, "reader: FakeProber"),
        ({"counter": "gpt-4"}, TypeError, "counter"),
        ({"strategies": [FEW, "all"]}, TypeError, r"strategies\[1\]: expected a Strategy, got str"),
        ({"pricing": 2}, TypeError, "pricing: expected a Pricing, got int"),
        ({"quiz": [{}]}, TypeError, "quiz: expected a Quiz, got list"),
    ],
)
def test_bad_arguments_are_named(change, error, message):
    arguments = {"messages": TALK, "strategies": [FEW], "window": 4_096} | change
    with pytest.raises(error, match=message):
        run(simulate(**arguments))


def test_a_strategy_must_be_able_to_start_anew():
    class Mine(MessageTransform):
        async def apply(self, messages, *, tools=()):
            raise AssertionError

        def preview(self, messages, *, tools=()):
            raise AssertionError

    with pytest.raises(TypeError, match="register_transform"):
        Strategy("mine", [Mine()])
    with pytest.raises(TypeError, match=r"transforms\[0\]"):
        Strategy("mine", ["KeepRecentMessages"])
    with pytest.raises(ValueError, match="name"):
        Strategy(" ")


@pytest.mark.parametrize(
    ("values", "error", "field"),
    [
        ({"input": -1}, ValueError, "input"),
        ({"input": "2"}, TypeError, "input"),
        ({"input": True}, TypeError, "input"),
        ({"input": float("nan")}, ValueError, "input"),
        ({"input": 1, "cached_input": float("inf")}, ValueError, "cached_input"),
        ({"input": 1, "output": None}, TypeError, "output"),
        ({"input": 1, "currency": 3}, TypeError, "currency"),
    ],
)
def test_prices_are_checked(values, error, field):
    with pytest.raises(error, match=field):
        Pricing(**values)


@pytest.mark.parametrize(
    ("money", "text"),
    [
        (0, "$0.00"),
        (1, "$1.00"),
        (1234.5, "$1,234.50"),
        (0.5, "$0.50"),
        (0.00184, "$0.0018"),
        (1e-12, "$0.00000000"),
    ],
)
def test_money_reads_well(money, text):
    assert Pricing(input=1).show(money) == text
