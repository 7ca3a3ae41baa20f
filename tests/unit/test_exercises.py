"""Every exercise in its three states, as a learner meets them, and what feedback keeps to itself."""

from __future__ import annotations

import ast
import asyncio
import re
from typing import Any

import pytest

from ctxkit.exercises import catalog, check_answer, hint, predict, progress, solution
from ctxkit.exercises.answers import read_answers
from ctxkit.exercises.model import Exercise
from ctxkit.lessons import find_lesson

EXERCISES = list(catalog.exercises().values())
WRONG = [(exercise, wrong) for exercise in EXERCISES for wrong in exercise.wrong]


@pytest.fixture(autouse=True)
def answers_file(tmp_path, monkeypatch):
    monkeypatch.setenv("CTXKIT_ANSWERS", str(tmp_path / "answers.json"))


def run_cell(code: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does: `await` works at top level, the value of the last line is the result."""
    *before, last = ast.parse(code).body
    assert isinstance(last, ast.Expr)
    for kind, body in (("exec", ast.Module(before, [])), ("eval", ast.Expression(last.value))):
        result = eval(compile(body, "cell", kind, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if asyncio.iscoroutine(result):
            result = asyncio.run(result)
    return result


def cells(exercise: Exercise) -> list[str]:
    """The code cells of the exercise's notebook."""
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(find_lesson(exercise.id[:2]).path, as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def run_in_lesson(exercise: Exercise, code: str) -> Any:
    """Run `code` in the exercise's cell, after the first cell of its notebook and nothing else."""
    names: dict[str, Any] = {}
    exec(cells(exercise)[0], names)
    return run_cell(exercise.cell(code), names)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_starter_is_to_do_and_nothing_is_kept(exercise):
    assert run_in_lesson(exercise, exercise.starter).status == "todo"
    assert read_answers()["exercises"] == {}


@pytest.mark.parametrize("exercise, wrong", WRONG, ids=lambda x: x.id if isinstance(x, Exercise) else "")
def test_wrong_answer_gets_its_own_message(exercise, wrong):
    result = run_in_lesson(exercise, wrong.code)
    assert (result.status, result.message) == ("wrong", wrong.message)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_solution_is_right(exercise):
    result = run_in_lesson(exercise, catalog.find_solution(exercise.id).code)
    assert (result.status, result.message) == ("right", exercise.right)
    assert read_answers()["exercises"][exercise.id]["status"] == "right"


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_starter_stands_in_the_notebook_and_the_solution_does_not(exercise):
    sources = cells(exercise)
    assert exercise.cell(exercise.starter) in sources
    new = set(catalog.find_solution(exercise.id).code.splitlines()) - set(exercise.starter.splitlines())
    new = {line.strip() for line in new if len(line.strip()) > 12}
    assert not [source for source in sources for line in new if line in source]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_no_feedback_shows_the_expected_value(exercise):
    names: dict[str, Any] = {}
    exec(cells(exercise)[0], names)
    run_cell(exercise.cell(catalog.find_solution(exercise.id).code), names)
    expected = names[exercise.name]
    feedback = [wrong.message for wrong in exercise.wrong] + list(exercise.hints)
    if isinstance(expected, (int, str)):
        spellings = {str(expected), f"{expected:,}" if isinstance(expected, int) else expected}
        pattern = "|".join(rf"(?<!\w){re.escape(spelling)}(?!\w)" for spelling in spellings)
        assert not [text for text in feedback if re.search(pattern, text)]
    else:
        code = catalog.find_solution(exercise.id).code
        lines = [line.strip() for line in code.splitlines() if line not in exercise.starter]
        assert not [text for text in feedback for line in lines if len(line) > 30 and line in text]


def test_each_lesson_asks_for_a_value_and_for_code_and_has_one_star():
    for number in catalog.LESSONS:
        exercises = catalog.lesson(number).exercises
        assert len(exercises) >= 3
        assert [exercise.starred for exercise in exercises].count(True) == 1
        kinds = {"def" if exercise.starter.startswith("def") else "value" for exercise in exercises}
        assert kinds == {"def", "value"}


def test_each_exercise_has_two_or_three_hints_and_a_slip_that_it_knows():
    for exercise in EXERCISES:
        assert 2 <= len(exercise.hints) <= 3
        assert len({wrong.message for wrong in exercise.wrong}) == len(exercise.wrong) >= 1
        assert set(catalog.LESSONS) >= {exercise.id[:2]}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
@pytest.mark.parametrize(
    "answer",
    ["forty", 3.5, True, [], {}, object(), len, print, b"x", float("nan"), -(10**30), "<b>x</b>", [None]],
)
def test_an_answer_of_the_wrong_type_is_wrong_and_not_a_traceback(exercise, answer):
    result = check_answer(exercise.id, answer)
    assert result.status == "wrong"
    assert "\n" not in repr(result)


def test_an_answer_whose_own_methods_fail_is_wrong():
    class Broken:
        def __eq__(self, other):
            raise ZeroDivisionError("never")

        def __repr__(self):
            raise ZeroDivisionError("never")

    for exercise in EXERCISES:
        assert check_answer(exercise.id, Broken()).status == "wrong"


def recursing(messages, start):
    return recursing(messages, start)


def circling(messages, start):
    while True:
        try:
            start = -start
        except Exception:
            start = 0


def leaving(messages, start):
    raise SystemExit


def dividing(messages, start):
    return start / 0


def changing(messages, start):
    messages.clear()
    return 0


async def waiting(messages, start):
    return start


def forgetting(messages, start):
    start = start + 1


def printing(messages, start):
    raise ValueError("two\nlines " + "x" * 10_000)


@pytest.mark.parametrize(
    "function, words",
    [
        (recursing, "calling itself"),
        (circling, "never came to an end"),
        (leaving, "SystemExit"),
        (dividing, "ZeroDivisionError: "),
        (changing, "changed the list"),
        (waiting, "async def"),
        (forgetting, "return"),
        (printing, "ValueError: two lines"),
        (lambda messages: 0, "2 arguments"),
        (3, "without brackets"),
    ],
)
def test_whatever_a_function_does_ends_in_a_sentence(function, words):
    result = check_answer("03-safe-start", function)
    assert result.status == "wrong"
    assert words in result.message
    assert len(result.message) < 300


def test_a_stop_by_the_learner_stops_the_check():
    def stopped(messages, start):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_answer("03-safe-start", stopped)


def test_a_check_leaves_the_debugger_as_it_was():
    import sys

    def trace(frame, event, argument):
        return None

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        check_answer("03-safe-start", circling)
        left = sys.gettrace()
    finally:
        sys.settrace(former)
    assert left is trace


def test_results_read_as_one_line_with_icon_and_word():
    assert repr(check_answer("00-author", ...)).startswith("○ To do: ")
    assert repr(check_answer("00-author", "user")).startswith("✗ Not yet: ")
    assert repr(check_answer("00-author", "assistant")).startswith("✓ Right: ")


def test_hints_go_on_by_themselves_and_can_be_asked_for_by_number():
    texts = [str(hint("03-last")) for _ in range(4)]
    assert [text[:11] for text in texts] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]
    assert hint("03-last", 1).text == texts[0]
    assert "solution('03-last')" in texts[3]
    for level in (0, 4, True, "2"):
        with pytest.raises(ValueError, match="hints 1 to 3"):
            hint("03-last", level)


def test_a_solution_is_shown_with_its_reason():
    text = repr(solution("03-safe-start"))
    assert 'while messages[start].role == "tool"' in text
    assert "\n\nWhy: " in text


@pytest.mark.parametrize("ask", [lambda i: check_answer(i, 1), hint, solution, lambda i: predict(i, 1)])
def test_an_unknown_id_is_a_key_error_that_lists_ids_nearby(ask):
    with pytest.raises(KeyError) as caught:
        ask("03-lasst")
    assert str(caught.value).startswith(
        ("No exercise is called '03-lasst'", "No prediction is called '03-lasst'")
    )
    assert "03-" in str(caught.value).split("Close to it:")[1]


def test_an_unknown_lesson_is_a_key_error():
    with pytest.raises(KeyError, match="There is no lesson '77'"):
        progress("77")


@pytest.mark.parametrize("nothing", [None, ...])
def test_no_prediction_yet(nothing):
    assert repr(predict("03-giant", nothing)).startswith("No prediction yet: ")
    assert read_answers()["predictions"] == {}


@pytest.mark.parametrize("guess, kept", [(3, 3), (3.0, 3), (2.5, 2.5)])
def test_a_number_is_kept_as_a_prediction_and_never_judged(guess, kept):
    text = repr(predict("03-giant", guess))
    assert f"You predict {kept}. It is kept" in text
    assert read_answers()["predictions"]["03-giant"] == {"guess": kept}


def test_a_choice_is_kept_as_a_prediction():
    predict("02-languages", "Greek")
    assert read_answers()["predictions"]["02-languages"] == {"guess": "Greek"}


@pytest.mark.parametrize(
    "question, guess",
    [
        ("03-giant", "three"),
        ("03-giant", True),
        ("03-giant", float("inf")),
        ("03-giant", 10**400),
        ("02-languages", 3),
        ("02-languages", ["Greek"]),
    ],
)
def test_a_prediction_of_another_kind_is_not_kept(question, guess):
    assert repr(predict(question, guess)).startswith("Nothing kept: ")
    assert read_answers()["predictions"] == {}


def test_progress_tells_what_is_solved_and_predicted():
    check_answer("00-author", "assistant")
    check_answer("00-author", "user")  # trying again loses nothing
    check_answer("00-keep", 3)
    predict("00-sponge", 2)
    assert repr(progress("00")).splitlines() == [
        "Lesson 00: 1 of 3 exercises right",
        "  ✓ Right: 00-author",
        "  ✗ Not yet: 00-keep",
        "  ○ To do: 00-not-sent (starred)",
        "  Prediction 00-sponge: 2",
    ]
