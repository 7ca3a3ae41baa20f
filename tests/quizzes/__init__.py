"""Quizzes for readers: conversations, and questions with the messages that hold the answers.

In the files beside this module: conversations on subjects that no sample has. A question with no messages
has no answer in the text, but words near it. The quizzes over the samples are in
`ctxkit/samples/data/quizzes`, where lessons find them. An expected text may offer spellings: "3|three".
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ctxkit.samples
from ctxkit import Message, load_messages, load_sample

HERE = Path(__file__).parent
OVER_SAMPLES = Path(ctxkit.samples.__file__).parent / "data" / "quizzes"


@dataclass(frozen=True)
class Question:
    """A question about a conversation: indexes of the messages that hold the answer (none: it has no
    answer), and texts that must stand in a reply."""

    text: str
    messages: tuple[int, ...]
    expected: tuple[str, ...]

    def found_in(self, reply: str) -> bool:
        """Whether a reply gives the answer and names a message that holds it."""
        told = all(
            any(spelling in reply.lower() for spelling in text.lower().split("|")) for text in self.expected
        )
        return told and any(f"Message {index} says:" in reply for index in self.messages)


@dataclass(frozen=True)
class Quiz:
    """A conversation and the questions about it."""

    name: str
    conversation: tuple[Message, ...]
    questions: tuple[Question, ...]


def over_samples() -> list[Quiz]:
    """The quizzes over the kit's samples."""
    return [_quiz(path) for path in sorted(OVER_SAMPLES.glob("*.json"))]


def over_new_conversations() -> list[Quiz]:
    """The quizzes over conversations that are used nowhere else."""
    return [_quiz(path) for path in sorted(HERE.glob("*.json"))]


def over_unseen_conversations() -> list[Quiz]:
    """The quizzes that nobody looked at while the reader was made."""
    return [_quiz(path) for path in sorted((HERE / "unseen").glob("*.json"))]


def _quiz(path: Path) -> Quiz:
    data = json.loads(path.read_text(encoding="utf-8"))
    conversation = (
        load_sample(data["sample"]) if "sample" in data else [_message(m) for m in data["messages"]]
    )
    questions = [
        Question(q["question"], tuple(q["messages"]), tuple(q["expected"])) for q in data["questions"]
    ]
    return Quiz(path.stem, tuple(conversation), tuple(questions))


def _message(data: dict[str, Any]) -> Message:
    [message] = load_messages([{key: value for key, value in data.items() if key != "kind"}])
    return (
        Message(message.role, message.content, kind="summary") if data.get("kind") == "summary" else message
    )
