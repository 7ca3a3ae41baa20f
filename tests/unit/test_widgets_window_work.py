"""What a setting shows in the window lab: the figures of `simulate`, whatever was worked out before."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit import ContextWindow, OfflineModel, Outcome, Pricing, Strategy, TokenCounter, run, simulate
from ctxkit.economy.running import Running
from ctxkit.replay import Ledger, call_points
from ctxkit.widgets.labs.window.choices import NAMES, choice
from ctxkit.widgets.labs.window.talk import Talk
from ctxkit.widgets.labs.window.words import cards, status
from ctxkit.widgets.labs.window.work import Setting, Work
from ctxkit.widgets.status import ICONS
from tests.histories import A, C, S, T, U, histories

PRICES = Pricing(input=3, cached_input=1, output=9)
every_choice = pytest.mark.parametrize("name", NAMES)


def setting(name, window, messages):
    one = choice(name)
    return Setting(name, one.settled(one.start, window, messages), window)


def figures(turn):
    return turn.call, turn.fits, turn.cached, turn.reply, turn.summary_calls, turn.money, turn.known


@every_choice
@pytest.mark.parametrize("sample", ["dolphins", "harbour"])
def test_the_figures_are_those_of_simulate(name, sample):
    talk, window = Talk(), ContextWindow(1_024, 100)
    talk.choose(sample)
    work = Work(talk, PRICES)
    wanted = setting(name, window, len(talk.messages))
    stages = choice(name).transforms(wanted.values, window, OfflineModel())
    course = run(simulate(talk.messages, [Strategy(name, stages)], window, PRICES, talk.quiz)).courses[0]
    for end in (len(talk.messages), 1, 17, 18):
        view = run(work.view(wanted, end))
        expected = [turn for turn in course.turns if turn.upto <= end]
        assert [*map(figures, view.course.turns)] == [*map(figures, expected)]


@every_choice
def test_the_baseline_sends_everything_in_a_window_without_limit(name):
    talk = Talk()
    view = run(Work(talk, PRICES).view(setting(name, ContextWindow(300), 41), 41))
    everything = run(simulate(talk.messages, [Strategy("all")], 10**9, PRICES)).courses[0]
    assert view.course_of_everything.money == pytest.approx(everything.money)
    assert view.course_of_everything.refused == 0


@settings(max_examples=25)
@given(history=histories(), seed=st.integers(0, 1_000))
def test_what_was_worked_out_before_changes_nothing(history, seed):
    if not history:
        return
    chance, talk = random.Random(seed), Talk(history)
    work = Work(talk, PRICES)
    for _ in range(8):
        window = ContextWindow(chance.choice([150, 400, 2_000]))
        wanted = setting(chance.choice(NAMES), window, len(history))
        end = chance.randint(1, len(history))
        view = run(work.view(wanted, end))
        fresh = run(Work(talk, PRICES).view(wanted, end))
        assert [*map(figures, view.turns)] == [*map(figures, fresh.turns)]
        assert (status(view), cards(view, PRICES, None)) == (status(fresh), cards(fresh, PRICES, None))


@settings(max_examples=25)
@given(history=histories(), name=st.sampled_from(NAMES), ends=st.lists(st.integers(1, 60), max_size=6))
def test_a_lean_running_has_the_figures_of_a_whole_one(history, name, ends):
    if not history:
        return
    window, ledger, calls = ContextWindow(400), Ledger(history, TokenCounter()), call_points(history)
    strategy = Strategy(
        name,
        choice(name).transforms(choice(name).settled(choice(name).start, window, 9), window, OfflineModel()),
    )
    lean, whole = (
        Running(strategy, ledger, calls, window, PRICES, lean=is_lean) for is_lean in (True, False)
    )
    for end in [min(end, len(history)) for end in ends]:
        ours, theirs = run(lean.upto(end)), run(whole.upto(end))
        assert [*map(figures, ours)] == [*map(figures, theirs)]
        assert ours[-1].made == theirs[-1].made or str(ours[-1].made) == str(theirs[-1].made)
        assert not any(isinstance(turn.made, Outcome) and turn.made.messages for turn in ours[:-2])


def test_ended_between_two_calls_it_goes_on_where_it_stood():
    talk = Talk()
    work, wanted = Work(talk, PRICES), setting("Summarise old", ContextWindow(2_048), 41)

    class Enough(Exception):
        pass

    async def stop(done, total):
        if done == 30:
            raise Enough

    with pytest.raises(Enough):
        run(work.view(wanted, 41, stop))
    assert 0 < work.calls_left([wanted], 41) < 20
    view, fresh = run(work.view(wanted, 41)), run(Work(talk, PRICES).view(wanted, 41))
    assert [*map(figures, view.turns)] == [*map(figures, fresh.turns)]
    assert work.calls_left([wanted], 41) == 0


def test_settings_that_were_only_begun_are_forgotten_first():
    work = Work(Talk(), PRICES)
    whole = [setting(name, ContextWindow(2_048), 41) for name in NAMES]
    for one in whole:
        run(work.view(one, 41))

    class Enough(Exception):
        pass

    async def stop(done, total):
        raise Enough

    for limit in range(500, 540):
        with pytest.raises(Enough):
            run(work.view(setting("Keep recent", ContextWindow(limit), 41), 41, stop))
    assert [work.calls_left([one], 41) for one in whole] == [0] * len(whole)


def test_progress_counts_the_calls_of_both():
    told = []

    async def tell(done, total):
        told.append((done, total))

    work, window = Work(Talk(), PRICES), ContextWindow(2_048)
    run(work.view(setting("Keep recent", window, 41), 41, tell))
    assert told == [(done, 40) for done in range(1, 41)]


def said(history, name, window=2_048, end=None, reserve=0):
    view = run(
        Work(Talk(history), PRICES).view(
            setting(name, ContextWindow(window, reserve), len(history)), end or len(history)
        )
    )
    words = status(view)
    return f"{words.verdict} {words.facts}", [str(card) for card in cards(view, PRICES, None)]


def test_words_for_one_message():
    sentence, figures = said([U("Hi")], "Send everything")
    assert sentence == "Fits. The message is sent: 8 tokens, 1 % of the 2,048-token window."
    assert figures[1] == "Whole chat cost: $0.000024 for sending everything (your prices)"
    assert figures[2] == "Prompt reused: 0 % read again from the cache (0 of 8 tokens)"


def test_words_for_what_cannot_be_sent():
    sentence, figures = said([U("word " * 300)], "Fit a token budget", 128)
    assert sentence == (
        "Cannot fit. At least 308 tokens must be sent (message 0), but the budget is 128. Nothing is sent."
    )
    assert figures[0] == "Prompt now: nothing of 128 tokens (what must be sent is too long)"
    assert "every call was refused" in figures[1] and "no call yet" in figures[2]


def test_words_for_a_call_that_is_refused():
    sentence, figures = said([U("word " * 100), A("ok"), U("word " * 100)], "Send everything", 150)
    assert sentence == (
        "Too long. All 3 messages would be sent: 218 tokens, 145 % of the 150-token window. "
        "The window cannot hold it: the call is refused."
    )
    assert figures[0] == "Prompt now: 218 of 150 tokens (68 too many: refused)"
    cost = "Whole chat cost: $0.00037 1 call was refused and cost nothing (your prices)"
    assert figures[1] == cost, "nothing is compared with itself"


@pytest.mark.parametrize(
    ("window", "more"),
    [
        (1_000, "(your prices))"),
        (250, "(your prices); sending everything, 3 calls would be too long)"),
        (60, "(9 calls were refused and cost nothing; sending everything, 9 calls would be too long)"),
    ],
)
def test_a_cost_says_what_it_is_compared_with(window, more):
    talk = [U("word " * 20) if i % 2 == 0 else A("ok") for i in range(21)]
    _, figures = said(talk, "Keep recent", window)
    assert figures[1].endswith(more)


def test_words_for_the_room_kept_for_the_reply():
    talk = [U("word " * 100), A("ok"), U("word " * 100)]
    _, figures = said(talk, "Send everything", 250, reserve=50)
    assert figures[0] == "Prompt now: 218 of 200 tokens, 250 less 50 for the reply (18 too many: refused)"
    _, figures = said(talk, "Send everything", 300, reserve=50)
    assert figures[0] == "Prompt now: 218 of 250 tokens, 300 less 50 for the reply (32 free)"


@pytest.mark.parametrize(("window", "kind"), [(150, "over"), (260, "nearly"), (1_000, "ok")])
def test_a_window_that_is_nearly_full_has_a_mark_of_its_own(window, kind):
    talk = Talk([U("word " * 100), A("ok"), U("word " * 100)])
    view = run(Work(talk, PRICES).view(setting("Send everything", ContextWindow(window), 3), 3))
    assert status(view).kind == kind
    assert len({*ICONS.values()}) == len(ICONS)


def test_words_for_shortened_results():
    talk = [
        U("Why?"),
        C("a"),
        T("a", "waiting\n" * 3_000 + "error"),
        A("Because."),
        U("Sure?"),
        A("Yes."),
        U("Bye"),
    ]
    sentence, _ = said(talk, "Shorten tool results")
    assert sentence.startswith("Fits. All 7 messages are sent, 1 of them shortened: 6,")


def test_words_before_any_call():
    sentence, figures = said([S("Be brief."), A("Hello.")], "Send everything", end=1)
    assert sentence.startswith("Fits. The message is sent:")
    assert figures[1] == "Chat cost so far: \u2014 against sending everything (no call yet)"
