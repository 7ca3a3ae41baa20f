"""Finds exercises, predictions and solutions by their ids."""

from __future__ import annotations

from importlib import import_module

from ctxkit.exercises.feedback import shown
from ctxkit.exercises.model import Exercise, Lesson, Question, Solution

LESSONS = ("00", "01", "02", "03", "04", "05", "06", "07", "08", "09")


class UnknownExercise(KeyError):
    """No exercise, prediction or lesson has this id; the text lists ids that are close."""

    def __str__(self) -> str:  # a KeyError shows its text in quotes
        return str(self.args[0])


def lesson(number: str) -> Lesson:
    """The exercises of a lesson: `lesson("03")`. Raises UnknownExercise for a number that has none."""
    if not isinstance(number, str) or number not in LESSONS:
        have = ", ".join(LESSONS)
        raise UnknownExercise(f"There is no lesson {shown(number)}. Lessons with exercises: {have}")
    return import_module(f"ctxkit.exercises.lesson_{number}").LESSON


def exercises() -> dict[str, Exercise]:
    """All exercises by id, in reading order."""
    return {exercise.id: exercise for number in LESSONS for exercise in lesson(number).exercises}


def questions() -> dict[str, Question]:
    """All predictions by id, in reading order."""
    return {question.id: question for number in LESSONS for question in lesson(number).questions}


def find_exercise(exercise_id: str) -> Exercise:
    """The exercise with this id. Raises UnknownExercise naming the nearest ids."""
    known = exercises()
    if not isinstance(exercise_id, str) or exercise_id not in known:
        raise UnknownExercise(_unknown("exercise", exercise_id, list(known)))
    return known[exercise_id]


def find_question(question_id: str) -> Question:
    """The prediction with this id. Raises UnknownExercise naming the nearest ids."""
    known = questions()
    if not isinstance(question_id, str) or question_id not in known:
        raise UnknownExercise(_unknown("prediction", question_id, list(known)))
    return known[question_id]


def find_solution(exercise_id: str) -> Solution:
    """The solution of the exercise with this id. Raises UnknownExercise naming the nearest ids."""
    number = find_exercise(exercise_id).id[:2]
    return import_module(f"ctxkit.exercises.solutions.lesson_{number}").SOLUTIONS[exercise_id]


def _unknown(kind: str, wanted: object, known: list[str]) -> str:
    from difflib import get_close_matches

    text = wanted[:60] if isinstance(wanted, str) else ""
    near = get_close_matches(text, known, n=3, cutoff=0.5)
    near = near or [one for one in known if one[:2] == text[:2]] or [*known[:8], "..."]
    return f"No {kind} is called {shown(wanted)}. Close to it: {', '.join(near)}"
