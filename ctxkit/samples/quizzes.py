"""Quizzes over the samples: what each conversation tells, as questions with their answers.

The files stand in `data/quizzes`, one for each sample that has a quiz.
"""

from __future__ import annotations

import json
from pathlib import Path

from ctxkit.recall import Quiz

_QUIZZES = Path(__file__).with_name("data") / "quizzes"


def load_quiz(name: str) -> Quiz | None:
    """The quiz over a sample, None where it has none.

    >>> load_quiz("harbour"), load_quiz("giant")
    (Quiz(17 facts), None)
    """
    path = _QUIZZES / f"{name}.json"
    if not path.is_file():
        return None
    questions = json.loads(path.read_text(encoding="utf-8"))["questions"]
    fields = ("question", "expected", "messages", "sentence", "word")
    return Quiz(
        {field: question[field] for field in fields if field in question}
        for question in questions
        if question["messages"]
    )
