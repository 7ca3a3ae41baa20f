"""Answers that windows share are those that asking afresh would give."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import (
    Fact,
    KeepRecentMessages,
    KeepWithinTokens,
    OfflineModel,
    Quiz,
    Strategy,
    SummarizeOldMessages,
    run,
    simulate,
)
from tests.fakes import FakeModel
from tests.histories import A, U

NUMBERS = st.integers(2, 5)
SAID = st.one_of(
    st.builds(
        "{} keeps {} {}.".format, st.sampled_from(["Ada", "Bob"]), NUMBERS, st.sampled_from(["hens", "bees"])
    ),
    st.builds("{} has a {}.".format, st.sampled_from(["Ada", "Bob"]), st.sampled_from(["hen", "bee"])),
    st.builds("How many {} does {} keep now?".format, st.sampled_from(["hens", "bees"]), st.just("Ada")),
    st.builds("{}.".format, NUMBERS),
    st.sampled_from(["Noted.", "It rains.", "And the sea?", "High water is late."]),
)
TALKS = st.lists(SAID, min_size=3, max_size=9).map(
    lambda texts: [(A if place % 2 else U)(text) for place, text in enumerate(texts)]
)


def latest_word(messages):
    """Reads from the front and says the last number that was told, or answered, of what it is asked."""
    who, what = re.match(r"How many (\w+) does (\w+) keep\?", messages[-1].content).group(2, 1)
    said, asked = "Nobody said.", False
    for message in messages[:-1]:
        number = re.search(r"\d+", message.content)
        about = (who in message.content and what[:-1] in message.content) or message.kind == "summary"
        if number and (about or asked):
            said = number[0]
        asked = about and "?" in message.content
    return said


def differing(talk, quiz, strategy, reader):
    """Places where the answer that is shared is not that of a reader who is asked now."""
    turns = run(simulate(talk, [strategy], 4_096, quiz=quiz, reader=reader)).courses[0].turns
    return [
        (turn.upto, fact.question, known, fresh)
        for turn in turns
        if turn.fits
        for fact, known, fresh in zip(
            quiz, turn.known, run(quiz.known(turn.made.messages, reader)), strict=True
        )
        if fact.told(turn.upto) and known != fresh
    ]


def strategies(keep=3, tokens=40):
    return [
        Strategy("everything"),
        Strategy("recent", [KeepRecentMessages(keep)]),
        Strategy("budget", [KeepWithinTokens(tokens)]),
        Strategy("summary", [SummarizeOldMessages(FakeModel("Ada keeps 3 hens.", "Bob keeps 4."), 5, 2)]),
    ]


@given(talk=TALKS, told=st.integers(0, 2), keep=st.integers(1, 6))
def test_a_reader_who_takes_the_latest_word_is_asked_whenever_there_is_one(talk, told, keep):
    quiz = Quiz(
        Fact(f"How many {what} does {who} keep?", ["3|4"], [told])
        for who in ("Ada", "Bob")
        for what in ("hens", "bees")
    )
    for strategy in strategies(keep):
        assert differing(talk, quiz, strategy, FakeModel(latest_word)) == []


@pytest.mark.parametrize("seed", range(8))
def test_the_offline_reader_says_what_it_would_say_afresh(seed):
    chance, talk, facts = random.Random(seed), [], []
    for _ in range(8):
        who, what = chance.choice(["Ada", "Bob", "Cleo"]), chance.choice(["hens", "goats"])
        number = chance.randint(2, 60)
        if chance.random() < 0.6:
            talk.append(U(f"{who} keeps {number} {what}."))
            facts.append(Fact(f"How many {what} does {who} keep?", [str(number)], [len(talk) - 1]))
        else:
            talk.append(U(chance.choice([f"How is {who}?", f"The {what} are fine.", "It rains."])))
        talk.append(A(chance.choice(["Noted.", "What else?", f"So {who} keeps {number} {what}."])))
    assert facts
    for strategy in strategies(chance.randint(2, 8), chance.randint(60, 150)):
        assert differing([*talk, U("Thank you.")], Quiz(facts[:4]), strategy, OfflineModel()) == []
