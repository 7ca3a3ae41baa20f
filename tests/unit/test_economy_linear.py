"""`simulate` is linear: Python's work for a message is counted, and does not grow with the conversation.

What is counted are the steps of Python's machine in the kit's own files, so that a loop over all messages at
each call shows, and a slice at C's speed does not. Time is measured by `benchmarks/simulating.py`.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

import ctxkit
from ctxkit import (
    ClearToolResults,
    Fact,
    KeepRecentMessages,
    KeepWithinTokens,
    Message,
    OllamaTruncation,
    Pipeline,
    Quiz,
    Strategy,
    SummarizeOldMessages,
    SummarizeToolResults,
    run,
    simulate,
)
from ctxkit.economy import send_everything, usual_strategies
from ctxkit.replay import call_points, replay
from ctxkit.transforms.base import Decision, MessageTransform, Outcome
from ctxkit.transforms.handover import Prefix
from ctxkit.transforms.timeline import Timeline
from tests.fakes import FakeModel
from tests.histories import A, C, S, T, U
from tests.property.contract import CountingCounter

SHORT, LONG, WINDOW = 200, 800, 300
KIT = str(Path(ctxkit.__file__).parent)
FACTS = [Fact(f"How many hens {i}?", ["12"], [35 * i + 1]) for i in range(5)]


def talk(length):
    messages = [S()]
    for number in range(1_000, 1_000 + length):
        messages.append(U(f"question {number} about the tide and the harbour"))
        if number % 4 == 0:
            messages += [C(f"call {number}"), T(f"call {number}", f"line of log {number}\n" * 50)]
        messages.append(A(f"answer {number}: the moon pulls the water"))
    return messages[:length]


def broken(length):
    """A talk that begins with a result of no call, and an early call of which was given up."""
    orphan, given_up = T("cut off", "line of log 999"), C("given up")
    messages = talk(length - 2)
    return [messages[0], orphan, *messages[1:6], given_up, *messages[6:]]


def unanswered(length):
    """A talk in which every second answer is a call that stays without a result."""
    messages = talk(length)
    answers = [i for i, m in enumerate(messages) if m.role == "assistant" and not m.tool_calls]
    for i in answers[::2]:
        messages[i] = C(f"given up {i}")
    return messages


def steps(work):
    """Steps of Python's machine in the kit that a piece of work takes."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if event == "call":
            if not frame.f_code.co_filename.startswith(KIT):
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        asyncio.run(work)
    finally:
        sys.settrace(before)
    return count


def a_message(length, strategy, made=talk, **options):
    messages = made(length)
    counter = CountingCounter()
    one = strategy.asking(FakeModel("They spoke."), counter)
    return steps(simulate(messages, [one], 10**9, counter=counter, **options)) / length


MODEL = FakeModel()
STRATEGIES = [
    *usual_strategies(WINDOW, talk(20)),
    Strategy("large budget", [KeepWithinTokens(10**6)]),
    Strategy("fold by tokens", [SummarizeOldMessages(MODEL, 10_000, 5, max_tokens=WINDOW)]),
    Strategy("never fold", [SummarizeOldMessages(MODEL, 10_000, 5)]),
    Strategy("change and choose", [ClearToolResults(3), KeepRecentMessages(20), KeepWithinTokens(WINDOW)]),
    Strategy(
        "change, change, fold",
        [SummarizeToolResults(MODEL, 60, min_age=2), ClearToolResults(4), KeepRecentMessages(12)],
    ),
    Strategy("fold and change", [SummarizeOldMessages(MODEL), ClearToolResults(1), KeepWithinTokens(WINDOW)]),
]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)


@every_strategy
def test_a_message_costs_the_same_work_in_a_long_conversation(strategy):
    assert a_message(LONG, strategy) <= 1.15 * a_message(SHORT, strategy)


@every_strategy
def test_so_it_does_with_a_quiz(strategy):
    quiz = {"quiz": Quiz(FACTS), "reader": FakeModel("12")}
    assert a_message(LONG, strategy, **quiz) <= 1.15 * a_message(SHORT, strategy, **quiz)


@every_strategy
@pytest.mark.parametrize("quiz", [{}, {"quiz": Quiz(FACTS), "reader": FakeModel("12")}], ids=["", "a quiz"])
def test_so_it_does_where_the_history_is_broken_for_good(strategy, quiz):
    assert a_message(LONG, strategy, broken, **quiz) <= 1.15 * a_message(SHORT, strategy, broken, **quiz)


@every_strategy
def test_so_it_does_where_many_calls_have_no_result(strategy):
    assert a_message(LONG, strategy, unanswered) <= 1.15 * a_message(SHORT, strategy, unanswered)


def test_each_text_is_tokenised_once_however_many_stages_count_it():
    messages, counter = talk(LONG), CountingCounter()
    strategy = Strategy(
        "three", [ClearToolResults(3), KeepWithinTokens(WINDOW), OllamaTruncation(WINDOW * 2)]
    )
    asyncio.run(simulate(messages, [strategy, send_everything()], 10**9, counter=counter))
    own = [message.content for message in messages if message.content]
    assert sum(counter.asked.count(text) for text in set(own)) == len(set(own))


def test_a_long_replay_keeps_no_copy_of_its_prompts():
    """What is sent whole, or with some messages changed, is kept once, and not once for each call."""
    messages, counter = talk(LONG), CountingCounter()
    strategy = Strategy("change", [ClearToolResults(2)])
    course = asyncio.run(simulate(messages, [strategy], 10**9, counter=counter)).courses[0]
    held = references(course.turns)
    assert held <= 30 * len(messages)
    first = course.turns[0].made
    assert first.messages == messages[: course.turns[0].upto]


def references(turns):
    """How often the turns' prompts refer to a message, as they are kept."""
    found, seen, todo = 0, set(), [turn.made.sent for turn in turns]
    while todo:
        one = todo.pop()
        if id(one) in seen or not isinstance(one, (Prefix, Timeline, list, tuple)):
            continue
        seen.add(id(one))
        if isinstance(one, (list, tuple)):
            found += sum(isinstance(item, Message) for item in one)
            todo += one
        else:
            todo += [one.timeline] if isinstance(one, Prefix) else vars(one).values()
    return found


class OneOfMyOwn(MessageTransform):
    """A transform as a user writes one: it takes and gives lists, and knows nothing of prefixes."""

    def __init__(self):
        self.given = []

    async def apply(self, messages, *, tools=()):
        return self.preview(messages, tools=tools)

    def preview(self, messages, *, tools=()):
        self.given.append(type(messages))
        kept = messages[:1] + messages[-3:] if len(messages) > 4 else messages.copy()
        places = [next(i for i, m in enumerate(messages) if m is one) for one in kept]
        return Outcome(kept, places, lambda: [Decision(i, "kept", "mine", 0) for i in range(len(messages))])


def test_a_transform_of_a_users_own_is_given_lists_in_every_place():
    messages = talk(40)
    for stages in (
        [OneOfMyOwn()],
        [ClearToolResults(1), OneOfMyOwn()],
        [OneOfMyOwn(), KeepWithinTokens(10**6)],
    ):
        mine = next(stage for stage in stages if isinstance(stage, OneOfMyOwn))
        outcomes = run(replay(Pipeline(stages), messages))
        assert all(issubclass(kind, list) for kind in mine.given) and len(mine.given) == len(outcomes)
        assert outcomes[-1].messages[0] is messages[0]
    alone = OneOfMyOwn()
    assert [o.messages for o in run(replay(alone, messages))] == [
        run(OneOfMyOwn().apply(messages[:end])).messages for end in call_points(messages)
    ]
    assert all(issubclass(kind, list) for kind in alone.given)
