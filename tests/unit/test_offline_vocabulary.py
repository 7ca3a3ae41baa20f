"""The reader was not told about the samples: its code holds words of grammar, none of a conversation."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import ctxkit.models.offline
from ctxkit import load_sample
from ctxkit.messages.text import content_text
from ctxkit.models.offline.english import (
    BASE_FORMS,
    COIN,
    DAYS,
    FUNCTION,
    MEASURES,
    MONTHS,
    NUMERALS,
    WEAK,
)

SOURCES = sorted(Path(ctxkit.models.offline.__file__).parent.glob("*.py"))
SAMPLES = ["calculator", "dolphins", "growing_log", "harbour", "night_watch"]

GRAMMAR = {
    *FUNCTION,
    *WEAK,
    *BASE_FORMS,
    *BASE_FORMS.values(),
    *NUMERALS,
    *MONTHS,
    *DAYS,
}
UNITS = set(re.findall(r"[a-z]+", " ".join([*MEASURES, *MEASURES.values(), COIN]))) | {"half"}
HOW_A_QUESTION_IS_PUT = {
    "name",
    "names",
    "named",
    "time",
    "day",
    "days",
    "year",
    "month",
    "hour",
    "week",
    "date",
}
HOW_A_QUESTION_IS_PUT |= {
    "number",
    "numbers",
    "question",
    "answer",
    "line",
    "lines",
    "text",
    "reason",
    "place",
}
HOW_A_QUESTION_IS_PUT |= {
    "long",
    "big",
    "large",
    "strong",
    "fast",
    "late",
    "early",
    "called",
    "don",
    "running",
}
HOW_A_TIME_OR_PLACE_IS_PUT = {
    "night",
    "noon",
    "midnight",
    "dawn",
    "closed",
    "free",
    "past",
    "behind",
    "tonight",
}
PROTOCOL = {"user", "assistant", "tool", "earlier", "times", "self"}
WENT_WRONG = {"wrong", "failed", "error", "missing"}
"""What logs and people say of errors."""
HOW_AN_ANSWER_IS_WRITTEN = set(
    re.findall(
        r"\w+",
        "afternoon age born code end evening fifth ground heat job jobs kind living maximum morning net new"
        " older second sort summer third top turn usual version volume wants weekend",
    )
)
"""Names of the forms of an answer, times of day and year, floors, what prices are said with."""
ALLOWED = (
    GRAMMAR
    | HOW_AN_ANSWER_IS_WRITTEN
    | UNITS
    | HOW_A_QUESTION_IS_PUT
    | HOW_A_TIME_OR_PLACE_IS_PUT
    | PROTOCOL
    | WENT_WRONG
)


def words(text):
    return {word for word in re.findall(r"[a-z]+", text.lower()) if len(word) > 2}


def written(path):
    """Words in the string literals of a module, its docstrings not counted: they run nothing."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bodies = [
        node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    ]
    remarks = {id(s.value) for body in bodies for s in body if isinstance(s, ast.Expr)}
    literals = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return words(" ".join(re.sub(r"\\[a-zA-Z]", " ", n.value) for n in literals if id(n) not in remarks))


def test_the_test_sees_a_word_that_was_smuggled_in(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('"""Dolphins."""\nKNOWN = {"sponge": r"\\bsnout\\b"}\n', encoding="utf-8")
    assert written(module) == {"sponge", "snout"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_word_of_a_sample_stands_in_the_code(path):
    spoken = set().union(*(words(content_text(m)) for name in SAMPLES for m in load_sample(name)))
    assert written(path) & spoken - ALLOWED == set()
