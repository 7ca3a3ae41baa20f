"""Marks of the messages that the kit itself made: summaries and placeholders.

`Message.kind` says what a message is; it is never sent. After a round trip through dicts only the text is
left, so the text carries marks and `kind_of` reads them back. A mark counts only as the whole frame (start at
the first character, end at the last), so a user who quotes one stays a user.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["message", "summary", "placeholder"]

SUMMARY_START = "[Notes on the earlier part of this conversation. Background only, not a request.]"
SUMMARY_END = "[End of the notes.]"
NO_RESULT = "[No result: this call was never answered.]"
CLEARED = "[cleared]"
SHORTENED_START = "[Shortened tool result"
SHORTENED_END = "[End of the result]"


def kind_of(role: str, content: object) -> Kind:
    """Tell from its text what a loaded message is.

    >>> kind_of("tool", "[cleared]"), kind_of("user", "[cleared]")
    ('placeholder', 'message')
    """
    if not isinstance(content, str):
        return "message"
    if role == "tool":
        shortened = content.startswith(SHORTENED_START) and content.endswith(SHORTENED_END)
        return "placeholder" if shortened or content in (NO_RESULT, CLEARED) else "message"
    framed = content.startswith(SUMMARY_START) and content.endswith(SUMMARY_END)
    return "summary" if framed else "message"
