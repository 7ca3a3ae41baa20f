"""What the embedded model knows of short windows of our own sample, call by call."""

from __future__ import annotations

from dataclasses import replace

from ctxkit import KeepRecentMessages, Quiz, Strategy, load_sample, run, simulate
from ctxkit.samples.quizzes import load_quiz

TALK = load_sample("dolphins")
FACTS = [fact for fact in load_quiz("dolphins") if fact.sentence]


def test_the_quiz_asks_for_four_facts_that_it_can_measure():
    assert [fact.word for fact in FACTS] == ["sponges", "fusiform", "hemocyanin", "coconut"]


def test_each_fact_is_likely_while_its_message_is_sent(model):
    # From the question before the fact on, so that three calls are enough; there its message is the second.
    talk, quiz = TALK[10:15], Quiz([replace(FACTS[1], messages=[1])])
    all_of_it, last = (Strategy("all", []), Strategy("last", [KeepRecentMessages(1)]))
    simulation = run(simulate(talk, [all_of_it, last], 1_024, quiz=quiz, reader=model))
    assert [turn.known for turn in simulation["all"].turns] == [(None,), (True,), (True,)]
    assert [turn.known for turn in simulation["last"].turns] == [(None,), (False,), (False,)]
    kept, lost = (simulation[name].turns[-1].probabilities[0] for name in ("all", "last"))
    assert 0 < lost < 0.25 < 0.5 < kept < 1
    assert simulation.to_rows()[2]["probability_0"] == kept
