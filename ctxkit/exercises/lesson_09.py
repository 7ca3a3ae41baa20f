"""Exercises of lesson 9: what a cache changes, and which strategies are worth a look."""

from __future__ import annotations

from functools import cache
from typing import Any

from ctxkit._sync import run
from ctxkit.economy import Course, Pricing, simulate, usual_strategies
from ctxkit.exercises.lesson_09_challenge import CHALLENGE
from ctxkit.exercises.model import Exercise, Lesson, Question, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, message_list, text, whole_number
from ctxkit.messages import Message
from ctxkit.samples import load_sample
from ctxkit.tokens import TokenCounter

WINDOW = 4096
STILL_DEARER = "At that price sending everything is still cheaper. A cache that saves less would change it."
SOONER = "Summarising is cheaper there, but also at a lower price. Look for the turning point."
NO_SHARE = "A share of the full price is wanted, in per cent: from 0 to 100."


def check_break_even(answer: Any) -> None:
    percent = whole_number(answer)
    if not 0 <= percent <= 100:
        raise Wrong(NO_SHARE)
    if not _summaries_win(percent):
        raise Wrong(STILL_DEARER)
    if percent and _summaries_win(percent - 1):
        raise Wrong(SOONER)


def _summaries_win(percent: int) -> bool:
    example = Pricing.of_an_example()
    pricing = Pricing(example.input, example.input * percent / 100, example.output)
    everything, summaries = (sum(turn.cost(pricing) for turn in course.turns) for course in _courses())
    return summaries < everything


@cache
def _courses() -> tuple[Course, Course]:
    chat = load_sample("dolphins")
    simulation = run(simulate(chat, usual_strategies(WINDOW), WINDOW))
    return simulation["send everything"], simulation["summarise old"]


BREAK_EVEN = Exercise(
    id="09-break-even",
    name="percent",
    starter="""\
percent = ...  # a whole number""",
    check=check_break_even,
    right="below it the cache saves more than summaries do; above it short prompts win.",
    wrong=(
        WrongAnswer("percent = 10", STILL_DEARER),
        WrongAnswer("percent = 100", SOONER),
        WrongAnswer("percent = 600", NO_SHARE),
    ),
    hints=(
        "In the lab: window 4,096, all 41 messages. Watch the column 'of sending all' of `summarise old`.",
        "Move the third slider to the right until that column goes below 100 %.",
        "Near 100 % compare the money, or compute it: `Pricing(2, 2 * percent / 100, 8)` in `simulate`.",
    ),
)

MOVED = (
    "You count messages wherever they stand. A cache holds the beginning of a prompt, so a window that has "
    "moved on finds nothing."
)
IN_COMMON = (
    "A message that comes after a difference is read anew, even if the former prompt had it somewhere. "
    "Stop at the first difference."
)
NOT_TOKENS = "Tokens are wanted, so ask the counter what each message costs."
TOO_SHORT = "One prompt may be shorter than the other. What both begin with still counts."


def check_reused(answer: Any) -> None:
    counter, chat = TokenCounter(), load_sample("dolphins")
    prices = [counter.count(message) for message in chat]
    cases = (
        (chat[:5], chat[:7], sum(prices[:5]), "a prompt that has grown", NOT_TOKENS),
        (chat[:7], chat[2:9], 0, "a window that has moved on", MOVED),
        (
            [*chat[:3], Message.user("?"), chat[4]],
            chat[:5],
            sum(prices[:3]),
            "one message changed",
            IN_COMMON,
        ),
        (chat[:6], chat[:2], sum(prices[:2]), "a prompt that is shorter than the last", TOO_SHORT),
    )
    for before, after, expected, about, slip in cases:
        if whole_number(call(answer, before, after, counter, about=about)) != expected:
            raise Wrong(slip)


REUSED = Exercise(
    id="09-reused",
    name="reused",
    starter="""\
def reused(before, after, counter):
    return ...  # tokens""",
    check=check_reused,
    right="that is `prefix_reuse`, and why one changed message near the front is so dear.",
    wrong=(
        WrongAnswer(
            """\
def reused(before, after, counter):
    return sum(counter.count(message) for message in after if message in before)""",
            MOVED,
        ),
        WrongAnswer(
            """\
def reused(before, after, counter):
    return sum(counter.count(new) for old, new in zip(before, after) if old == new)""",
            IN_COMMON,
        ),
        WrongAnswer(
            """\
def reused(before, after, counter):
    same = 0
    while same < len(before) and before[same] == after[same]:
        same += 1
    return same""",
            NOT_TOKENS,
        ),
        WrongAnswer(
            """\
def reused(before, after, counter):
    tokens = 0
    for old, new in zip(before, after):
        if old != new:
            return tokens
        tokens += counter.count(new)
    return tokens if len(before) <= len(after) else 0""",
            TOO_SHORT,
        ),
    ),
    hints=(
        "Walk through both lists at once, from the front; `zip` stops where the shorter one ends.",
        "At the first pair that differs the cache is of no more use: leave the loop.",
        "Until then add up `counter.count(...)`.",
    ),
)

DROPS_A_TIE = "Two strategies with the same money and the same facts do not beat each other: both stay."
ONLY_BEST = "A dearer strategy stays as well, if it knows more than every cheaper one."
KEEPS_BEATEN = "You keep one that another beats: no dearer, no fewer facts, and better in one of the two."


def check_frontier(answer: Any) -> None:
    def row(name: str, money: float, facts: int) -> dict[str, Any]:
        return {"name": name, "money": money, "facts": facts}

    ladder = [row("a", 1, 3), row("b", 2, 7), row("c", 3, 12)]
    cases = (
        (ladder, "abc", "three strategies, each dearer and better", ONLY_BEST),
        ([*ladder, row("d", 3, 7)], "abc", "one that costs more and knows as much as another", KEEPS_BEATEN),
        ([row("e", 1, 2), *ladder], "abc", "one that costs the same and knows less", KEEPS_BEATEN),
        ([row("a", 2, 5), row("b", 2, 5)], "ab", "two that are equal", DROPS_A_TIE),
    )
    for rows, expected, about, slip in cases:
        names = [text(name) for name in message_list(call(answer, rows, about=about))]
        if names != [*expected]:
            raise Wrong(slip)


FRONTIER = Exercise(
    id="09-frontier",
    name="frontier",
    starter="""\
def frontier(rows):
    return ...  # a list of names""",
    check=check_frontier,
    right="of six strategies few remain, and which of these to take is a question of what you need.",
    wrong=(
        WrongAnswer(
            """\
def frontier(rows):
    most = max(row["facts"] for row in rows)
    return [row["name"] for row in rows if row["facts"] == most]""",
            ONLY_BEST,
        ),
        WrongAnswer(
            """\
def frontier(rows):
    def beaten(row):
        return any(o["money"] < row["money"] and o["facts"] > row["facts"] for o in rows)
    return [row["name"] for row in rows if not beaten(row)]""",
            KEEPS_BEATEN,
        ),
        WrongAnswer(
            """\
def frontier(rows):
    kept = []
    for row in sorted(rows, key=lambda row: (row["money"], -row["facts"])):
        if not kept or row["facts"] > kept[-1]["facts"]:
            kept.append(row)
    return [row["name"] for row in kept]""",
            DROPS_A_TIE,
        ),
    ),
    hints=(
        "Write a small test first: does row `other` beat `row`?",
        "No dearer and no fewer facts: two comparisons with `<=` and `>=`. Equal rows pass both.",
        "So ask a third thing: money or facts must differ. Keep the rows that no other beats.",
    ),
    starred=True,
)

LESSON = Lesson(
    "09",
    exercises=(BREAK_EVEN, REUSED, CHALLENGE, FRONTIER),
    questions=(Question("09-cheapest", choices=("send everything", "keep recent 10", "summarise old")),),
)
