"""Solutions of lesson 7."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "07-calls": Solution(
        code="""\
calls = 1 + (200 - 50) // (50 - 20)""",
        why="one fold at turn 50, then one for every 30 turns: at 80, 110, 140, 170 and 200.",
    ),
    "07-pending": Solution(
        code="""\
pending = 10 + (45 - 30) - 10""",
        why="the fold at turn 30 leaves 10 turns, 15 more come, and the newest 10 of these are recent.",
    ),
    "07-split": Solution(
        code="""\
def split_turns(turns, window_size, summary_threshold):
    cut = len(turns) - window_size if len(turns) >= summary_threshold else 0
    return turns[:cut], turns[cut:]""",
        why="a cut counted from the front has no special case: 0 folds nothing, all turns fold all.",
    ),
    "07-fold": Solution(
        code="""\
def fold(summary, turns, window_size, summarise):
    cut = max(0, len(turns) - window_size)
    try:
        made = summarise(summary, turns[:cut]).strip() if cut else ""
    except Exception:
        made = ""
    return (made, turns[cut:]) if made else (summary, turns)""",
        why="turns leave in the same step in which their summary arrives, and in no other.",
    ),
}
