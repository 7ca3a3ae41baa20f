"""Answers that fight back, and ids that are none: a sentence or a named error, never another traceback."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from ctxkit import Message, ToolCall
from ctxkit.exercises import catalog, check_answer, hint, predict, progress, solution
from ctxkit.exercises.answers import read_answers
from ctxkit.exercises.catalog import UnknownExercise

ERRORS = [SystemExit, GeneratorExit, RecursionError, type("Panic", (BaseException,), {})]


@pytest.fixture(autouse=True)
def answers_file(tmp_path, monkeypatch):
    path = tmp_path / "answers.json"
    monkeypatch.setenv("CTXKIT_ANSWERS", str(path))
    return path


def hostile(base: type, error: type[BaseException]) -> object:
    """A value of a class derived from `base` whose every method raises `error`."""

    def fail(self, *arguments, **options):
        raise error

    shown = ("repr", "str", "format")
    number = ("index", "int", "float", "abs", "bool")
    other = ("eq", "ne", "lt", "hash", "iter", "len", "getitem", "call", "deepcopy")
    names = [f"__{name}__" for name in (*shown, *number, *other)]
    return type("Hostile", (base,), dict.fromkeys([*names, "strip", "lower", "is_integer"], fail))()


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("base", [object, str, int, float, list, dict, Fraction])
def test_a_value_whose_methods_raise_anything_is_answered_in_a_sentence(base, error, answers_file):
    value = hostile(base, error)
    for exercise in catalog.exercises():
        result = check_answer(exercise, value)
        assert result.status == "wrong"
        assert "\n" not in repr(result)
    for question in catalog.questions():
        note = repr(predict(question, value))
        assert note.startswith("Nothing kept: ") or "You predict 0." in note
    json.loads(answers_file.read_text())


@pytest.mark.parametrize("error", ERRORS)
def test_a_function_that_gives_back_a_hostile_value_is_wrong(error):
    for base in (object, int, list):
        for exercise in ("00-not-sent", "01-open-calls", "03-last", "03-safe-start"):
            count = {"00-not-sent": 2, "01-open-calls": 1, "03-last": 2, "03-safe-start": 2}[exercise]
            arguments = ", ".join("abc"[:count])
            function = eval(f"lambda {arguments}: [value]", {"value": hostile(base, error)})
            assert check_answer(exercise, function).status == "wrong"


def test_an_error_whose_text_fails_is_named():
    class Broken(Exception):
        def __str__(self):
            raise SystemExit

    def function(messages, start):
        raise Broken

    assert check_answer("03-safe-start", function).message.endswith("with Broken")


def test_a_class_without_a_name_is_a_value():
    class Nameless(type):
        def __getattribute__(cls, name):
            raise SystemExit

    value = Nameless("Value", (), {"__repr__": lambda self: 1 / 0})()
    message = check_answer("00-author", value).message
    assert message == "Text in quotes is wanted here, and a value is a value."
    assert check_answer("00-keep", [value]).status == "wrong"


@pytest.mark.parametrize("where", ["__eq__", "__repr__", "__index__"])
def test_a_stop_by_the_learner_passes_through_a_values_methods(where):
    def stopped(self, *arguments):
        raise KeyboardInterrupt

    names = {where: stopped, "__hash__": None}
    value = type("Stopped", (), names)()
    with pytest.raises(KeyboardInterrupt):
        if where == "__eq__":
            check_answer("03-last", lambda messages, keep: [value] * keep)
        else:
            check_answer("00-keep", value)


@pytest.mark.parametrize(
    "guess", [Fraction(10**400), Fraction(10**400 + 1, 3), 10**400, -(10**5000), 1e300], ids=range(5)
)
def test_a_number_beyond_all_use_is_not_kept_as_a_prediction(guess):
    assert repr(predict("00-sponge", guess)).startswith("Nothing kept: a number is wanted here")
    assert read_answers()["predictions"] == {}


def test_a_fraction_is_a_number():
    assert "You predict 0.5." in repr(predict("00-sponge", Fraction(1, 2)))


@pytest.mark.parametrize(
    "unknown", [["x"], [], {}, 3, None, b"00-keep", object(), "x" * 10**6, ""], ids=range(9)
)
@pytest.mark.parametrize(
    "ask", [lambda i: check_answer(i, 1), hint, solution, lambda i: predict(i, 1), progress]
)
def test_what_is_no_id_is_an_unknown_exercise(ask, unknown):
    with pytest.raises(UnknownExercise) as caught:
        ask(unknown)
    assert len(str(caught.value)) < 500
    assert "00" in str(caught.value)


def built(result: object, answer: object = "It is 16.") -> list[Message]:
    return [
        Message.user("What is 20% of 80?"),
        Message.assistant("", [ToolCall("call_1", "calculator", {"expression": "0.2 * 80"})]),
        Message.tool(result, "call_1"),
        Message.assistant(answer),
    ]


@pytest.mark.parametrize(
    "result", ["16", "16.0", " 16.00 ", "= 16", "20% of 80 = 16.", '{"result": 16.0}', "1.6e1", "16 "]
)
def test_a_result_of_sixteen_is_right_however_it_is_written(result):
    assert check_answer("01-build", built(result)).status == "right"


@pytest.mark.parametrize(
    "result",
    ["1600", "160", "116", "16.5", "1.6", "-16", "0.16", "16,000", "16,5", "16e3", "x16", "16x", "", "?"],
)
def test_a_result_that_only_contains_sixteen_is_wrong(result):
    result = check_answer("01-build", built(result))
    assert (result.status, "calculator gives" in result.message) == ("wrong", True)


def test_parts_are_read_as_their_text():
    assert check_answer("01-build", built([{"type": "text", "text": "16.0"}])).status == "right"
    empty = check_answer("01-build", built("16", [{"type": "text", "text": " "}]))
    assert "tell the user" in empty.message
