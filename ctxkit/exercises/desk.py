"""The five functions that a lesson calls: `check_answer`, `hint`, `solution`, `predict`, `progress`.

Contract: an unknown id raises `UnknownExercise` (a KeyError) that lists the nearest ids; anything a learner
answers ends in one line of text, never in a traceback. Answers and predictions are kept by `answers`; hints
start again with the kernel.
"""

from __future__ import annotations

import contextlib
import inspect
import numbers
from typing import Any

from ctxkit.exercises import catalog
from ctxkit.exercises.answers import change_answers, read_answers
from ctxkit.exercises.feedback import LABELS, CheckResult, Note, Status, kind, one_line, shown
from ctxkit.exercises.model import Exercise, Question, Todo, Wrong

NO_PREDICTION = (
    "No prediction yet: put yours in place of the dots and run this cell again. It is kept, never graded."
)

_hints_given: dict[str, int] = {}


def check_answer(exercise_id: str, answer: Any) -> CheckResult:
    """Judge an answer: `.status` is "todo", "wrong" or "right", `.message` one sentence.

    answer: what the exercise asks for, a value or a function; `...` or None means that there is none yet.
    Raises UnknownExercise when no exercise has this id.

    >>> check_answer("00-author", ...)
    ○ To do: put your answer in place of the dots, then run this cell again.
    """
    exercise = catalog.find_exercise(exercise_id)
    status, message = _judge(exercise, answer)
    if status != "todo":
        _keep_answer(exercise.id, status, answer)
    return CheckResult(status, message)


def hint(exercise_id: str, level: int | None = None) -> Note:
    """Give the next hint of an exercise, or the one at `level` (1 is the gentlest).

    Raises UnknownExercise when no exercise has this id, ValueError when it has no such level.

    >>> hint("00-author", 1)
    Hint 1 of 2: Every message says who wrote it: `chat[1].role`.
    """
    exercise = catalog.find_exercise(exercise_id)
    count = len(exercise.hints)
    if level is None:
        level = min(_hints_given.get(exercise.id, 0) + 1, count)
    if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= count:
        raise ValueError(f"level: this exercise has hints 1 to {count}, got {shown(level)}")
    _hints_given[exercise.id] = level
    end = f" This was the last one; solution({exercise.id!r}) shows a way." if level == count else ""
    return Note(f"Hint {level} of {count}: {exercise.hints[level - 1]}{end}")


def solution(exercise_id: str) -> Note:
    """Show one accepted answer and why it works. Raises UnknownExercise when no exercise has this id."""
    found = catalog.find_solution(exercise_id)
    return Note(f"{found.code}\n\nWhy: {found.why}")


def predict(question_id: str, guess: Any) -> Note:
    """Keep a prediction, a number or one of the question's choices. It is never graded.

    guess: `...` or None means that there is none yet. Raises UnknownExercise when no question has this id.

    >>> predict("00-sponge", None)
    No prediction yet: put yours in place of the dots and run this cell again. It is kept, never graded.
    """
    from ctxkit.exercises.probe import guarded  # late: it watches over learners' code

    question = catalog.find_question(question_id)
    if guess is None or guess is ...:
        return Note(NO_PREDICTION)
    try:
        value = guarded(lambda: _guess(question, guess))
    except Wrong as problem:
        return Note(f"Nothing kept: {problem}")
    saved = change_answers(lambda answers: answers["predictions"].update({question.id: {"guess": value}}))
    place = "It is kept in your answers file" if saved else "It is kept until the kernel restarts"
    return Note(f"You predict {value}. {place}, and never graded. Now go on.")


def progress(lesson: str) -> Note:
    """Tell how far a lesson is: `progress("03")`.

    Raises UnknownExercise for a number that has no exercises.
    """
    found = catalog.lesson(lesson)
    answers = read_answers()
    kept = answers["exercises"]
    states: list[Status] = [_status(kept.get(exercise.id, {})) for exercise in found.exercises]
    lines = [f"Lesson {found.number}: {states.count('right')} of {len(states)} exercises right"]
    for exercise, state in zip(found.exercises, states, strict=True):
        lines.append(f"  {LABELS[state]}: {exercise.id}{' (starred)' * exercise.starred}")
    for question in found.questions:
        guess = answers["predictions"].get(question.id, {}).get("guess", "none yet")
        lines.append(f"  Prediction {question.id}: {one_line(str(guess))}")
    return Note("\n".join(lines))


def _judge(exercise: Exercise, answer: Any) -> tuple[Status, str]:
    from ctxkit.exercises.probe import guarded  # late: it watches over learners' code

    if answer is None or answer is ...:
        return "todo", "put your answer in place of the dots, then run this cell again."
    try:
        guarded(lambda: exercise.check(answer))
    except Todo:
        return "todo", "put your code in place of the dots, then run this cell again."
    except Wrong as problem:
        return "wrong", str(problem)
    return "right", exercise.right


def _status(entry: dict[str, Any]) -> Status:
    kept = entry.get("status")
    return "right" if kept == "right" else "wrong" if kept == "wrong" else "todo"


def _keep_answer(exercise_id: str, status: Status, answer: Any) -> None:
    from ctxkit.exercises.probe import guarded  # late: it watches over learners' code

    try:
        stored = guarded(lambda: _storable(answer))
    except (Wrong, Todo):
        stored = kind(answer)

    def change(answers: dict[str, Any]) -> None:
        entry = answers["exercises"].setdefault(exercise_id, {})
        if entry.get("status") == "right" and status != "right":
            return  # once solved stays solved, whatever is tried afterwards
        entry.update(status=status, answer=stored)

    change_answers(change)


def _storable(answer: Any) -> Any:
    """The answer as JSON can hold it: a function as its source, kept to be read and never run."""
    if isinstance(answer, int) and abs(answer) < 10**15:
        return answer if isinstance(answer, bool) else int(answer)
    if isinstance(answer, str):
        return str.__getitem__(answer, slice(10_000))
    if inspect.isfunction(answer):
        with contextlib.suppress(Exception):  # one that was not typed in anywhere, or that can't be read
            return inspect.getsource(answer)[:10_000]
    return shown(answer, limit=1_000)


def _guess(question: Question, guess: Any) -> int | float | str:
    if question.choices:
        for choice in question.choices if isinstance(guess, str) else ():
            if guess == choice:
                return choice
        raise Wrong(f"choose one of {', '.join(repr(choice) for choice in question.choices)}.")
    number = _number(guess)
    if number is None or not abs(number) < 10**15:
        raise Wrong(f"a number is wanted here, such as 7, and {shown(guess)} is none.")
    return int(number) if number.is_integer() else number


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        return float(value)
    except Exception:  # too large, or of a class whose own methods fail
        return None
