"""How a check runs a learner's code and reads a learner's value: all that can happen ends in one sentence.

Contract: `call` and the readers return what the check can go on with, or raise `Wrong` or `Todo`. An error
in the learner's function, a recursion or a loop without end, a forgotten `return` and a changed input all
become `Wrong`. Only a Stop by the learner (KeyboardInterrupt) passes through.
"""

from __future__ import annotations

import copy
import inspect
import operator
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, SupportsIndex

from ctxkit.exercises.feedback import one_line, shown
from ctxkit.exercises.model import Todo, Wrong

MAX_STEPS = 500_000
"""Lines of Python that one call may run: 1,000 times what an exercise needs, reached in under a second."""


ENDLESS = "Your function never came to an end on {}. Does each turn of its loop get closer to the end?"


class _TooManySteps(BaseException):
    """Not an Exception, so that a learner's `except Exception` inside the loop doesn't catch it."""


def call(function: Any, *arguments: Any, about: str) -> Any:
    """Call a learner's function on `arguments`, which it must leave as they are, and give back its result.

    about: the hidden input in words, such as "a history of four messages", for the sentence that the
    learner reads.
    """
    _must_take(function, len(arguments))
    before = _values(arguments)
    try:
        with _step_limit(MAX_STEPS):
            result = function(*arguments)
    except KeyboardInterrupt:
        raise
    except _TooManySteps:
        raise Wrong(ENDLESS.format(about)) from None
    except RecursionError:
        raise Wrong(f"Your function kept calling itself on {about} and never came to an end.") from None
    except BaseException as error:  # SystemExit and pyo3's PanicException are no Exceptions
        text = one_line(f"{type(error).__name__}: {error}")
        raise Wrong(f"Your function stopped on {about} with {text}") from None
    if _values(arguments) != before:
        raise Wrong("Your function changed the list it was given. Leave it as it is and give back a new one.")
    if result is ...:
        raise Todo
    if inspect.iscoroutine(result):
        result.close()
        raise Wrong("Your function is written with 'async def'. A plain 'def' is all it needs.")
    if result is None:
        raise Wrong("Your function gave back None. Is there a 'return' on every way through it?")
    return result


def whole_number(answer: Any) -> int:
    """Read a whole number; 3.0 and numpy's integers count, text and booleans don't.

    >>> whole_number(3.0)
    3
    """
    if isinstance(answer, str):
        raise Wrong(f"{shown(answer)} is text. Write the number without quotes.")
    if isinstance(answer, float) and answer.is_integer():
        return int(answer)
    if not isinstance(answer, bool) and isinstance(answer, SupportsIndex):
        return operator.index(answer)
    raise Wrong(f"A whole number is wanted here, and {shown(answer)} is {_article(answer)}.")


def text(answer: Any) -> str:
    """Read text, without blanks around it.

    >>> text(" user ")
    'user'
    """
    if not isinstance(answer, str):
        raise Wrong(f"Text in quotes is wanted here, and {shown(answer)} is {_article(answer)}.")
    return answer.strip()


def message_list(answer: Any) -> list[Any]:
    """Read a list of messages that a learner's function gave back."""
    if not isinstance(answer, (list, tuple)):
        raise Wrong(f"A list of messages is wanted here, and {shown(answer)} is {_article(answer)}.")
    return list(answer)


def _values(arguments: tuple[Any, ...]) -> list[Any]:
    return [copy.deepcopy(value) for value in arguments if isinstance(value, (list, dict))]


def _article(value: object) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


def _must_take(function: Any, count: int) -> None:
    if not callable(function):
        raise Wrong(
            f"Give the function itself, by its name and without brackets; {shown(function)} is "
            f"{_article(function)}."
        )
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        raise Wrong(
            f"Your function must take {count} argument{'s' * (count != 1)}, as in the starter."
        ) from None
    except ValueError:  # a builtin without a signature: calling it will tell
        pass


@contextmanager
def _step_limit(steps: int) -> Generator[None, None, None]:
    """Raise `_TooManySteps` in the code inside once it has run that many lines."""
    left = steps

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal left
        left -= event == "line"
        if left < 0:
            raise _TooManySteps
        return trace

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(former)
