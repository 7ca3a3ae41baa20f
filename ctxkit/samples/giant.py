"""The giant first message: guide A's example (a WayFlow how-to) of what a window must never be sent."""

from __future__ import annotations

from ctxkit.messages import Message

LINES, LINE_LENGTH = 100_000, 30


def giant() -> list[Message]:
    """Three messages: a diary of exactly 3,000,000 characters, "OK", and a short question.

    Every line is numbered, so that no two are equal and no tokenizer gets it cheap.

    >>> [len(str(message.content)) for message in giant()]
    [3000000, 2, 35]
    """
    diary = "".join(f"day {day:06d}: nothing to write.\n" for day in range(LINES))
    return [
        Message.user(diary),
        Message.assistant("OK"),
        Message.user("What is the capital of Switzerland?"),
    ]
