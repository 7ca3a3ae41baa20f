"""Right answers written another way than the solution, and near misses: a check judges what code does."""

from __future__ import annotations

import math
from itertools import groupby, takewhile

import pytest

from ctxkit import Message, check_answer, tool


@pytest.fixture(autouse=True)
def answers_file(tmp_path, monkeypatch):
    monkeypatch.setenv("CTXKIT_ANSWERS", str(tmp_path / "answers.json"))


def cut_from_the_front(text, size):
    chunks = []
    while len(text) > size:
        end = text.rfind("\n", 0, size) + 1
        chunks.append(text[:end])
        text = text[end:]
    return (*chunks, text) if text else chunks


def collapse_by_groups(lines):
    runs = ((line, len([*run])) for line, run in groupby(lines))
    return [line + f" [repeated {n} times]" * (n > 1) for line, n in runs]


def pay_by_what_agrees(before, after):
    return len(after) - len([*takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))])


def calls_one_by_one(count, most, keep):
    sent = made = 0
    for _ in range(count):
        sent += 1
        if sent > most:
            made, sent = made + 1, keep + 1
    return made


def calls_rounded_up(count, most, keep):
    return max(0, math.ceil((count - most) / (most - keep)))


def notes_in_parts(summary):
    return Message.user(["Notes, no request:", {"type": "text", "text": summary}, "The notes end here."])


def fold_what_is_new(messages, done, most, keep):
    new = messages[done:]
    return new[: len(new) - keep] if len(new) + min(done, 1) > most else []


@tool
def decorated(hours: int, minutes: int = 0) -> int:
    """Minutes of a time."""
    return hours * 60 + minutes


def without_a_result_type(hours: int, minutes: int = 0):
    """Minutes of a time."""
    return minutes + 60 * hours


def loop_that_calls_itself(ask, use, messages, max_steps):
    if max_steps == 0:
        return messages
    reply = ask(messages)
    talk = [*messages, reply]
    for made in reply.tool_calls:
        try:
            text = use(made)
        except Exception as problem:
            text = f"It failed: {problem!r}"
        talk.append(Message.tool(text, made.id, made.name))
    return loop_that_calls_itself(ask, use, talk, max_steps - 1) if reply.tool_calls else talk


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        ("04-cut", cut_from_the_front),
        ("04-collapse", collapse_by_groups),
        ("04-to-pay", pay_by_what_agrees),
        ("05-calls", calls_one_by_one),
        ("05-calls", calls_rounded_up),
        ("05-frame", notes_in_parts),
        ("05-to-fold", fold_what_is_new),
        ("08-tool", decorated),
        ("08-tool", without_a_result_type),
        ("08-order", ("SummarizeOldMessages", "SummarizeToolResults", "KeepWithinTokens")),
        ("08-loop", loop_that_calls_itself),
    ],
)
def test_another_way_is_right(exercise, answer):
    result = check_answer(exercise, answer)
    assert result.status == "right", result.message


def cut_one_too_long(text, size):
    return cut_from_the_front(text, size + 1)


def collapse_without_the_last_run(lines):
    return collapse_by_groups(lines)[:-1]


def fold_at_the_threshold(messages, done, most, keep):
    return fold_what_is_new(messages, done, most - 1, keep)


@tool
def half_an_hour_more(hours: int, minutes: int = 30) -> int:
    """Minutes of a time."""
    return hours * 60 + minutes


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        ("04-cut", cut_one_too_long, "more than `size` characters"),
        ("04-cut", lambda text, size: ["", *cut_from_the_front(text, size)], "more chunks than needed"),
        ("04-cut", lambda text, size: [*cut_from_the_front(text, size), ""], "more chunks than needed"),
        ("04-to-pay", lambda old, new: sum(a != b for a, b in zip(old, new, strict=False)), "fuller"),
        ("04-collapse", collapse_without_the_last_run, "also the last run"),
        ("05-calls", lambda count, most, keep: max(0, round((count - most) / (most - keep))), "round up"),
        ("05-frame", lambda summary: Message.user(f".\n{summary}\n."), "Nothing stands before"),
        ("05-to-fold", fold_at_the_threshold, "exactly `most` messages"),
        ("05-to-fold", lambda *given: fold_what_is_new(*given)[::-1], "in its order"),
        ("08-tool", half_an_hour_more, "three hours alone"),
        ("08-loop", lambda ask, use, talk, most: loop_that_calls_itself(ask, use, talk, 4), "more often"),
        (
            "08-loop",
            lambda ask, use, talk, most: loop_that_calls_itself(ask, use, talk, most - 1),
            "less often",
        ),
    ],
)
def test_a_near_miss_is_told_what_it_misses(exercise, answer, said):
    result = check_answer(exercise, answer)
    assert result.status == "wrong" and said in result.message, result.message
