"""How a check runs a learner's code and reads a learner's value: all that can happen ends in one sentence.

Contract: `call` and the readers return what the check can go on with, or raise `Wrong` or `Todo`. An error
in the learner's function, a recursion or a loop without end, a forgotten `return` and a changed input all
become `Wrong`. `guarded` is for what remains: the own methods of a learner's value, which run when it is
compared or shown. Only a Stop by the learner (KeyboardInterrupt) passes through.
"""

from __future__ import annotations

import copy
import inspect
import operator
import re
from collections.abc import Callable
from typing import Any, SupportsIndex, TypeVar

from ctxkit.exercises.feedback import error_line, kind, shown
from ctxkit.exercises.limits import Endless, limited
from ctxkit.exercises.model import Todo, Wrong

T = TypeVar("T")

CALL_SECONDS = 2.0
"""Processor time that one call of a learner's function may take: 100 times what an exercise needs."""

CHECK_SECONDS = 6.0
"""Processor time of a whole check, with its calls and comparisons."""

ENDLESS = "Your function never came to an end on {}. Does each turn of its loop get closer to the end?"


ENDLESS_VALUE = "Looking at your answer never came to an end. Does a method of its class loop for ever?"


def guarded(task: Callable[[], T]) -> T:
    """Run code that looks at a learner's value: whatever goes wrong there becomes `Wrong`.

    >>> guarded(lambda: 2 + 2)
    4
    """

    def only_sentences() -> T:
        try:
            return task()
        except (Wrong, Todo, KeyboardInterrupt):
            raise
        except BaseException as error:  # an answer whose own methods fail, such as a broken __eq__
            raise Wrong(f"Your answer could not be compared: {error_line(error)}") from None

    try:
        return limited(only_sentences, seconds=CHECK_SECONDS)
    except Endless:
        raise Wrong(ENDLESS_VALUE) from None


def call(function: Any, *arguments: Any, about: str) -> Any:
    """Call a learner's function on `arguments`, which it must leave as they are, and give back its result.

    about: the hidden input in words, such as "a history of four messages", for the sentence that the
    learner reads.
    """
    _must_take(function, len(arguments))
    before = _values(arguments)
    try:
        result = limited(lambda: function(*arguments), seconds=CALL_SECONDS)
    except KeyboardInterrupt:
        raise
    except Endless:
        raise Wrong(ENDLESS.format(about)) from None
    except RecursionError:
        raise Wrong(f"Your function kept calling itself on {about} and never came to an end.") from None
    except BaseException as error:  # SystemExit and pyo3's PanicException are no Exceptions
        raise Wrong(f"Your function stopped on {about} with {error_line(error)}") from None
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
    raise Wrong(f"A whole number is wanted here, and {shown(answer)} is {kind(answer)}.")


def text(answer: Any) -> str:
    """Read text, without blanks around it.

    >>> text(" user ")
    'user'
    """
    if not isinstance(answer, str):
        raise Wrong(f"Text in quotes is wanted here, and {shown(answer)} is {kind(answer)}.")
    return str.strip(answer)


def last_number(text: str) -> float | None:
    """The number at which a text arrives, None for a text without one. A longer number is another number.

    >>> last_number("16.0"), last_number("20% of 80 = 16"), last_number("1600")
    (16.0, 16.0, 1600.0)
    """
    numbers = re.findall(r"(?<![\w.,])-?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w|[.,]\d)", text)
    return float(numbers[-1].replace(",", "")) if numbers else None


def message_list(answer: Any) -> list[Any]:
    """Read a list of messages that a learner's function gave back."""
    if not isinstance(answer, (list, tuple)):
        raise Wrong(f"A list of messages is wanted here, and {shown(answer)} is {kind(answer)}.")
    return list(answer)


def _values(arguments: tuple[Any, ...]) -> list[Any]:
    return [copy.deepcopy(value) for value in arguments if isinstance(value, (list, dict))]


def _must_take(function: Any, count: int) -> None:
    if not callable(function):
        raise Wrong(
            f"Give the function itself, by its name and without brackets; {shown(function)} is "
            f"{kind(function)}."
        )
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        raise Wrong(
            f"Your function must take {count} argument{'s' * (count != 1)}, as in the starter."
        ) from None
    except ValueError:  # a builtin without a signature: calling it will tell
        pass
