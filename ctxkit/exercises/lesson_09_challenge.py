"""The budget challenge of lesson 9: 10 of 12 facts for under 40 % of what sending everything costs."""

from __future__ import annotations

from functools import cache
from typing import Any

from ctxkit._sync import run
from ctxkit.economy import Course, Pricing, Strategy, send_everything, simulate
from ctxkit.exercises.feedback import error_line, kind, shown
from ctxkit.exercises.model import Exercise, Todo, Wrong, WrongAnswer
from ctxkit.models.offline import OfflineModel
from ctxkit.samples import load_sample
from ctxkit.samples.quizzes import load_quiz
from ctxkit.tokens import shared_counter
from ctxkit.transforms import MessageTransform

FACTS, SHARE, WINDOW = 10, 0.40, 4096
PRICES = Pricing(input=2)
"""Of prompts, those of summaries included: replies cost the same under every strategy. No cache."""

NOT_STAGES = "A list of transforms is wanted, such as [KeepRecentMessages(10)]."
NOTHING_SENT = "Some call can't be made: what must be sent doesn't fit the budget of one of your stages."
SENDS_ALL = "An empty list leaves nothing out: that is sending everything."
BOTH = "Too dear, and more than two facts are lost. Where do most of the night's tokens stand?"
TOO_DEAR = "Enough facts, but too dear. What is still sent again and again at its full length?"
CLOSE_MONEY = "Enough facts, and nearly cheap enough: one turn further at the same screw."
TOO_FEW = "Cheap enough, but more than three facts are lost. What is thrown away could be shortened."
CLOSE_FACTS = "Cheap enough, and one fact short. Loosen something a little."


def check_stages(answer: Any) -> None:
    course = _course(_strategy(answer))
    share, facts = _money(course) / _everything(), course.turns[-1].facts
    if course.refused:
        raise Wrong(NOTHING_SENT)
    if facts >= FACTS and share >= SHARE:
        raise Wrong(CLOSE_MONEY if share < SHARE + 0.05 else TOO_DEAR)
    if facts < FACTS:
        raise Wrong(BOTH if share >= SHARE else CLOSE_FACTS if facts == FACTS - 1 else TOO_FEW)


def _strategy(answer: Any) -> Strategy:
    """Read a list of transforms, or a `Strategy`; its stages ask the offline reader, whatever their model."""
    if isinstance(answer, Strategy):
        answer = [*answer.transforms]
    if isinstance(answer, MessageTransform):
        answer = [answer]
    if not isinstance(answer, (list, tuple)):
        raise Wrong(f"{NOT_STAGES} {shown(answer)} is {kind(answer)}.")
    if any(stage is ... for stage in answer):
        raise Todo
    if not answer:
        raise Wrong(SENDS_ALL)
    for stage in answer:
        if not isinstance(stage, MessageTransform):
            raise Wrong(f"{NOT_STAGES} {shown(stage)} is {kind(stage)}.")
    try:
        return Strategy("yours", answer).asking(OfflineModel(), shared_counter())
    except (TypeError, ValueError) as error:
        raise Wrong(f"Your stages can't be made anew for a run: {error_line(error)}") from None


def _course(strategy: Strategy) -> Course:
    quiz = load_quiz("night_watch")
    [course] = run(simulate(load_sample("night_watch"), [strategy], WINDOW, PRICES, quiz)).courses
    return course


@cache
def _everything() -> float:
    return _money(_course(send_everything()))


def _money(course: Course) -> float:
    return sum(turn.cost(PRICES) for turn in course.turns)


CHALLENGE = Exercise(
    id="09-challenge",
    name="stages",
    starter="""\
stages = [...]  # transforms, in the order in which they work""",
    check=check_stages,
    right=(
        "the tool results were the bulk, and most of what they tell is said in a few of their lines. "
        "Which two facts did you lose, and would you miss them?"
    ),
    wrong=(
        WrongAnswer("stages = []", SENDS_ALL),
        WrongAnswer("stages = [KeepRecentMessages(10)]", BOTH),
        WrongAnswer("stages = [ClearToolResults(keep=0)]", TOO_FEW),
        WrongAnswer("stages = [SummarizeOldMessages(model)]", TOO_DEAR),
        WrongAnswer("stages = [SummarizeToolResults(model, max_tokens=60)]", CLOSE_MONEY),
        WrongAnswer("stages = [SummarizeToolResults(model, max_tokens=20)]", CLOSE_FACTS),
        WrongAnswer("stages = [KeepWithinTokens(20)]", NOTHING_SENT),
    ),
    hints=(
        "Print role and `TokenCounter().count(message)` of each message of the night: which are long?",
        "Those are the results of tools. There is a transform that drops them, and one that shortens them.",
        "`SummarizeToolResults(model, max_tokens=...)` alone can do it. Try 100, then less.",
    ),
)
