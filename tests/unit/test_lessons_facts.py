"""What the lessons tell in words, counted again."""

from __future__ import annotations

from itertools import pairwise

import nbformat
import pytest

from ctxkit import KeepRecentMessages, KeepWithinTokens, TokenCounter, check, load_sample, run
from ctxkit.lessons import find_lesson
from ctxkit.replay import replay
from tests.guides import guide_discard


def text_of(number: str) -> str:
    cells = nbformat.read(find_lesson(number).path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def moves(low_water: int | None) -> int:
    calls = run(replay(KeepWithinTokens(1200, low_water=low_water), load_sample("dolphins")))
    first = [call.sources[0] for call in calls]
    return sum(before != after for before, after in pairwise(first))


def test_lesson_0_half_an_answer_with_38():
    assert "With 38, message 3 is sent and message 1 is not." in text_of("00")
    chat = load_sample("dolphins")
    sent = run(KeepRecentMessages(keep=38)(chat))
    assert chat[3] in sent
    assert chat[1] not in sent
    assert "sponge" in str(chat[3].content)
    assert "protection" not in str(chat[3].content)


def test_lesson_2_hindi_costs_more_than_three_times_as_much_as_english():
    counter = TokenCounter()
    english = counter.count_text("The weather is lovely today, so we are going to the sea.")
    hindi = counter.count_text("आज मौसम बहुत अच्छा है, इसलिए हम समुद्र जा रहे हैं।")
    assert hindi > 3 * english
    assert "more than three times as fast" in text_of("02")


def test_lesson_3_the_cut_moves_as_often_as_the_text_says():
    assert "In 21 questions with a budget of 1,200 tokens the cut moves 12 times." in text_of("03")
    chat = load_sample("dolphins")
    assert [message.role for message in chat].count("user") == 21
    assert moves(low_water=None) == 12
    assert moves(low_water=600) == 3


def test_lesson_3_the_rule_breaks_in_the_four_ways_that_it_names():
    rule = guide_discard()
    chat = load_sample("dolphins")
    assert rule(chat, 0) == chat
    with pytest.raises(ValueError, match="Should not happen"):
        rule(load_sample("broken_orphan"), 3)
    half = rule(load_sample("broken_half_pair"), 3)
    assert [fault.code for fault in check(half)] == ["unanswered_call"]
    assert len(rule(load_sample("broken_reused_id"), 2)) == 8


def test_lesson_3_the_right_way_has_none_of_them():
    for name, keep in (
        ("dolphins", 0),
        ("broken_orphan", 3),
        ("broken_half_pair", 3),
        ("broken_reused_id", 2),
    ):
        sent = run(KeepRecentMessages(keep=keep)(load_sample(name)))
        assert check(sent) == []
        assert len(sent) <= keep + 1


def test_lesson_1_leaving_out_the_message_without_text_makes_an_orphan():
    shop = load_sample("calculator")
    assert shop[2].content == ""
    assert [fault.code for fault in check([shop[1], shop[3], shop[4]])] == ["orphan_result"]
