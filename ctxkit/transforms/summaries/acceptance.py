"""What counts as a summary.

Contract: a reply is one only when the server read the whole request and the model came to its end, calls no
tool, and says something once its thinking is taken off; and when it is shorter than what it was made from.
The kit's own marks are taken out of it, so that a model which copies them frames nothing twice. It is cut to
its cap. Anything else is a `SummaryFailed` that says what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ctxkit.messages.marks import SUMMARY_END, SUMMARY_START
from ctxkit.messages.text import answer_text
from ctxkit.models.errors import SummaryFailed
from ctxkit.tokens import TokenCounter

FORMER = "Notes so far:"
CUT = " …"

CUT_OFF = ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded")
"""Reasons for which a reply ended before its end, in the words of several servers."""

_COPIED = re.compile(rf"(?:{re.escape(FORMER)}\s*)+")
_TAG = re.compile(r"</?[\w|][^<>\n]{0,80}>")
_BULLETS = re.compile(r"\s*(?:(?:#+|>+|[-*+•]|\d{1,3}[.)])(?:\s+|$))*")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\w*\s*")
_CLAUSE = re.compile(r"\.(?:\s+|$)|[;,](?!\d)|[\u3001\u3002\uff0c\uff1b|]")
_COLON = re.compile("[:\uff1a\ufe55]")
_NOTHING = (
    *("none", "null", "nil", "n/a", "undefined", "not applicable"),
    *("keine", "aucun", "aucune", "ninguno", "ninguna", "nessuno", "nenhum", "なし", "无", "無", "없음"),
)
_HEADINGS = (
    *("summary", "notes", "so", "far", "conversation", "of", "the", "earlier", "none"),
    *("zusammenfassung", "résumé", "resumen", "resumo", "riassunto", "samenvatting", "резюме"),
    *("摘要", "总结", "總結", "要約", "요약", "ملخص"),
)
"""Words of a heading that stands there without a colon."""

_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Blanks that Unicode takes for letters or symbols."""


def accepted(reply: Any, asked: int, summary_tokens: int, counter: TokenCounter) -> str:
    """The summary that a reply gives, else SummaryFailed.

    asked: tokens of the request. summary_tokens: cap of the summary.

    >>> from ctxkit import Message, Reply
    >>> accepted(Reply(Message.assistant("<think>Tides.</think>They left.")), 500, 400, TokenCounter())
    'They left.'
    """
    message = reply.message
    if message.tool_calls:
        raise SummaryFailed("the model called a tool instead of answering")
    if getattr(reply, "prompt_cut", False):
        raise SummaryFailed(
            f"the server cut a request of about {asked:,} tokens and never read its beginning. Ask for less "
            "at a time: a smaller request_tokens (chunk_tokens for tool results), or a model made with a "
            "num_ctx that the server really holds"
        )
    text = _bare(answer_text(message))
    if getattr(reply, "done_reason", None) in CUT_OFF:
        raise SummaryFailed(
            "the reply was cut off at a limit of its length; raise that limit (such as num_predict in "
            "options) or the model's window (num_ctx), or ask for a shorter summary"
        )
    if not says_something(text):
        raise SummaryFailed("the reply was empty")
    size = counter.count_text(text)
    if size >= asked:
        why = "the reply was longer than what it was to summarise"
        raise SummaryFailed(why, tokens=min(size, summary_tokens))
    return text if size <= summary_tokens else _cut(text, summary_tokens, counter)


def says_something(text: str) -> bool:
    """Whether a text is more than headings, marks and words for nothing.

    >>> says_something("Goal: None\\n1. N/A"), says_something("Goal: none of them left")
    (False, True)
    """
    return any(map(_tells, _clauses(text)))


def _bare(text: str) -> str:
    """A reply without the kit's own marks, where a model copied them."""
    text = text.replace(SUMMARY_START, "").replace(SUMMARY_END, "").strip()
    return _COPIED.sub("", text, count=1) if text.startswith(FORMER) else text


def _cut(text: str, tokens: int, counter: TokenCounter) -> str:
    first = counter.truncate(text, tokens - 2).rstrip()
    if not says_something(first):
        raise SummaryFailed(
            f"its first word alone takes more than the {tokens} tokens that it may have; "
            "allow a longer summary"
        )
    return first + CUT


def _clauses(text: str) -> Iterator[str]:
    """What stands between line breaks, commas and stops, without the marks of lists, headings and tags."""
    for line in text.splitlines():
        if not _FENCE.fullmatch(line):
            bare = _TAG.sub("", line)
            start = _BULLETS.match(bare)
            yield from _CLAUSE.split(bare[start.end() if start else 0 :])


def _tells(clause: str) -> bool:
    """Whether a clause says something; of one with a label, what stands after the label."""
    label, *values = (_letters(piece) for piece in _COLON.split(clause))
    if values:
        return any(value and value not in _NOTHING for value in values)
    return bool(label) and label not in _NOTHING and not all(word in _HEADINGS for word in label.split())


def _letters(text: str) -> str:
    """A piece of text from its first to its last letter, digit or picture, in lower case."""
    from unicodedata import category  # late, for the price of `import ctxkit`

    told = [
        place
        for place, sign in enumerate(text)
        if (sign.isalnum() or (sign >= "\u2600" and category(sign) == "So")) and sign not in _FILLERS
    ]
    return text[told[0] : told[-1] + 1].lower() if told else ""
