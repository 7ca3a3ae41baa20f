"""Messages folded into a summary: the entries that a summariser reads, and the last check of its answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ctxkit.messages import Message
from ctxkit.messages.text import answer_text
from ctxkit.models.errors import SummaryFailed
from ctxkit.transforms.summaries.frame import TEMPLATE, unframed
from ctxkit.transforms.summaries.summariser import Summariser, Tally
from ctxkit.transforms.summaries.transcript import entry


async def fold_messages(
    summariser: Summariser,
    former: str,
    messages: Iterable[Message],
    calls: Tally,
    template: str = TEMPLATE,
) -> str:
    """Extend the former summary ("" for none) by messages.

    template: around the summaries among the messages, which are read as earlier notes; the first takes the
    place of a former summary where there is none. What a model thought before it answered is not read
    (esengine/DeepSeek-Reasonix#9778). Raises SummaryFailed, also for a summary that is longer than what it
    replaces, and whatever the model raises.
    """
    counter = summariser.counter
    entries: list[str] = []
    replaced = counter.count_text(former)
    for message in messages:
        replaced += counter.count(message)
        if message.kind != "summary":
            entries.append(entry(_without_thinking(message)))
            continue
        notes = unframed(message, template)
        if former or entries or counter.count_text(notes) > summariser.summary_tokens:
            entries.append(f"earlier notes: {notes}")
        else:
            former = notes
    summary = await summariser.fold(former, entries, calls)
    if counter.count_text(summary) > replaced:
        raise SummaryFailed("it was longer than what it replaces")
    return summary


def _without_thinking(message: Message) -> Message:
    return replace(message, content=answer_text(message)) if message.role == "assistant" else message
