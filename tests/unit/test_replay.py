"""Conversations replayed call by call."""

from __future__ import annotations

from hypothesis import given

from ctxkit import ClearToolResults, KeepRecentMessages, KeepWithinTokens, Pipeline, repair, run
from ctxkit.replay import call_points, replay
from tests.histories import A, C, S, T, U, histories


def test_a_model_is_called_after_questions_and_after_all_results():
    history = [S(), U(), U(), A(), U(), C("a", "b"), T("a"), T("b"), A(), U()]
    assert call_points(history) == [3, 5, 8, 10]


def test_a_note_between_question_and_answer_hides_no_call():
    assert call_points([U(), S(), A()]) == [2]
    assert call_points([U(), A(), S()]) == [1]
    assert call_points([U(), S()]) == [2]
    assert call_points([S(), A()]) == []


def test_replay_is_what_each_call_would_have_sent():
    history = [S(), U("1"), A("2"), U("3"), C("a"), T("a"), A("4"), U("5")]
    sent = [outcome.messages for outcome in run(replay(KeepRecentMessages(2), history))]
    assert sent == [history[:2], [S(), A("2"), U("3")], [S(), U("3"), *history[4:6]], [S(), A("4"), U("5")]]


@given(history=histories())
def test_a_replay_gives_what_a_fresh_transform_gives_at_each_point(history):
    sound = repair(history)

    def fresh():
        return Pipeline(
            [ClearToolResults(1, trigger=40), KeepRecentMessages(5), KeepWithinTokens(10_000, low_water=50)]
        )

    for outcome, end in zip(run(replay(fresh(), sound)), call_points(sound), strict=True):
        assert outcome.messages == run(fresh()(sound[:end]))
