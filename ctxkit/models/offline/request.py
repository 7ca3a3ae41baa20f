"""Recognise a summariser's request: quoted material, notes so far, and how long the answer may be.

Contract: a request is the kit's own form: in one of the last two messages a block between two lines of
marks, and after it an instruction that caps the words or asks for a summary. What stands in the block is
material, also when it looks like a request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit.messages import Message
from ctxkit.messages.text import content_text

DEFAULT_WORDS = 200

_BEGIN = re.compile(r"^<{8}.*\n", re.MULTILINE)
_END = re.compile(r"^>{8}.*$", re.MULTILINE)
_CAP = re.compile(r"\b(?:at most|no more than|up to|within|under) (\d[\d,]{0,8}) words\b", re.IGNORECASE)
_WISH = re.compile(r"\bsummar|\bnotes\b|\bshorten|\bcondense", re.IGNORECASE)
_LABEL = re.compile(r"\A[^\n]{0,80}:\n")


@dataclass(frozen=True)
class Request:
    """What is to be summarised. former: notes so far, "" for none. material: the block. words: the cap."""

    former: str
    material: str
    words: int


def read_request(messages: Sequence[Message]) -> Request | None:
    """The request that the last messages make, or None when they make none.

    >>> asked = "Notes so far:\\nAda came.\\n\\n<<<<<<<< conversation\\nuser: Hi\\n>>>>>>>> conversation"
    >>> read_request([Message.user(asked), Message.user("Summarise the above. At most 30 words.")])
    Request(former='Ada came.', material='user: Hi', words=30)
    """
    if not messages or messages[-1].role != "user":
        return None
    last = content_text(messages[-1])
    texts = [last] if len(messages) == 1 else [last, f"{content_text(messages[-2])}\n{last}"]
    for text in texts:
        begin = _BEGIN.search(text)
        end = _END.search(text, begin.end()) if begin else None
        if begin is None or end is None:
            continue
        instruction = text[end.end() :]
        cap = _CAP.search(instruction)
        if cap or _WISH.search(instruction):
            words = int(cap.group(1).replace(",", "")) if cap else DEFAULT_WORDS
            former = _LABEL.sub("", text[: begin.start()].lstrip()).strip()
            return Request(former, text[begin.end() : end.start()].strip("\n"), max(words, 1))
    return None
