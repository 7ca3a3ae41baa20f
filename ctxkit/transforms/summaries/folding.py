"""Messages folded into a summary: the entries that a summariser reads, and the last check of its answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ctxkit.messages import Message
from ctxkit.messages.part_text import DATA
from ctxkit.messages.text import answer_text
from ctxkit.models.errors import SummaryFailed
from ctxkit.tokens.cost import _DATA_URL, LONG_DATA_URL
from ctxkit.transforms.summaries.frame import TEMPLATE, unframed
from ctxkit.transforms.summaries.summariser import Summariser, Tally
from ctxkit.transforms.summaries.transcript import entry


async def fold_messages(
    summariser: Summariser,
    former: str,
    messages: Iterable[Message],
    calls: Tally,
    template: str = TEMPLATE,
    needed: bool = False,
) -> str:
    """Extend the former summary ("" for none) by messages.

    template: around the summaries among the messages, which are read as earlier notes; the first takes the
    place of a former summary where there is none. What a model thought before it answered is not read
    (esengine/DeepSeek-Reasonix#9778). needed: ask although the last summary was refused for its length, as
    nothing more fits into the window without one. Raises SummaryFailed, also for a summary that is longer
    than what it replaces, and whatever the model raises.
    """
    counter = summariser.counter
    entries: list[str] = []
    replaced = counter.count_text(former)
    for message in messages:
        replaced += counter.count(message)
        if message.kind != "summary":
            entries.append(_read(message))
            continue
        notes = unframed(message, template)
        if former or entries or counter.count_text(notes) > summariser.summary_tokens:
            entries.append(f"earlier notes: {notes}")
        else:
            former = notes
    if not needed:
        summariser.refusals.check(former, entries, replaced)
    try:
        summary = await summariser.fold(former, entries, calls)
    except SummaryFailed as error:
        if error.tokens is not None:
            summariser.refusals.note(former, entries, error.tokens)
        raise
    size = counter.count_text(summary)
    if size > replaced:
        summariser.refusals.note(former, entries, size, sound=True)
        raise SummaryFailed("it was longer than what it replaces", size)
    return summary


def _read(message: Message) -> str:
    """A message as it is read: without thinking, and without the data of a picture in its text, which counts
    as a picture (openai/codex#11845).
    """
    if message.role == "assistant":
        message = replace(message, content=answer_text(message))
    return _DATA_URL.sub(lambda url: url[0] if len(url[0]) < LONG_DATA_URL else DATA, entry(message))
