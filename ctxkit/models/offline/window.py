"""What stands where in the messages of one request, and what each passage leans on.

Contract: pure. Language leans backwards: "It weighs 900 kilos" leans on the sentence before, "At seven" on
the question before, a result on its call. So a passage's background is what came earlier in its message,
then what its message answers; never what comes later. The reader's own former replies are no evidence: a
refusal says nothing, nor does what it was not sure of, and of a quotation only what was quoted counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ctxkit.messages import Message
from ctxkit.messages.marks import CLEARED, NO_RESULT, SUMMARY_END, SUMMARY_START
from ctxkit.messages.text import content_text
from ctxkit.models.offline.passages import Passage, passages
from ctxkit.models.offline.words import keys

NOT_HERE = "The answer is not in the messages I was sent."
REST_NOT_HERE = "Not in the messages I was sent:"
NOT_SURE = "I am not sure that the answer is in the messages I was sent."
NOT_SURE_OF = "I am not sure of:"
NOTED = "I have read this. Ask me about it: I answer by quoting what I was sent."

_BRIEF = 8
"""Words up to which a question may speak of somebody who was named before it."""
_PERSONS = frozenset(["he", "she", "it", "they", "him", "her", "his", "them", "their", "that", "this"])
_SAYS = r"Message \d+ says: "
_UNSURE = re.compile(rf'\A{NOT_SURE} {_SAYS}.*|{NOT_SURE_OF} "[^"\n]*" {_SAYS}.*', re.DOTALL)
"""What was quoted without being sure is no evidence: asked again, it would be surer each time."""
_QUOTING = re.compile(rf'{NOT_HERE}|{NOTED}|{REST_NOT_HERE} "[^"]*"|{_SAYS}')


@dataclass(frozen=True, eq=False)
class View:
    """One message as the reader sees it. `first` tells for each key in which passage it comes first."""

    passages: tuple[Passage, ...]
    first: dict[str, int]


@dataclass(frozen=True)
class Placed:
    """A view in its place.

    index: in the request. role: who speaks. background: what it leans on, call: which of that is the call of
    a result. fetched: results that a reply reports on.
    """

    index: int
    role: str
    view: View
    background: tuple[View, ...]
    call: View | None = None
    fetched: tuple[View, ...] = ()

    @cached_property
    def replies(self) -> bool:
        """Whether it answers a question."""
        return any(passage.is_question for view in self.background for passage in view.passages)

    @cached_property
    def asked(self) -> frozenset[str]:
        """Keys of the questions that it answers, with what led up to them."""
        found: set[str] = set()
        for view in self.background:
            last = max((i for i, passage in enumerate(view.passages) if passage.is_question), default=-1)
            found.update(key for passage in view.passages[: last + 1] for key in passage.keys)
        if self.role == "user":  # what is behind "he" in the question
            said = (passage for view in self.background[1:] for passage in view.passages)
            found.update(key for passage in said for word in passage.capitals for key in keys(word))
        return frozenset(found)


def place(messages: Sequence[Message], question: int) -> list[Placed]:
    """Place every message but the question.

    >>> talk = [Message.user("When is low water?"), Message.assistant("At seven."), Message.user("When?")]
    >>> [(p.index, [q.text for view in p.background for q in view.passages]) for p in place(talk, 2)]
    [(0, []), (1, ['When is low water?'])]
    """
    placed: list[Placed] = []
    asked: tuple[View, ...] = ()
    spoken: tuple[View, ...] = ()
    fetched: tuple[View, ...] = ()
    calls: dict[str, View] = {}
    heard: tuple[View, ...] = ()
    parallel = False  # of several calls at once, each result answers its own call, not the whole question
    for index, message in enumerate(messages):
        view = _view(evidence(message))
        lean: tuple[View, ...] = ()
        call: View | None = None
        if message.role == "tool":
            call = calls.get(message.tool_call_id or "")
            lean = asked if call is None else (call,) if parallel else (call, *asked)
            fetched = (*fetched, view)
        elif message.role == "assistant":
            calls.update({c.id: _view(f"{c.name} {c.arguments}") for c in message.tool_calls})
            parallel = len(message.tool_calls) > 1
            lean = asked
            spoken = (view,)
            if not message.tool_calls:
                asked = ()
        elif message.role == "user" and message.kind != "summary":
            lean = (*spoken, *heard) if _refers_back(spoken) else spoken
            asked, spoken, fetched, heard = (view,), (), (), (view,)
        if index != question:
            reported = fetched if message.role == "assistant" else ()
            placed.append(Placed(index, message.role, view, lean, call, reported))
    return placed


def _refers_back(asked: Sequence[View]) -> bool:
    """Whether a message ends with a short question that names nothing: "When does he start?" """
    last = asked[-1].passages[-1] if asked and asked[-1].passages else None
    return (
        last is not None
        and last.is_question
        and len(last.words) <= _BRIEF
        and any(word.lower() in _PERSONS for word in last.words)
    )


def evidence(message: Message) -> str:
    """What a message may be quoted for.

    >>> evidence(Message.assistant('Message 4 says: "Low water is at 07:31."'))
    '"Low water is at 07:31."'
    """
    text = content_text(message)
    if message.role == "assistant":
        text = _QUOTING.sub("", _UNSURE.sub("", text))
    if message.role == "tool" and text in (NO_RESULT, CLEARED):
        return ""
    return text.replace(SUMMARY_START, "").replace(SUMMARY_END, "").strip()


@lru_cache(maxsize=16_384)
def _view(text: str) -> View:
    found = passages(text)
    first: dict[str, int] = {}
    for index, passage in enumerate(found):
        for key in passage.keys:
            first.setdefault(key, index)
    return View(found, first)


def names(placed: Sequence[Placed]) -> frozenset[str]:
    """Words that are written with a capital inside a sentence somewhere.

    >>> sorted(names(place([Message.user("Then Ada came. She left.")], 1)))
    ['Ada']
    """
    return frozenset(word for p in placed for passage in p.view.passages for word in passage.capitals)
