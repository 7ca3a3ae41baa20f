"""What counts as a summary, whatever shape the reply has."""

from __future__ import annotations

import pytest

from ctxkit import Message, SummaryFailed, TokenCounter, run
from ctxkit.transforms.summaries.summariser import Summariser
from tests.fakes import FakeModel

MATERIAL = ["user: " + "the ferry waits for the tide; " * 400]


def folded(reply):
    summariser = Summariser(FakeModel(reply), TokenCounter(), 400, 8_192)
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
        ("a" + " " * 20_000 + "b", "a" + " " * 20_000 + "b"),  # a pattern that goes back takes days here
    ],
)
def test_a_reply_that_says_something_is_kept_without_its_thinking(reply, summary):
    assert folded(reply) == summary
