"""A thread as a transcript and back, so that it can be opened in a lab, moved, or begun from a conversation.

Contract: a dump is JSON, `{"messages": [...], "summarised": n, "summary": "..."}`, with the whole
conversation word for word in OpenAI's shape; so `load_messages` reads it like any other transcript, and a
thread that loads it is in the same state. Reading anything else makes a thread whose messages are all live.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxkit._arguments import text, whole_number
from ctxkit.history import check, head_length, repair
from ctxkit.messages import Message, dump_messages, load_messages
from ctxkit.messages.source import read_source
from ctxkit.stores.values import Change, Snapshot
from ctxkit.transforms.summaries.frame import unframed
from ctxkit.transforms.timeline import Timeline


def dump_thread(at: Snapshot, conversation: Sequence[Message]) -> dict[str, Any]:
    """The dump of a thread, whose whole conversation is given too."""
    return {
        "messages": dump_messages(conversation),
        "summarised": at.start - len(at.head),
        "summary": at.summary,
    }


def read_thread(source: Any) -> Change:
    """The change that begins a thread from a dump or from any conversation, as data, JSON text or a path.

    A conversation is repaired first. Notes at its beginning, as in `ThreadState.as_messages`, become the
    summary. Raises TypeError or ValueError naming the field.
    """
    if isinstance(source, (str, bytes, os.PathLike)):
        source = read_source(cast("str | bytes | os.PathLike[str]", source))
    if isinstance(source, Mapping) and "summarised" in source:
        return _read_dump(cast("Mapping[str, Any]", source))
    history = repair(source)
    head = head_length(history)
    if head < len(history) and history[head].kind == "summary":
        rest = (*history[:head], *history[head + 1 :])
        return Change("loaded", rest, summary=unframed(history[head]))
    return Change("loaded", tuple(history))


def _read_dump(dump: Mapping[str, Any]) -> Change:
    history = load_messages(dump.get("messages"))
    for fault in check(history):
        if fault.code != "no_user_message":
            raise ValueError(f"messages[{fault.index}]: {fault.message}")
    removed, summary = (
        whole_number("summarised", dump["summarised"]),
        text("summary", dump.get("summary", "")),
    )
    cut = head_length(history) + removed
    timeline = Timeline.of(history)
    assert timeline is not None, "it was checked"
    if cut > len(history) or (cut < len(history) and timeline.starts[cut] != cut):
        raise ValueError(f"summarised: {removed} messages cannot be told from those that follow them")
    if removed and not summary.strip():
        raise ValueError(f"summary: missing, and it stands for {removed} messages")
    return Change("loaded", tuple(history), removed, summary)
