"""Lessons 6 and 7: right answers written another way than the solution, and near misses."""

from __future__ import annotations

import contextlib
from collections import deque

import pytest

from ctxkit import TokenCounter, check_answer


@pytest.fixture(autouse=True)
def answers_file(tmp_path, monkeypatch):
    monkeypatch.setenv("CTXKIT_ANSWERS", str(tmp_path / "answers.json"))


def counted_one_by_one(messages, most, max_tokens):
    rest = sum(1 for message in messages if message.role not in ("system", "developer"))
    return rest > most or TokenCounter().count_all(messages) > (max_tokens or float("inf"))


def collected_from_the_end(messages, keep):
    stay = deque()
    for message in reversed(messages):
        if len(stay) >= keep and not (stay and stay[0].role == "tool"):
            break
        stay.appendleft(message)
    return messages[: len(messages) - len(stay)], [*stay]


def chosen_among_the_good_cuts(messages, keep):
    good = [i for i in range(len(messages) + 1) if messages[i:][:1] == [] or messages[i].role != "tool"]
    cut = max((i for i in good if len(messages) - i >= keep), default=0)
    return tuple(messages[:cut]), tuple(messages[cut:])


def compared_with_every_end(stored, seen, added):
    good = any(seen[start:] == stored for start in range(len(seen) + 1))
    return (stored + added if good else stored), good


def moved_one_by_one(turns, window_size, summary_threshold):
    old, kept = [], list(turns)
    while len(turns) >= summary_threshold and len(kept) > window_size:
        old.append(kept.pop(0))
    return tuple(old), tuple(kept)


def folded_if_it_works(summary, turns, window_size, summarise):
    cut = max(0, len(turns) - window_size)
    with contextlib.suppress(Exception):
        if cut and (new := summarise(summary, list(turns[:cut])).strip()):
            return [new, tuple(turns[cut:])]
    return summary, turns


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        ("06-third", 14.0),
        ("06-condition", counted_one_by_one),
        ("06-cut", collected_from_the_end),
        ("06-cut", chosen_among_the_good_cuts),
        ("06-merge", compared_with_every_end),
        ("07-calls", 6.0),
        ("07-split", moved_one_by_one),
        ("07-fold", folded_if_it_works),
    ],
)
def test_another_way_is_right(exercise, answer):
    result = check_answer(exercise, answer)
    assert result.status == "right", result.message


def folded_after_it_took_them(summary, turns, window_size, summarise):
    old = [turns.pop(0) for _ in range(len(turns) - window_size)]
    return summarise(summary, old), turns


def folded_unless_blank(summary, turns, window_size, summarise):
    cut = max(0, len(turns) - window_size)
    try:
        new = summarise(summary, turns[:cut]) if cut else summary
    except Exception:
        return summary, turns
    return (summary, turns) if new.isspace() else (new, turns[cut:])


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        ("06-condition", lambda messages, *limits: counted_one_by_one(messages[1:], *limits), "says nothing"),
        ("06-merge", lambda old, seen, new: (old + new, True), "Somebody else wrote"),
        (
            "06-merge",
            lambda old, seen, new: (old + new, True) if all(m in seen for m in old) else (old, False),
            "can have the same words",
        ),
        (
            "06-merge",
            lambda old, seen, new: (old + new, True) if old[-2:] in ([], seen[-2:]) else (old, False),
            "can have the same words",
        ),
        ("07-split", lambda turns, *marks: moved_one_by_one(turns, *marks)[::-1], "the first part is empty"),
        ("07-fold", folded_after_it_took_them, "changed the list"),
        ("07-fold", folded_unless_blank, "answered with blanks"),
    ],
)
def test_a_near_miss_is_told_what_it_misses(exercise, answer, said):
    result = check_answer(exercise, answer)
    assert result.status == "wrong" and said in result.message, result.message
