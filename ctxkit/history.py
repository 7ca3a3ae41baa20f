"""The rules that a history must keep to be sent, and the repair of one that does not.

Contract: a *sound* history has every tool result in the unbroken run right after its call, in call order, one
result for each call, and at least one user message. An id belongs to the nearest call before it, so ids may
be used again in later turns. `check` names each fault; `repair` gives back a sound history as the same
objects and mends any other without touching the head (the leading system and developer messages) or a user
message. Position counts, not membership: a result that stands before its call is an orphan
(NousResearch/hermes-agent#88914).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from ctxkit._arguments import whole_number
from ctxkit._links import Links, Repair, is_sound, unique_calls
from ctxkit.messages import Message, load_messages

OnSplit = Literal["expand", "shrink"]
Sourced = tuple[int | None, Message]

_LOOSE = {
    "orphan_result": "no message before it makes this call",
    "result_before_call": "it stands before the message that makes this call",
    "duplicate_result": "this call has its result already",
    "misplaced_result": "it does not stand directly after its call, in call order",
}


@dataclass(frozen=True)
class Violation:
    """One fault of a history: the index of the message, a code, and a sentence.

    Codes: orphan_result, result_before_call, duplicate_result, misplaced_result, unanswered_call,
    duplicate_call, no_user_message.
    """

    index: int
    code: str
    message: str


def check(messages: Iterable[Any]) -> list[Violation]:
    """Name every fault of a history, in order; [] for a sound one and for an empty list.

    >>> from ctxkit import Message, ToolCall
    >>> question = Message.user("What is 15% of 200?")
    >>> call = Message.assistant("", [ToolCall("a", "calculator", {})])
    >>> [(v.index, v.code) for v in check([question, call])]
    [(1, 'unanswered_call')]
    >>> check([question, call, Message.tool("30.0", "a")])
    []
    """
    history = load_messages(messages)
    if not history:
        return []
    faults = (
        []
        if any(m.role == "user" for m in history)
        else [Violation(0, "no_user_message", "there is no user message")]
    )
    if is_sound(history):
        return faults
    links = Links(history)
    for index, message in enumerate(history):
        if index in links.faults:
            code = links.faults[index]
            faults.append(Violation(index, code, f"result of {message.tool_call_id!r}: {_LOOSE[code]}"))
        for call in unique_calls(message).values():
            if (index, call.id) not in links.answers:
                faults.append(
                    Violation(index, "unanswered_call", f"call {call.id!r} of {call.name!r} has no result")
                )
        if len(unique_calls(message)) < len(message.tool_calls):
            faults.append(Violation(index, "duplicate_call", "two calls of this message have the same id"))
    return faults


def repair(messages: Iterable[Any]) -> list[Message]:
    """Make a history sound, changing as little as possible; a sound one comes back as the same objects.

    Orphan and duplicate results go, a late result moves up to its call, an unanswered call gets a marked
    result (kind "placeholder"), the second call of one id in one message goes. Repairing twice changes
    nothing more.

    >>> from ctxkit import Message, ToolCall
    >>> call = Message.assistant("", [ToolCall("a", "clock", {})])
    >>> [m.role for m in repair([Message.user("Time?"), call, Message.user("Never mind.")])]
    ['user', 'assistant', 'tool', 'user']
    """
    return [message for _, message in repair_sources(load_messages(messages))]


def repair_sources(history: list[Message]) -> list[Sourced]:
    """`repair`, with the index in `history` of each message; None for a result that the repair made."""
    if is_sound(history):
        return list(enumerate(history))
    mended = Repair()
    for message in history:
        mended.take(message)
    return list(zip(mended.sources, mended.messages, strict=True))


def groups(messages: Iterable[Any]) -> list[range]:
    """Ranges of indexes that must stay together: a message that calls tools with its results, or any other
    message alone.

    The history should be sound (`repair` it first).

    >>> from ctxkit import Message, ToolCall
    >>> call, result = Message.assistant("", [ToolCall("a", "clock", {})]), Message.tool("14:20", "a")
    >>> groups([Message.user("Time?"), call, result, Message.assistant("14:20.")])
    [range(0, 1), range(1, 3), range(3, 4)]
    """
    history = load_messages(messages)
    starts: list[int] = []
    in_run = False
    for index, message in enumerate(history):
        if not (in_run and message.role == "tool"):
            starts.append(index)
            in_run = bool(message.tool_calls)
    starts.append(len(history))
    return [range(start, stop) for start, stop in pairwise(starts)]


def split_history(
    messages: Iterable[Any], keep: int, on_split: OnSplit = "expand"
) -> tuple[list[Message], list[Message]]:
    """Split a history into old and recent messages without parting a call from its results.

    keep: how many of the most recent messages are wanted; the head never counts and is always old. on_split:
    when the cut falls inside a group, "expand" (default) keeps the whole group, so that `keep` is a minimum,
    and "shrink" leaves it to the old part; the last group stays recent either way. The history is repaired
    first. Raises TypeError or ValueError for a bad argument.

    >>> from ctxkit import Message
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("Bye")]
    >>> old, recent = split_history(talk, keep=2)
    >>> len(old), [m.content for m in recent]
    (1, ['Hello!', 'Bye'])
    """
    keep, on_split = whole_number("keep", keep), check_on_split(on_split)
    history = repair(messages)
    cut = split_at(history, keep, on_split, head_length(history))
    return history[:cut], history[cut:]


def split_at(history: Sequence[Message], keep: int, on_split: OnSplit, head: int) -> int:
    """The index at which `split_history` cuts a sound history that begins with `head` messages of head."""
    if keep == 0:
        return len(history)
    cut = max(head, len(history) - keep)
    if cut < len(history) and history[cut].role == "tool":
        start = next(i for i in range(cut, -1, -1) if history[i].tool_calls)
        stop = next((i for i in range(cut, len(history)) if history[i].role != "tool"), len(history))
        return start if on_split == "expand" or stop == len(history) else stop
    return cut


def head_length(history: list[Message]) -> int:
    """How many system and developer messages stand at the start."""
    return next((i for i, m in enumerate(history) if not in_head(m)), len(history))


def in_head(message: Message) -> bool:
    """Whether a message belongs to the head where it stands at the beginning; a summary never does."""
    return message.role in ("system", "developer") and message.kind != "summary"


def check_on_split(value: object) -> OnSplit:
    """Return a valid `on_split`, else raise a ValueError."""
    if value not in ("expand", "shrink"):
        raise ValueError(f"on_split: expected 'expand' or 'shrink', got {value!r}")
    return value  # type: ignore[return-value]
