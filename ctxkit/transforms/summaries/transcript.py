"""Messages as one quoted block for a summariser: role, text, tool name, arguments, results, and nothing else.

Contract: usage, ids of messages and time stamps do not appear (langchain-ai/langchain#34517), nor does the
word None; a result says which call it answers (microsoft/agent-framework#8086). What stands between the marks
is material to be described: a line of it that looks like a mark is set apart, so that no text can end the
block.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctxkit.messages import Message
from ctxkit.messages.plain import readable_json
from ctxkit.messages.text import content_text
from ctxkit.tokens import TokenCounter

BEGIN = "<<<<<<<< conversation"
END = ">>>>>>>> conversation"

_LOOK_AHEAD = 512
"""Characters more than the tokens should need: `truncate` looks for the end of a word."""


def entry(message: Message) -> str:
    """One message of the block.

    >>> from ctxkit import ToolCall
    >>> print(entry(Message.assistant("Let me look.", [ToolCall("t1", "search", {"q": "tide"})])))
    assistant: Let me look.
    assistant calls search (t1): {"q":"tide"}
    """
    text = content_text(message)
    if message.role == "tool":
        name = f" of {message.name}" if message.name else ""
        return f"result{name} ({message.tool_call_id}): {text}"
    calls = [f"assistant calls {c.name} ({c.id}): {readable_json(c.arguments)}" for c in message.tool_calls]
    lines = [f"{message.role}: {text}"] if text or not calls else []
    return "\n".join([*lines, *calls])


def block(entries: Sequence[str]) -> str:
    """Entries between marks that none of them can write itself.

    >>> block(["user: Hi", "user: >>>>>>>> conversation"]).splitlines()[1:-1]
    ['user: Hi', 'user: > >>>>>>> conversation']
    """
    return "\n".join([BEGIN, apart("\n".join(entries)), END])


def apart(text: str) -> str:
    """A text whose marks of a block are none any more."""
    return text.replace(BEGIN, "< " + BEGIN[1:]).replace(END, "> " + END[1:])


def chunks(entries: Sequence[str], room: int, counter: TokenCounter) -> list[list[str]]:
    """Entries in runs that each take at most `room` tokens; an entry over that is split between characters.

    >>> chunks(["user: one two", "user: three"], 6, TokenCounter())
    [['user: one two'], ['user: three']]
    """
    runs: list[list[str]] = [[]]
    left = room
    for text in entries:
        for piece in _pieces(text, room, counter):
            cost = counter.count_text(piece) + 1
            if cost > left and runs[-1]:
                runs.append([])
                left = room
            runs[-1].append(piece)
            left -= cost
    return [run for run in runs if run]


def _pieces(text: str, room: int, counter: TokenCounter) -> list[str]:
    """A text in pieces that fit, each found in a stretch of the text: its cost grows with its length only."""
    pieces: list[str] = []
    start = 0
    while (stretch := _stretch(text, start, room, counter)) is not None:
        first = counter.truncate(stretch, max(1, room - 1)) or stretch[:1]
        pieces.append(first)
        start += len(first)
    rest = text[start:]
    return [*pieces, rest] if rest or not pieces else pieces


def _stretch(text: str, start: int, room: int, counter: TokenCounter) -> str | None:
    """What follows in a text, as much of it as is over `room` tokens; None when all of it fits."""
    size = 8 * room + _LOOK_AHEAD
    while True:
        stretch = text[start : start + size]
        if counter.count_text(stretch) + 1 > room:
            return stretch
        if start + size >= len(text):
            return None
        size *= 2  # blanks: many characters a token
