"""What the reader does with a request: summarise, call a tool, answer from the window, or say that it can't.

Contract: `reply_to` looks at nothing but the messages and tools that it is given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ctxkit.messages import Message, ToolCall
from ctxkit.messages.text import content_text
from ctxkit.models.offline import tools as offers
from ctxkit.models.offline.likely import find_likely, is_doubtful
from ctxkit.models.offline.participants import as_spoken
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.question import Part, asks, orders, parts
from ctxkit.models.offline.reader import Finding, find
from ctxkit.models.offline.repeats import asks_for_repeats, repeated
from ctxkit.models.offline.request import read_request
from ctxkit.models.offline.summary import summarise
from ctxkit.models.offline.tables import find_in_table
from ctxkit.models.offline.which import leaves_open_which_most
from ctxkit.models.offline.window import (
    NOT_HERE,
    NOT_SURE,
    NOT_SURE_OF,
    NOTED,
    REST_NOT_HERE,
    Placed,
    place,
)
from ctxkit.models.offline.words import is_function, keys
from ctxkit.tokens import shared_counter

NO_QUESTION = "There is no question in the messages I was sent."

_TAKES_BACK = re.compile(
    r"(?:no|sorry|actually|correction|or rather|i mean|hang on)\b[,:.!\u2026 \u2014-]"
    r"|make (?:that|it) ",
    re.IGNORECASE,
)
_SHORT = 300
"""Characters up to which a fresh tool result is quoted whole."""
_LONG = 2_000
"""Characters at each end of a user message in which its question is looked for."""
_LOOSELY = 0.3
"""Share of a question that a fresh tool result has to cover: it was fetched for this question."""

_WAYS = (find, find_in_table, find_likely)
"""The strict way first."""


def reply_to(messages: Sequence[Message], tools: Sequence[Any]) -> Message:
    """The assistant message with which the reader answers."""
    request = read_request(messages)
    if request is not None:
        return Message.assistant(summarise(request, shared_counter().count_text))
    question = max(
        (i for i, m in enumerate(messages) if m.role == "user" and m.kind != "summary"), default=None
    )
    if question is None:
        return Message.assistant(NO_QUESTION)
    text = _ends(content_text(messages[question]))
    placed = place(messages, question)
    results = [i for i in range(question + 1, len(messages)) if messages[i].role == "tool"]
    if results:
        return Message.assistant(_from_results(text, placed, results, messages))
    available = [] if offers.forbids(text) else offers.offered(tools)
    wanted = offers.calls(text, available)
    if wanted and (orders(text) or offers.computes(text, available)) and not _known(wanted, messages):
        return _calling(wanted, messages)
    answer = _from_window(text, placed) if asks(text) else NOTED
    is_open = answer.startswith((NOT_HERE, NOT_SURE, NOT_SURE_OF))
    if is_open and not wanted and orders(text):
        wanted = [(tool.name, {}) for tool in available if not tool.arguments and len(available) == 1]
    return _calling(wanted, messages) if is_open and wanted else Message.assistant(answer)


def _ends(text: str) -> str:
    """Start and end of what was asked: a question stands before or after what is pasted with it."""
    return text if len(text) <= 2 * _LONG else f"{text[:_LONG]}\n{text[-_LONG:]}"


def _calling(wanted: Sequence[tuple[str, dict[str, Any]]], messages: Sequence[Message]) -> Message:
    taken = {call.id for message in messages for call in message.tool_calls}
    free = (f"call_{n}" for n in range(1, len(taken) + len(wanted) + 1) if f"call_{n}" not in taken)
    return Message.assistant("", [ToolCall(next(free), name, arguments) for name, arguments in wanted])


def _known(wanted: Sequence[tuple[str, dict[str, Any]]], messages: Sequence[Message]) -> bool:
    """Whether the very same calls were made and answered before."""
    answered = {m.tool_call_id for m in messages if m.role == "tool" and m.kind == "message"}
    made = [(c.name, c.arguments) for m in messages for c in m.tool_calls if c.id in answered]
    return all(call in made for call in wanted)


def _from_window(text: str, placed: Sequence[Placed]) -> str:
    if asks_for_repeats(text):
        again = repeated(placed)
        return (
            NOT_HERE if again is None else f"{_says(again[0], again[1])} It stands there {again[2]:,} times."
        )
    asked = parts(text)
    answers = _findings(asked, placed)
    spoken, role = as_spoken(text)
    if not any(answers) and spoken != text:
        answers = _findings([replace(part, said_by=role) for part in parts(spoken)], placed)
    sure = [finding for finding in answers if finding and finding.sure]
    said = [_told(sure)] if sure else []
    for part, finding in zip(asked, answers, strict=False):
        if finding and not finding.sure:
            said += [NOT_SURE if len(asked) == 1 else _about(NOT_SURE_OF, part), _told([finding])]
    if not said:
        return NOT_HERE
    rest = [part for part, finding in zip(asked, answers, strict=False) if finding is None]
    return " ".join([*said, *(_about(REST_NOT_HERE, part) for part in rest)])


def _about(words: str, part: Part) -> str:
    """Words about one part of what was asked, which stands in the only quotation marks."""
    marks = part.text.replace('"', "'")
    return f'{words} "{marks}"'


def _findings(asked: Sequence[Part], placed: Sequence[Placed]) -> list[Finding | None]:
    """An answer to each part, or None. A part that leans on another is answered beside it, if it can be."""
    found: list[Finding | None] = []
    before: Finding | None = None
    for part in asked:
        if part.leaning and before is not None:
            finding = find(part, placed, within=[before.index]) or find(part, placed)
            finding = finding if finding and _bears_on(finding, before, part) else None
            finding = finding and replace(finding, sure=before.sure)
        else:
            ways = (there for way in _WAYS if (there := way(part, placed)) is not None)
            finding = next((there for there in ways if not is_doubtful(part, placed, there)), None)
            if finding and (_is_a_number(part) or leaves_open_which_most(part, finding.passages)):
                finding = replace(finding, sure=False)
            if finding and part.leaning and not finding.sure:
                finding = None  # "and why?" of what was not found
        finding = finding and _corrected(finding, placed)
        before = finding or before
        found.append(finding)
    return found


def _is_a_number(part: Part) -> bool:
    """Whether nothing but one number is asked about: "2+2?" is to be reckoned, not quoted."""
    return part.kind == "any" and len(part.terms) == 1 and part.terms[0].keys[0].isdigit()


def _bears_on(finding: Finding, before: Finding, part: Part) -> bool:
    """Whether all that was found for a leaning part shares words with the answer it leans on, or the part.

    A summary is one message of many subjects: a reason that stands in it may be that of something else.
    """
    told = {key for passage in before.passages for key in _content(passage)}
    told |= {key for term in part.terms for key in term.keys}
    return not any(told.isdisjoint(_content(passage)) for passage in finding.passages)


def _content(passage: Passage) -> set[str]:
    return {key for word in passage.words if not is_function(word) for key in keys(word)}


def _corrected(finding: Finding, placed: Sequence[Placed]) -> Finding:
    """A finding with the sentence that takes it back, if that is next: "On Monday. No, Friday." """
    said = next(p for p in placed if p.index == finding.index).view.passages
    after = said.index(finding.passages[-1]) + 1
    taken_back = after < len(said) and said[after].is_evidence and _TAKES_BACK.match(said[after].text)
    return replace(finding, passages=(*finding.passages, said[after])) if taken_back else finding


def _from_results(
    text: str, placed: Sequence[Placed], results: Sequence[int], messages: Sequence[Message]
) -> str:
    """Answer from results that this turn fetched: they were asked for, so less has to agree."""
    if asks_for_repeats(text):
        return _from_window(text, [p for p in placed if p.index in results])
    found: list[Finding] = []
    for part in parts(text):
        strict = find(part, placed, within=results)
        loose = replace(
            part,
            terms=tuple(
                t for t in part.terms if any(t.within(p.view.first) for p in placed if p.index in results)
            ),
        )
        finding = strict or find(loose, placed, within=results, enough=_LOOSELY)
        if finding is not None:
            found.append(finding)
    said = [_told(found)] if found else []
    quoted = {finding.index for finding in found}
    said += [
        _says(i, short)
        for i in results
        if i not in quoted and 0 < len(short := content_text(messages[i]).strip()) <= _SHORT
    ]
    return " ".join(said) or NOT_HERE


def _told(found: Sequence[Finding]) -> str:
    lines: dict[int, list[str]] = {}
    for finding in found:
        quoted = lines.setdefault(finding.index, [])
        quoted += [p.text for p in finding.passages if p.text not in quoted]
    return " ".join(_says(index, *quoted) for index, quoted in lines.items())


def _says(index: int, *quoted: str) -> str:
    return f"Message {index} says: " + " ".join(f'"{text}"' for text in quoted)
