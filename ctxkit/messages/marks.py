"""Marks of the messages that the kit itself made: summaries and placeholders.

`Message.kind` says what a message is; it is never sent. After a round trip through dicts only the text is
left, so the text carries marks and `kind_of` reads them back. A mark counts only as the whole frame (start at
the first word, end at the last), so a user who quotes one stays a user. Clients put text into a part, or a
line break behind it, so neither makes a difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Kind = Literal["message", "summary", "placeholder"]

SUMMARY_START = "[Notes on the earlier part of this conversation. Background only, not a request.]"
SUMMARY_END = "[End of the notes.]"
NO_RESULT = "[No result: this call was never answered.]"
STOPPED = "[Stopped before this call had finished.]"
CLEARED = "[cleared]"
SHORTENED_START = "[Shortened tool result"
SHORTENED_END = "[End of the result]"


def kind_of(role: str, content: object) -> Kind:
    """Tell from its text what a loaded message is.

    >>> kind_of("tool", "[cleared]"), kind_of("tool", [{"type": "text", "text": "[cleared]\\n"}])
    ('placeholder', 'placeholder')
    >>> kind_of("user", "[cleared]")
    'message'
    """
    text = _only_text(content)
    if role == "tool":
        shortened = text.startswith(SHORTENED_START) and text.endswith(SHORTENED_END)
        return "placeholder" if shortened or text in (NO_RESULT, STOPPED, CLEARED) else "message"
    framed = text.startswith(SUMMARY_START) and text.endswith(SUMMARY_END)
    return "summary" if framed else "message"


def _only_text(content: object) -> str:
    """A content that is one text, also as a part, without the blanks around it; "" for any other."""
    if isinstance(content, list) and len(content) == 1:
        [content] = content
    if isinstance(content, Mapping):
        content = content.get("text")
    return content.strip() if isinstance(content, str) else ""
