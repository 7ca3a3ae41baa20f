"""Messages folded into a summary: the entries that a summariser reads, and the last check of its answer."""

from __future__ import annotations

from collections.abc import Iterable

from ctxkit.messages import Message
from ctxkit.models.errors import SummaryFailed
from ctxkit.transforms.summaries.frame import unframed
from ctxkit.transforms.summaries.summariser import Summariser, Tally
from ctxkit.transforms.summaries.transcript import entry


async def fold_messages(
    summariser: Summariser, former: str, messages: Iterable[Message], calls: Tally
) -> str:
    """Extend the former summary ("" for none) by messages.

    Summaries among the messages are read as earlier notes; the first takes the place of a former summary
    where there is none. Raises SummaryFailed, also for a summary that is longer than what it replaces, and
    whatever the model raises.
    """
    counter = summariser.counter
    entries: list[str] = []
    replaced = counter.count_text(former)
    for message in messages:
        replaced += counter.count(message)
        if message.kind != "summary":
            entries.append(entry(message))
        elif former or entries or counter.count_text(unframed(message)) > summariser.summary_tokens:
            entries.append(f"earlier notes: {unframed(message)}")
        else:
            former = unframed(message)
    summary = await summariser.fold(former, entries, calls)
    if counter.count_text(summary) > replaced:
        raise SummaryFailed("it was longer than what it replaces")
    return summary
