"""Facts and quizzes: whether a reader who sees only the window still knows them."""

from __future__ import annotations

import pytest

from ctxkit import Fact, KeepRecentMessages, Message, Quiz, SummarizeOldMessages, run
from ctxkit.recall import Recall
from ctxkit.replay import replay
from tests.fakes import FakeModel

HENS = Fact("How many hens does Ada keep?", ["12|twelve"], [0])
TALK = [
    Message.user("Ada keeps 12 hens."),
    Message.assistant("Noted."),
    Message.user("Ada has a cat that is called Plum."),
    Message.assistant("A good name."),
    Message.user("It rains."),
]


@pytest.mark.parametrize(
    ("answer", "stated"),
    [("She keeps TWELVE.", True), ("12 of them", True), ("Some hens", False), ("", False)],
)
def test_an_answer_must_hold_what_is_expected(answer, stated):
    assert HENS.stated_in(answer) is stated


def test_all_of_several_expected_texts_must_be_there():
    fact = Fact("Which tool, and why?", ["sponge", "protect"], [1])
    assert fact.stated_in("A sponge, for protection")
    assert not fact.stated_in("A sponge")


def test_the_offline_reader_is_asked_by_default():
    quiz = Quiz([HENS, Fact("What is Ada's cat called?", ["Plum"], [2])])
    assert run(quiz.known(TALK[:1])) == [True, False]
    assert run(quiz.known(TALK)) == [True, True]


def test_a_fact_is_asked_for_again_only_when_its_window_changed():
    reader = FakeModel("12")
    recall = Recall(Quiz([HENS]), reader)
    outcomes = run(replay(KeepRecentMessages(3), TALK, points=[1, 2, 3, 4, 5]))
    known = [run(recall.at(i + 1, o.messages, o.sources, TALK)) for i, o in enumerate(outcomes)]
    assert known == [[True]] * 5
    assert len(reader.requests) == 2  # with its message, and without


def test_a_new_summary_is_read_anew():
    reader = FakeModel("12")
    recall = Recall(Quiz([HENS]), reader)
    talk = [*TALK, Message.assistant("Yes."), Message.user("And?")]
    transform = SummarizeOldMessages(FakeModel("first", "second"), 4, 2)
    outcomes = run(replay(transform, talk, points=[5, 7]))
    summaries = {o.messages[0].content for o in outcomes}
    for point, outcome in zip((5, 7), outcomes, strict=True):
        run(recall.at(point, outcome.messages, outcome.sources, talk))
    assert len(reader.requests) == len(summaries)


def test_what_was_not_told_is_not_asked():
    reader = FakeModel("Plum")
    recall = Recall(Quiz([Fact("The cat?", ["Plum"], [2])]), reader)
    assert run(recall.at(1, TALK[:1], [0], TALK)) == [None]
    assert reader.requests == []


@pytest.mark.parametrize(
    ("fact", "error", "where"),
    [
        ({"question": "?", "expected": [], "messages": [0]}, ValueError, r"facts\[0\].expected"),
        ({"question": "?", "expected": "12", "messages": [0]}, TypeError, r"facts\[0\].expected"),
        ({"question": "?", "expected": ["|"], "messages": [0]}, ValueError, r"facts\[0\].expected\[0\]"),
        ({"question": "?", "expected": [3], "messages": [0]}, TypeError, r"facts\[0\].expected\[0\]"),
        ({"question": "?", "expected": ["x"], "messages": [-1]}, ValueError, r"facts\[0\].messages\[0\]"),
        ({"question": "?", "expected": ["x"], "messages": []}, ValueError, r"facts\[0\].messages"),
        ({"question": " ", "expected": ["x"], "messages": [0]}, ValueError, r"facts\[0\].question"),
        ({"question": "?", "expected": ["x"]}, ValueError, r"facts\[0\]: 'messages' is missing"),
        (7, TypeError, r"facts\[0\]"),
    ],
)
def test_a_bad_fact_is_named(fact, error, where):
    with pytest.raises(error, match=where):
        Quiz([fact])
