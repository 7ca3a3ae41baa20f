"""The marks of thinking: what a reasoning model writes before its answer. This is the one place that knows
them.

Contract: thinking stands at the very start of a text, in one block or several; a mark that comes later is a
quotation. A block without an end is all thinking, but not under a name that may be a text's own
(`<reasoning>`). Where a model's prompt holds the opening mark, the text begins in the middle of a block: all
up to a closing mark that ends its line is thinking then, unless a block of code is open there, or nothing
follows a mark that has no line of its own; a closing mark inside a line is text (`a </think> b`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

# Qwen, DeepSeek and others; Magistral; Kimi; gpt-oss, where its channels are not taken apart.
_MARK = re.compile(
    r"(?i:<(/?)(?:\w{1,20}:)?(?:think|thinking|thoughts?|reasoning)(?:[ \t][^<>\n]{0,80})?>)"
    r"|\[(/?)THINK\]"
    r"|◁(/?)think▷"
    r"|<\|channel\|>(?:analysis|(final))[^<>\n]{0,80}<\|message\|>"
)
"""A mark; a group of it is not empty where it closes a block."""
_IN_PROMPTS = frozenset(["</think>", "[/think]", "◁/think▷"])
"""Marks whose opening ones templates put into the prompt."""
_ENDLESS = re.compile(r"<(?:\w{1,20}:)?think[ \t>]|\[|◁|<\|", re.IGNORECASE)
"""Marks that are no words of HTML or English: one without an end is still no answer."""
_WORDS = ("thinking", "reasoning", "thought")
_FENCE = "```"


def split_thinking(text: str) -> tuple[str, str]:
    """What a reasoning model thought, and its answer.

    >>> split_thinking("<think>Easy.</think> 30, or <think>"), split_thinking("30")
    (('Easy.', '30, or <think>'), ('', '30'))
    >>> split_thinking("Easy.</think>\\n\\n30"), split_thinking("[THINK]Easy.[/THINK]30")
    (('Easy.', '30'), ('Easy.', '30'))
    """
    marks = list(_MARK.finditer(text))
    if marks and _closes(marks[0]):
        before, after = text[: marks[0].start()], text[marks[0].end() :]
        line, _, rest = after.partition("\n")
        closes = not line.strip() and (rest.strip() or not before.rpartition("\n")[2].strip())
        if closes and marks[0][0].lower() in _IN_PROMPTS and not _in_code(before):
            return before.strip(), after.lstrip()
        return "", text
    thoughts: list[str] = []
    at = index = 0
    while index < len(marks) and not text[at : marks[index].start()].strip() and not _closes(marks[index]):
        last = _end_of_block(marks, index)
        if last is None and not _ENDLESS.match(marks[index][0]):
            break
        end = marks[last].start() if last is not None else len(text)
        thoughts.append(text[marks[index].end() : end].strip())
        at = len(text) if last is None else marks[last].end()
        index = len(marks) if last is None else last + 1
    return ("\n".join(filter(None, thoughts)), text[at:].lstrip()) if at else ("", text)


def is_thinking(part: str | Mapping[str, Any]) -> bool:
    """Whether a part of a message's content is thinking.

    >>> is_thinking({"type": "redacted_thinking", "data": "EmwKAh"}), is_thinking("thinking")
    (True, False)
    """
    if isinstance(part, str):
        return False
    if part.get("thought") is True:
        return True
    if part.get("type"):
        return any(word in str(part["type"]) for word in _WORDS)
    said = [name for name, value in part.items() if value is not None]
    return "text" not in said and any(word in name for name in said for word in _WORDS)


def _closes(mark: re.Match[str]) -> bool:
    return any(mark.groups())


def _end_of_block(marks: Sequence[re.Match[str]], start: int) -> int | None:
    """The mark that closes the block which a mark opens, blocks inside it skipped; where they don't balance,
    because one is quoted, the last that closes any.
    """
    depth, last = 0, None
    for index in range(start, len(marks)):
        closes = _closes(marks[index])
        depth += -1 if closes else 1
        last = index if closes else last
        if not depth:
            break
    return last


def _in_code(before: str) -> bool:
    return before.count(_FENCE) % 2 == 1
