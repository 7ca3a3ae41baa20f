"""`MessageList`: what became of each message, as a table and as text."""

from __future__ import annotations

import json

import pytest

from ctxkit import ClearToolResults, KeepRecentMessages, Message, TokenCounter, ToolCall, load_sample, run
from ctxkit.widgets import MessageList
from tests.histories import SUM, A, C, D, S, T, U


def state(table):
    return table.widget.state


def fates(table):
    """Action and reason of each message, spread out again from the runs that the page gets."""
    return [
        (action, state(table)["reasons"][at])
        for action, at, count in state(table)["runs"]
        for _ in range(count)
    ]


def test_rows_say_role_text_tokens():
    table = MessageList([S("be brief"), D("rules"), SUM("long ago"), U("hi"), C("a"), T("a", "14:20")])
    rows = table.widget.content["rows"]
    assert [row[0] for row in rows] == ["system", "system", "summary", "user", "assistant", "tool"]
    assert [row[1] for row in rows] == ["be brief", "rules", "long ago", "hi", "→ search(q='a')", "14:20"]
    assert rows[3][2] == str(TokenCounter().count(U("hi")))
    assert table.as_text().splitlines()[0] == "6 of 6 messages are sent"


def test_show_says_what_a_transform_made_of_them():
    talk = load_sample("dolphins")
    table = MessageList(talk)
    outcome = run(KeepRecentMessages(12).apply(talk))
    table.show(outcome)
    assert fates(table) == [(decision.action, decision.reason) for decision in outcome.decisions]
    assert state(table)["title"] == f"12 of {len(talk)} messages are sent"


def test_a_cleared_result_is_still_sent():
    table = MessageList(talk := [U(), C("a"), T("a", "line " * 100), A()])
    table.show(run(ClearToolResults(0).apply(talk)))
    assert [action for action, _ in fates(table)] == ["kept", "kept", "cleared", "kept"]
    assert state(table)["title"] == "4 of 4 messages are sent"


def test_of_a_call_that_is_refused_nothing_is_sent_and_every_row_stays_in_sight():
    talk = load_sample("dolphins")
    table = MessageList(talk)
    table.show(run(KeepRecentMessages(12).apply(talk)), refused="the call is too long")
    assert {fate for fate in fates(table) if fate[0] != "dropped"} == {("refused", "the call is too long")}
    assert state(table)["title"] == f"0 of {len(talk)} messages are sent"
    assert table.as_text().count("⊘ refused") == 12


def test_messages_that_are_still_to_come_are_not_shown():
    table = MessageList(talk := [U("1"), A("2"), U("3")])
    table.show(run(KeepRecentMessages(9).apply(talk[:1])))
    assert fates(table) == [("kept", "not answered yet")]
    assert "1 of 1 message is sent" in table.as_text()


def test_what_the_kit_puts_in_has_a_row_at_its_place():
    table = MessageList(talk := [U(), C("a", "b"), T("a"), U("go on")])
    table.show(run(KeepRecentMessages(9).apply(talk)))
    [(before, role, text, _, reason)] = state(table)["made"]
    assert (before, role, reason) == (3, "tool", "not in the conversation")
    lines = table.as_text().splitlines()
    assert lines[4].startswith("  2  tool") and lines[5].startswith("  +  tool") and text[:20] in lines[5]


def test_a_long_run_that_is_not_sent_folds_but_not_what_has_a_note():
    talk = [U(f"question {i}") for i in range(9)] + [A("end")]
    table = MessageList(talk, notes={5: "the answer"})
    table.mark([("dropped", "too old")] * 9 + [("kept", "")])
    lines = table.as_text().splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["0", "1", "5", "…", "9"]
    assert "★ the answer: question 5" in lines[4]
    assert "6 more not sent" in lines[5]


def test_a_run_whose_rows_are_all_shown_has_no_line_for_the_rest():
    talk = [U(str(number)) if number % 2 == 0 else A(str(number)) for number in range(6)]
    table = MessageList(talk, notes=dict.fromkeys(range(2, 5), "look"))
    table.mark([("dropped", "old")] * 5 + [("kept", "")])
    lines = table.as_text().splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["0", "1", "2", "3", "4", "5"]


def test_estimates_are_marked():
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}
    table = MessageList([picture, U("hi")])
    assert table.widget.content["rows"][0][2].startswith("≈ ")
    assert "≈" not in table.widget.content["rows"][1][2]


HOSTILE = "<img src=x onerror=alert(1)>\u202e\x00 $x$ {% raw %} \ud83d </script>"


def test_hostile_text_goes_to_the_page_as_text_that_can_be_seen():
    call = ToolCall(HOSTILE, HOSTILE, {HOSTILE: HOSTILE})
    talk = [Message("user", HOSTILE, name=HOSTILE), Message.assistant(HOSTILE, [call]), T(HOSTILE, HOSTILE)]
    table = MessageList(talk, notes={0: HOSTILE})
    table.show(run(KeepRecentMessages(1).apply(talk)))
    sent = json.dumps([table.widget.content, table.widget.state], ensure_ascii=False)
    sent.encode("utf-8")
    assert "⟨U+202E⟩␀ $x$ {% raw %} ⟨U+D83D⟩ </script>" in sent and not {"\u202e", "\x00"} & set(sent)
    table.as_text().encode("utf-8")


def test_a_megabyte_is_a_line():
    table = MessageList([U("x" * 1_000_000)])
    assert len(table.widget.content["rows"][0][1]) <= 160
    assert max(map(len, table.as_text().splitlines())) < 120


def test_nothing_never_shows_as_none():
    table = MessageList(
        [{"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "f"}}]}]
    )
    assert "None" not in table.as_text()


def test_bad_messages_are_named():
    with pytest.raises((TypeError, ValueError), match=r"messages\[1\]"):
        MessageList([U(), {"role": "user", "content": 5}])


def test_an_outcome_of_a_longer_conversation_is_refused_and_the_table_stays():
    table = MessageList([U("1"), A("2")])
    before = dict(state(table))
    with pytest.raises(ValueError, match="make a new table"):
        table.show(run(KeepRecentMessages(1).apply([U("1"), A("2"), U("3")])))
    assert dict(state(table)) == before


def test_a_result_that_the_repair_left_out_is_shown_as_not_sent():
    history = [U("hi"), T("nobody"), A("hello")]
    table = MessageList(history)
    table.show(run(KeepRecentMessages(9).apply(history)))
    assert state(table)["title"] == "2 of 3 messages are sent"
    assert [action for action, _ in fates(table)] == ["kept", "removed", "kept"]
