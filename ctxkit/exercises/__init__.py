"""Exercises of the lessons: check an answer, ask for a hint, see a solution, keep a prediction.

Read in this order: `model` (what an exercise is: data), `feedback` (what a learner sees), `probe` (how a
check runs a learner's code), `answers` (the file that remembers), `lesson_00` and on (the exercises
themselves; their solutions stand apart in `solutions/`), `catalog` (finds them by id), `desk` (the five
functions below).

Nothing is ever evaluated from text, and no check needs a network or a model.
"""

from ctxkit.exercises.desk import check_answer, hint, predict, progress, solution

__all__ = ["check_answer", "hint", "predict", "progress", "solution"]
