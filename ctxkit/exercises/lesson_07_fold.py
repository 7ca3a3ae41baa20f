"""The starred exercise of lesson 7: a fold that loses nothing, whatever the summariser does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ctxkit.exercises.feedback import kind, shown
from ctxkit.exercises.model import Exercise, Todo, Wrong, WrongAnswer
from ctxkit.exercises.probe import call


def parts(answer: Any, names: tuple[str, ...]) -> list[Any]:
    """Read the values of a `return a, b`; a tuple of turns is as good as a list."""
    if not isinstance(answer, (list, tuple)):
        raise Wrong(f"Give back {' and '.join(names)}; {shown(answer)} is {kind(answer)}.")
    if len(answer) != len(names):
        raise Wrong(f"Give back {len(names)} values: {', '.join(names)}. Yours has {len(answer)}.")
    if any(part is ... for part in answer):
        raise Todo
    return [list(part) if isinstance(part, tuple) else part for part in answer]


RAISES = "The summariser failed, and so did your function. Give back the summary and the turns as they were."
BLANK = "The summariser answered with blanks. That is no summary: give back what you had."
FORMER = "The former summary must be told to the summariser, or each fold forgets what the last one knew."
NOTHING = "Where all turns fit into the window there is nothing to fold. Don't ask the summariser then."
ONE_KIND = (
    "The summariser failed in another way, and so did your function. Whatever it raises, keep what you had."
)
WINDOW_ZERO = "With a window of no turns all of them must go. `turns[:-0]` is `turns[:0]`, and that is none."
GONE = "The summariser failed, and turns are gone. Let go of them only when their summary is there."
FOLDED = "After a good answer the new summary and the newest `window_size` turns are wanted, in order."


def check_fold(answer: Any) -> None:
    talk = [{"user": f"question {i}", "assistant": f"answer {i}"} for i in range(5)]
    asked: list[tuple[Any, Any]] = []

    def good(summary: Any, turns: Any) -> str:
        asked.append((summary, list(turns)))
        return "New notes."

    def raising(error: Exception) -> Callable[[Any, Any], str]:
        def failing(summary: Any, turns: Any) -> str:
            raise error

        return failing

    if _folded(answer, talk, 2, good, "a good summariser") != ("New notes.", talk[3:]):
        raise Wrong(FOLDED)
    if not asked or asked[0][0] != "Notes.":
        raise Wrong(FORMER)
    if asked != [("Notes.", talk[:3])]:
        raise Wrong(FOLDED)
    if _folded(answer, talk, 0, good, "a window of no turns") != ("New notes.", []):
        raise Wrong(WINDOW_ZERO)
    asked.clear()
    if _folded(answer, talk, 9, good, "few turns and a large window") != ("Notes.", talk) or asked:
        raise Wrong(NOTHING)
    for blank, about in ((" \n", "a summariser that gives blanks"), ("", "a summariser that gives no text")):
        if _folded(answer, talk, 2, lambda *_, text=blank: text, about) != ("Notes.", talk):
            raise Wrong(BLANK)
    for error, fault in ((ConnectionError("no answer"), RAISES), (RuntimeError("out of memory"), ONE_KIND)):
        try:
            result = _folded(answer, talk, 2, raising(error), "a summariser that raises")
        except Wrong as wrong:
            raise Wrong(fault) if type(error).__name__ in str(wrong) else wrong from None
        if result != ("Notes.", talk):
            raise Wrong(GONE)


def _folded(
    answer: Any, talk: list[Any], window: int, summarise: Callable[[Any, Any], str], about: str
) -> tuple[Any, Any]:
    given = call(answer, "Notes.", talk, window, summarise, about=about)
    summary, turns = parts(given, ("the summary", "the turns"))
    return summary, turns


FOLD = Exercise(
    id="07-fold",
    name="fold",
    starter="""\
def fold(summary, turns, window_size, summarise):
    return ..., ...  # the summary, the turns that stay""",
    check=check_fold,
    right="whatever the summariser does, every turn is in one of the two.",
    wrong=(
        WrongAnswer(
            """\
def fold(summary, turns, window_size, summarise):
    cut = max(0, len(turns) - window_size)
    if not cut:
        return summary, turns
    new = summarise(summary, turns[:cut])
    return (new, turns[cut:]) if new.strip() else (summary, turns)""",
            RAISES,
        ),
        WrongAnswer(
            """\
def fold(summary, turns, window_size, summarise):
    cut = max(0, len(turns) - window_size)
    return (summarise(summary, turns[:cut]), turns[cut:]) if cut else (summary, turns)""",
            BLANK,
        ),
        WrongAnswer(
            """\
def fold(summary, turns, window_size, summarise):
    cut = max(0, len(turns) - window_size)
    try:
        new = summarise(summary, turns[:cut]) if cut else ""
    except ConnectionError:
        return summary, turns
    return (new, turns[cut:]) if new.strip() else (summary, turns)""",
            ONE_KIND,
        ),
        WrongAnswer(
            """\
def fold(summary, turns, window_size, summarise):
    try:
        new = summarise(summary, turns[:-window_size])
    except Exception:
        return summary, turns
    return (new, turns[-window_size:]) if new.strip() else (summary, turns)""",
            WINDOW_ZERO,
        ),
        WrongAnswer(
            """\
def fold(summary, turns, window_size, summarise):
    cut = max(0, len(turns) - window_size)
    return summarise("", turns[:cut]), turns[cut:]""",
            FORMER,
        ),
        WrongAnswer(
            """\
def fold(summary, turns, window_size, summarise):
    cut = max(0, len(turns) - window_size)
    try:
        new = summarise(summary, turns[:cut]) if cut else ""
    except Exception:
        return summary, turns[cut:]
    return (new, turns[cut:]) if new.strip() else (summary, turns)""",
            GONE,
        ),
    ),
    hints=(
        "Find the cut first, and ask the summariser only if anything stands before it.",
        "Put the call of the summariser into `try`; whatever goes wrong, give back what came in.",
        "`text.strip()` is empty for blanks. Test it before you let go of any turn.",
    ),
    starred=True,
)
