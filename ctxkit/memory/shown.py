"""The memory as a model is shown it: one text in the guide's shape, or messages.

Contract: both say the same, oldest first: summary, pinned facts, pending turns, recent turns. In the text, a
line inside a turn or a summary that looks like one of the text's own (`User: ...`) is set apart by `> `, so
that nobody can write a turn that never was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ctxkit.memory.levels import Levels
from ctxkit.memory.turns import Turn
from ctxkit.messages import Message
from ctxkit.messages.text import content_text
from ctxkit.transforms.summaries.frame import framed
from ctxkit.transforms.summaries.transcript import entry

NO_SUMMARY = "No prior context."
PINNED = "Pinned facts:"

_BLANK = r"(?:[^\S\n\r]|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff])"
"""Looks like nothing, inside a line."""

_OWN_LINE = re.compile(
    rf"(?<=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])(?={_BLANK}{{0,99}}(?:"
    rf"(?:user|assistant|recent turns|pinned facts|summary of earlier conversation){_BLANK}{{0,99}}[:\uff1a]"
    rf"|assistant calls |result of |result \())",
    re.IGNORECASE,
)


def summary_text(levels: Levels) -> str:
    """The summaries of all levels, oldest turns first; "" for none."""
    return "\n".join(level.text for level in reversed(levels) if level.text)


def as_text(levels: Levels, pinned: Sequence[str], turns: Iterable[Turn]) -> str:
    """The memory as one text.

    >>> print(as_text((), ["Her name is Ada."], [Turn.of("Hi", "Hello!")]))
    Summary of earlier conversation: No prior context.
    <BLANKLINE>
    Pinned facts:
    - Her name is Ada.
    <BLANKLINE>
    Recent turns:
    User: Hi
    Assistant: Hello!
    """
    lines = [f"Summary of earlier conversation: {_quoted(summary_text(levels) or NO_SUMMARY)}", ""]
    if pinned:
        lines += [*_facts(map(_quoted, pinned)), ""]
    return "\n".join([*lines, "Recent turns:", *(line for turn in turns for line in _lines(turn))])


def as_messages(levels: Levels, pinned: Sequence[str], turns: Iterable[Turn]) -> list[Message]:
    """The memory as messages: summary and pinned facts framed as background notes, then the turns."""
    notes = [summary_text(levels), "\n".join(_facts(pinned)) if pinned else ""]
    background = "\n\n".join(note for note in notes if note)
    front = [framed(background)] if background else []
    return [*front, *(message for turn in turns for message in turn.messages)]


def _facts(pinned: Iterable[str]) -> list[str]:
    return [PINNED, *(f"- {fact}" for fact in pinned)]


def _lines(turn: Turn) -> list[str]:
    question, *steps, answer = turn.messages
    return [
        f"User: {_quoted(content_text(question))}",
        *(_quoted(line) for step in steps for line in _step(step)),
        f"Assistant: {_quoted(content_text(answer))}",
    ]


def _step(step: Message) -> list[str]:
    """What a step says, and one more text for each call."""
    calls = [entry(Message.assistant(None, [call])) for call in step.tool_calls]
    said = content_text(step)
    return calls if calls and not said else [entry(replace(step, tool_calls=())), *calls]


def _quoted(text: str) -> str:
    return _OWN_LINE.sub("> ", text)
