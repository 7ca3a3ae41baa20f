"""The samples: sound where they should be, broken in the one way that their name says, true to their use."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from ctxkit import check, load_sample, repair, sample_names
from ctxkit.messages.text import content_text
from ctxkit.samples.growing_log import ERROR, READS, WAITING, growing_log

BROKEN = {
    "broken_duplicate": [(3, "duplicate_result")],
    "broken_half_pair": [(1, "unanswered_call")],
    "broken_late_result": [(3, "misplaced_result")],
    "broken_orphan": [(0, "orphan_result")],
    "broken_result_first": [(1, "result_before_call"), (2, "unanswered_call")],
    "broken_reused_id": [(7, "misplaced_result")],
}
SOUND = [
    "calculator",
    "dolphins",
    "giant",
    "growing_log",
    "harbour",
    "lighthouse",
    "night_watch",
    "phrasebook",
]


def test_every_sample_is_listed_here():
    assert sample_names() == [*BROKEN, *SOUND]


@pytest.mark.parametrize("name", SOUND)
def test_sound_samples_are_sound(name):
    assert check(load_sample(name)) == []


@pytest.mark.parametrize("name, faults", BROKEN.items())
def test_broken_samples_have_the_faults_of_their_name(name, faults):
    messages = load_sample(name)
    assert [(fault.index, fault.code) for fault in check(messages)] == faults
    assert check(repair(messages)) == []


def test_an_unknown_name_lists_all_names():
    with pytest.raises(
        ValueError, match=r"No sample is called 'dolphin'. Samples: broken_duplicate, .*harbour, .*phrasebook"
    ):
        load_sample("dolphin")


def test_each_load_gives_a_new_list():
    load_sample("dolphins").clear()
    assert len(load_sample("dolphins")) == 41


def test_dolphins_answers_its_last_question_in_message_1_only():
    chat = load_sample("dolphins")
    assert [message.role for message in chat] == ["user", "assistant"] * 20 + ["user"]
    naming = [index for index, message in enumerate(chat) if "snout" in content_text(message)]
    assert naming == [1]
    assert "protection" in content_text(chat[1])
    assert "tool do dolphins use on the seafloor" in content_text(chat[40])
    for topic, index in {"mirror": 4, "face": 10, "jobs": 16, "Venus": 23, "reef": 30, "octopus": 37}.items():
        assert topic in content_text(chat[index])


def test_phrasebook_answers_its_last_question_in_turn_1_only():
    talk = load_sample("phrasebook")
    assert [message.role for message in talk] == ["user", "assistant"] * 100 + ["user"]
    assert "allergic" in content_text(talk[200])
    assert [i for i, message in enumerate(talk) if "hazelnut" in content_text(message)] == [2]


def test_giant_is_guide_a_s_example():
    first, answer, question = load_sample("giant")
    assert len(content_text(first)) == 3_000_000
    assert content_text(answer) == "OK"
    assert content_text(question) == "What is the capital of Switzerland?"


@pytest.mark.parametrize("name", ["calculator", "harbour"])
def test_tool_samples_have_a_single_call_and_parallel_ones(name):
    counts = {len(message.tool_calls) for message in load_sample(name)}
    assert {1, 2} <= counts


def test_calculator_is_guide_c_s_example():
    shop = load_sample("calculator")
    assert content_text(shop[1]) == "What is 15% of 200?"
    assert (shop[2].tool_calls[0].name, content_text(shop[3])) == ("calculator", "30.0")


def test_every_sum_of_the_calculator_is_right():
    shop = load_sample("calculator")
    results = {
        message.tool_call_id: float(content_text(message)) for message in shop if message.role == "tool"
    }
    for message in shop:
        for call in message.tool_calls:
            left, right = call.arguments["expression"].split(" * ")
            assert float(left) * float(right) == pytest.approx(results[call.id])


def test_the_growing_log_is_read_four_times_and_each_reading_begins_with_the_one_before():
    talk = load_sample("growing_log")
    readings = [content_text(message) for message in talk if message.name == "read_log"]
    assert [len(reading.splitlines()) for reading in readings] == list(READS)
    for before, after in pairwise(readings):
        assert after.startswith(before) and after != before


def test_the_growing_log_has_the_error_in_its_middle_one_line_that_repeats_and_a_json_result():
    talk = load_sample("growing_log")
    lines = growing_log().splitlines()
    assert [index for index, line in enumerate(lines) if "error" in line] == [lines.index(ERROR)]
    assert len(lines) // 4 < lines.index(ERROR) < len(lines) // 2
    assert {line for line in lines if lines.count(line) > 1} == {WAITING}
    [disks] = [json.loads(content_text(message)) for message in talk if message.name == "read_disks"]
    assert [disk["disk"] for disk in disks if disk["state"] != "healthy"] == ["D09"]


def test_the_growing_logs_own_answers_are_true():
    talk = load_sample("growing_log")
    said = [content_text(message) for message in talk if message.role == "assistant" and message.content]
    assert "Plate 041" in said[0] and "tove.lind" in said[0] and "plate 041" in ERROR and "tove.lind" in ERROR
    assert WAITING in said[1] and f"{growing_log(READS[0]).count(WAITING)} times" in said[1]
    assert READS[2] - READS[1] == 8 and "Eight plates" in said[4]
    assert (talk[-1].role, talk[-2].role) == ("tool", "assistant")  # the last result is fresh


def test_the_log_has_an_end():
    assert growing_log(120) == growing_log(10_000)
    assert growing_log(0) == ""


def test_night_watch_answers_its_last_question_in_message_3_only():
    talk = load_sample("night_watch")
    assert "which relay rejected the newsletter" in content_text(talk[-1])
    assert [index for index, message in enumerate(talk) if "relay-3" in content_text(message)] == [3]
    assert talk[3].role == "tool"
