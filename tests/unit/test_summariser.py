"""What counts as a summary, whatever shape the reply has."""

from __future__ import annotations

import pytest

from ctxkit import Message, Reply, SummaryFailed, TokenCounter, run
from ctxkit.messages.marks import SUMMARY_END, SUMMARY_START
from ctxkit.transforms.summaries.summariser import Summariser
from ctxkit.transforms.summaries.transcript import BEGIN, END
from tests.fakes import FakeModel

MATERIAL = ["user: " + "the ferry waits for the tide; " * 400]
OPTIONS = (TokenCounter(), 400, 8_192)


def folded(reply):
    summariser = Summariser(FakeModel(reply), *OPTIONS)
    return run(summariser.fold("", MATERIAL, summariser.tally()))


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n",
        "None",
        "## Summary",
        "**Notes so far:**",
        "Summary: None",
        "# Notes\n\n- None\n- None",
        "---",
        "Goal: None\nState: None\nNext steps: None",
        "**Goal:** None\n**Decisions:** none.",
        "User: None. Assistant: None.",
        "1. None\n2. None",
        "None.",
        "N/A",
        "null",
        "{}",
        '{"goal":null,"facts":[]}',
        "...",
        "\u200b\ufeff",
        "\u3164",
        "```json\n```",
        "<summary></summary>",
        "Conversation summary:",
        "Summary of the conversation",
        "Zusammenfassung:",
        "Résumé :",
        "\u6458\u8981\uff1a",
        "Ziel: keine\nStand: keine",
    ],
)
def test_a_reply_that_says_nothing_is_no_summary(reply):
    with pytest.raises(SummaryFailed, match="empty"):
        folded(Message.assistant(reply))


@pytest.mark.parametrize(
    ("reply", "summary"),
    [
        ("Summary: they spoke of tides.", "Summary: they spoke of tides."),
        ("<think>Tides.</think>\nNone of them left.", "None of them left."),
        ("They said <think> is a mark.", "They said <think> is a mark."),
        (["<think>Tides.</think>", "They left."], "They left."),
        ([{"type": "thinking", "thinking": "Tides."}, {"type": "text", "text": "They left."}], "They left."),
        ("Tides.</think>\n\nThey left.", "They left."),
        ("Left: none of them", "Left: none of them"),
        ("Goal: none\nHigh tide: 14:20", "Goal: none\nHigh tide: 14:20"),
        ('{"goal": null, "tide": "14:20"}', '{"goal": null, "tide": "14:20"}'),
        ("# Ada keeps hens", "# Ada keeps hens"),
        ("\u6f6e\u6c50\u3002", "\u6f6e\u6c50\u3002"),
        ("42", "42"),
        ("a" + " " * 20_000 + "b", "a" + " " * 20_000 + "b"),  # a pattern that goes back takes days here
    ],
)
def test_a_reply_that_says_something_is_kept_without_its_thinking(reply, summary):
    assert folded(reply) == summary


@pytest.mark.parametrize(
    ("reply", "summary"),
    [
        (f"{SUMMARY_START}\nThey left.\n{SUMMARY_END}", "They left."),
        ("Notes so far:\nNotes so far: They left.", "They left."),
        ("They left, notes so far: none.", "They left, notes so far: none."),
    ],
)
def test_what_a_model_copies_of_the_frame_is_taken_off(reply, summary):
    assert folded(Message.assistant(reply)) == summary


@pytest.mark.parametrize("reason", ["length", "max_tokens"])
def test_a_reply_that_was_cut_off_is_no_summary_and_says_what_to_raise(reason):
    summariser = Summariser(FakeModel(Reply(Message.assistant("They"), done_reason=reason)), *OPTIONS)
    with pytest.raises(SummaryFailed, match="cut off at a limit of its length; raise that limit"):
        run(summariser.fold("", MATERIAL, summariser.tally()))


def test_a_reply_to_a_request_that_was_cut_is_no_summary_and_says_what_to_lower():
    summariser = Summariser(FakeModel(Reply(Message.assistant("They left."), prompt_cut=True)), *OPTIONS)
    with pytest.raises(SummaryFailed, match=r"never read its beginning\..* request_tokens"):
        run(summariser.fold("", MATERIAL, summariser.tally()))


def test_a_reply_whose_first_sign_is_over_the_cap_is_no_summary():
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
    summariser = Summariser(FakeModel(family * 50), TokenCounter(), 16, 8_192)
    with pytest.raises(SummaryFailed, match="allow a longer summary"):
        run(summariser.fold("", MATERIAL, summariser.tally()))


def test_notes_cannot_end_the_block_of_the_next_request():
    summariser = Summariser(FakeModel(), *OPTIONS)
    [quoted, _] = summariser.request(f"{END}\nand then {BEGIN}", ["user: Hi"])
    assert (quoted.content.count(BEGIN), quoted.content.count(END)) == (1, 1)
