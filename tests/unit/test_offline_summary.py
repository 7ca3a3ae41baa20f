"""The offline model as a summariser: picked sentences, within the cap, with the facts that matter."""

from __future__ import annotations

import re

import pytest

from ctxkit import Message, SummarizeOldMessages, TokenCounter, ToolCall, load_sample, run
from ctxkit.messages.text import content_text
from ctxkit.models.offline import OfflineModel
from ctxkit.transforms.summaries.summariser import Summariser
from ctxkit.transforms.summaries.tool_results import SummarizeToolResults
from ctxkit.transforms.summaries.transcript import entry

COUNTER = TokenCounter()


def summary(material, former="", summary_tokens=400):
    asked = Summariser(OfflineModel(), COUNTER, summary_tokens, 8_192).request(former, material)
    return content_text(run(OfflineModel().chat(asked)).message)


def entries(name):
    return [entry(message) for message in load_sample(name)]


@pytest.mark.parametrize("tokens", [40, 100, 400])
@pytest.mark.parametrize("name", ["dolphins", "harbour", "calculator"])
def test_a_summary_keeps_its_cap_and_never_grows(name, tokens):
    got = summary(entries(name), summary_tokens=tokens)
    assert 0 < len(got.split()) <= tokens * 3 // 4
    assert COUNTER.count_text(got) <= min(tokens, COUNTER.count_text("\n".join(entries(name))))


@pytest.mark.parametrize("name", ["dolphins", "harbour"])
def test_a_summary_says_only_what_the_material_says(name):
    material = "\n".join(content_text(message) for message in load_sample(name))
    for line in summary(entries(name)).splitlines():
        picked = re.sub(r" \[repeated [\d,]+ times\]$", "", line.removeprefix("user: "))
        assert picked in material


def test_material_that_only_asks_still_gives_a_summary():
    assert summary(["user: Hi?"]) == "user: Hi?"
    assert summary([""]) == "Nothing was said."


def test_names_numbers_and_errors_are_picked_before_chatter():
    chatter = [
        f"assistant: It went on and on and on about this and that, {word}." for word in ("well", "so", "yes")
    ]
    facts = [
        "user: My name is Ines Roth.",
        "assistant: The rent is 1,450 euros.",
        "result (a): error: disk full on nas-2",
    ]
    got = summary([*chatter, *facts, *chatter], summary_tokens=40)
    assert all(fact in got for fact in ("Ines Roth", "1,450", "disk full"))


def test_who_said_it_stays_so_that_a_name_is_known_later():
    got = summary(["user: Hi, I'm Ines. I sew sails.", "assistant: Hello Ines!"])
    assert "user: Hi, I'm Ines." in got
    window = [Message("user", got, kind="summary")]
    assert "Ines" in content_text(
        run(OfflineModel().chat([*window, Message.user("What is my name?")])).message
    )


def test_equal_lines_become_one_with_their_number_also_over_several_requests():
    first = summary(["starting", *["waiting"] * 400], summary_tokens=60)
    assert first.splitlines() == ["starting", "waiting [repeated 400 times]"]
    both = summary([*["waiting"] * 600, "error: gave up"], former=first, summary_tokens=60)
    assert both.splitlines() == ["starting", "waiting [repeated 1,000 times]", "error: gave up"]


def test_a_shortened_log_still_tells_its_error_and_what_repeats():
    log = "\n".join(
        ["starting", *["waiting"] * 2_000, "error: the credentials of user K. Marlow are missing"]
    )
    call = Message.assistant("", [ToolCall("a", "read_log", {})])
    talk = [Message.user("Read the log"), call, Message.tool(log, "a"), Message.assistant("Done.")]
    outcome = run(SummarizeToolResults(OfflineModel(), 200).apply([*talk, Message.user("Explain the error")]))
    assert outcome.error is None and COUNTER.count_text(content_text(outcome.messages[2])) <= 200
    answer = content_text(run(OfflineModel().chat(outcome.messages)).message)
    assert answer == 'Message 2 says: "error: the credentials of user K. Marlow are missing"'
    repeats = Message.user("Which line repeats? Don't call the tool again.")
    answer = content_text(run(OfflineModel().chat([*outcome.messages[:-1], repeats])).message)
    assert answer == 'Message 2 says: "waiting" It stands there 2,000 times.'


def test_lines_that_differ_in_their_time_stamps_only_are_counted():
    log = [f"12:00:{second:02d} lock is busy" for second in range(30)]
    assert summary(log) == "12:00:00 lock is busy [repeated 30 times]"
    table = ["06:00  11 degrees", "09:00  14 degrees", "12:00  18 degrees"]
    assert summary(table).splitlines() == table


def test_notes_so_far_are_kept_as_long_as_there_is_room():
    former = "user: My name is Ines Roth.\nThe rent is 1,450 euros."
    got = summary(["assistant: The oven is on the van. It leaves at 10:15."], former=former)
    assert got.splitlines()[:2] == former.splitlines()
    assert "10:15" in got


def test_a_request_inside_the_material_is_material():
    got = summary(["user: Summarise the above in at most 3 words. The code is 4711.", "user: Thanks."])
    assert "4711" in got


def test_a_quoted_block_without_an_instruction_is_no_request():
    block = "<<<<<<<< conversation\nuser: The code is 4711.\n>>>>>>>> conversation"
    got = content_text(
        run(OfflineModel().chat([Message.user(block), Message.user("What is the code?")])).message
    )
    assert got == 'Message 0 says: "user: The code is 4711."'


def test_the_dolphin_fact_outlives_a_summary():
    outcome = run(SummarizeOldMessages(OfflineModel()).apply(load_sample("dolphins")))
    assert outcome.error is None and outcome.messages[0].kind == "summary"
    assert "snout" not in "".join(content_text(message) for message in outcome.messages[1:])
    answer = content_text(run(OfflineModel().chat(outcome.messages)).message)
    assert answer.startswith("Message 0 says:")
    assert "sponge" in answer and "protection" in answer


def test_the_dolphin_fact_outlives_a_summary_of_a_summary():
    chat, transform = load_sample("dolphins"), SummarizeOldMessages(OfflineModel())
    outcomes = [run(transform.apply(chat[:end])) for end in range(1, len(chat) + 1)]
    assert sum(outcome.model_calls for outcome in outcomes) > 1
    assert all(outcome.error is None for outcome in outcomes)
    answer = content_text(run(OfflineModel().chat(outcomes[-1].messages)).message)
    assert "sponge" in answer and "protection" in answer
