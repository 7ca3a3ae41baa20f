"""`simulate`: a conversation replayed turn by turn under each strategy.

Contract: every strategy is replayed from the first message with fresh transforms, so that one setting always
gives the same figures. The conversation's own replies are taken as they are: a strategy changes what is sent,
not what was said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ctxkit._arguments import counter_or_none, instance_or_none
from ctxkit.economy.pricing import Pricing
from ctxkit.economy.running import Running
from ctxkit.economy.simulation import Course, Simulation, Turn
from ctxkit.economy.strategy import Strategy, strategies_of
from ctxkit.messages import load_messages
from ctxkit.recall import Quiz, Reader, Recall
from ctxkit.replay import Ledger, call_points
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.window import ContextWindow


async def simulate(
    messages: Iterable[Any],
    strategies: Sequence[Strategy],
    window: ContextWindow | int,
    pricing: Pricing | None = None,
    quiz: Quiz | None = None,
    *,
    reader: Reader | None = None,
    tools: Sequence[Any] = (),
    counter: TokenCounter | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """What a conversation costs under each strategy, and what the model still knows, call by call.

    messages: the conversation. strategies: with different names. window: what a prompt and its reserve must
    fit into, or its limit in tokens. pricing: default None, no money. quiz: facts that are asked for at each
    call (default None). reader: who is asked, default `OfflineModel`. One that gives probabilities, such as
    `EmbeddedModel`, is measured at each call for the facts that have a sentence; the others are then None,
    and `Turn.probabilities` holds what was found. tools: schemas that every call carries. counter: default
    the window's, else a shared cl100k_base counter. progress: called with the calls done and the calls in
    all. Raises TypeError or ValueError for other values, a fact beyond the end or a reader that no fact suits
    among them, and what the reader raises, such as WindowExceeded where a prompt is too long for it.

    >>> from ctxkit import KeepRecentMessages, load_sample, run
    >>> few = Strategy("the last four", [KeepRecentMessages(4)])
    >>> both = run(simulate(load_sample("dolphins"), [Strategy("everything"), few], window=4_096))
    >>> [(course.strategy, course.prompt, f"{course.reuse:.0%}") for course in both.courses]
    [('everything', 28589, '90%'), ('the last four', 5362, '0%')]
    """
    history = load_messages(messages)
    window = window if isinstance(window, ContextWindow) else ContextWindow(window)
    own: TokenCounter | None = counter_or_none(counter)
    counts = own or window.counter or shared_counter()
    strategies = strategies_of(strategies)
    instance_or_none("pricing", pricing, Pricing)
    quiz = instance_or_none("quiz", quiz, Quiz)
    if quiz is not None:
        quiz.fits(len(history))
    ledger, points = Ledger(history, counts, tools), call_points(history)
    courses: list[Course] = []
    for strategy in strategies:
        recall = Recall(quiz, reader) if quiz is not None else None
        running = Running(strategy, ledger, points, window, pricing, recall, tools)
        turns: list[Turn] = []
        for place in range(len(points)):
            turns.append(await running.turn(place))
            if progress is not None:
                progress(len(courses) * len(points) + len(turns), len(strategies) * len(points))
        courses.append(Course(strategy.name, turns))
    return Simulation(courses, window, pricing)
