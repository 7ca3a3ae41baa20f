"""`Bearing`: for each fact of a quiz, a digest of all messages of a window that could bear on it.

Contract: two windows with the same digest hold the same messages that bear on a fact, in the same order, so
one answer serves both, as a rule: a reader may be swayed by what does not bear on it (see `Recall` for how
often the offline reader is).

A message bears on a fact when it tells it, when it is a summary or was added by the kit, when it shares a
content word with the question or with an expected text ("Ada keeps 15 hens now"), and when it answers a
question or a call that does ("15."). With it count the two messages before it in the window, which give it
its sense. Readers differ, so words are compared by a rule that is cheap and rather too wide: a message too
many costs a question, one that is overlooked a wrong answer. Of a `Prefix` only the messages that are new are
looked at, of a list all; the text of each is read once.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence

from ctxkit.messages import Message
from ctxkit.messages.text import content_text
from ctxkit.recall.facts import Fact
from ctxkit.transforms.handover import Prefix, SourcedTrack

BEFORE = 2
"""Messages before one that bears on a fact which belong to it."""
AT_ONCE = 16
"""Calls made at once, at most, whose results are all taken for answers to what their message says."""
LETTERS = 3
"""Letters or digits that a content word has at least; what is expected may be shorter, such as "12"."""
STEM = 5
"""Letters by which words are compared."""

_NO_SPACES = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # Thai, Lao, Japanese, Chinese, Korean
_WORD = re.compile(rf"[{_NO_SPACES}]|[^\W\d_{_NO_SPACES}]+|\d+")
_GRAMMAR = frozenset(
    _WORD.findall(
        "about all and any are but can could did does for from had has have her him his how its many may "
        "much not our she should that the their them there they this was were what when where which who "
        "whom whose why will with would you your"
    )
)

Digests = tuple[bytes, ...]
"""For each fact, one of what was read so far; empty where nothing bears on it."""


class Bearing:
    """What bears on each of these facts.

    >>> talk = [Message.user("Ada keeps 12 hens."), Message.assistant("Noted."), Message.user("It rains.")]
    >>> bearing = Bearing([Fact("How many hens does Ada keep?", ["12"], [0])])
    >>> bearing.of(talk, range(3)) == bearing.of(talk[:1], range(1))
    True
    >>> more = [*talk, Message.assistant("Indoors"), Message.user("A hen was sold.")]
    >>> bearing.of(more, range(5)) == bearing.of(talk, range(3))
    False
    """

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._all = frozenset(range(len(facts)))
        self._telling: defaultdict[int | None, set[int]] = defaultdict(set)
        self._using: defaultdict[str, set[int]] = defaultdict(set)
        for number, fact in enumerate(facts):
            for index in fact.messages:
                self._telling[index].add(number)
            for stem in _stems_of(fact):
                self._using[stem].add(number)
        self._shared: dict[str, frozenset[int]] = {}
        self._track: SourcedTrack[Digests] = SourcedTrack((b"",) * len(facts))

    def of(self, sent: Sequence[Message], sources: Sequence[int | None]) -> Digests:
        """One digest for each fact. sent, sources: as in an `Outcome`."""
        if isinstance(sent, Prefix):
            known, messages = self._track.along(sent.timeline, sources), sent.timeline.messages
            for place in range(len(known) - 1, len(sent)):
                known.append(self._after(known[-1], messages, place, sources[place]))
            return known[len(sent)]
        digests: Digests = (b"",) * len(self._all)
        for place, source in enumerate(sources):
            digests = self._after(digests, sent, place, source)
        return digests

    def _after(self, digests: Digests, window: Sequence[Message], place: int, source: int | None) -> Digests:
        """The digests after one more message of the window."""
        bearing_on = self._on(window[place], source) | self._answering(window, place)
        if not bearing_on:
            return digests
        read = "".join(map(mark, window[max(0, place - BEFORE) : place + 1])).encode("ascii")
        return tuple(
            hashlib.sha256(digest + read).digest() if number in bearing_on else digest
            for number, digest in enumerate(digests)
        )

    def _on(self, message: Message, source: int | None) -> frozenset[int]:
        """The facts on which a message bears by itself."""
        if source is None or message.kind == "summary":
            return self._all
        sharing = self._sharing(message)
        return sharing | self._telling[source] if source in self._telling else sharing

    def _answering(self, window: Sequence[Message], place: int) -> frozenset[int]:
        """The facts on which the question, or the call, that a message answers bears."""
        answers = window[place].role == "tool"
        for before in range(place - 1, max(place - 1 - AT_ONCE, -1), -1):
            if not (answers and window[before].role == "tool"):
                sharing = self._sharing(window[before])
                return sharing if sharing and _asks(window[before]) else frozenset()
        return frozenset()

    def _sharing(self, message: Message) -> frozenset[int]:
        """The facts with which a message shares a content word; it is read once."""
        sharing = self._shared.get(message.digest)
        if sharing is None:
            shared = (self._using[stem] for stem in _stems(_text(message)) if stem in self._using)
            sharing = self._shared[message.digest] = frozenset().union(*shared)
        return sharing


def mark(message: Message) -> str:
    """A message as a reader sees it: its digest, which covers the role, and its kind."""
    return f"{message.digest} {message.kind} "


def _asks(message: Message) -> bool:
    return bool(message.tool_calls) or "?" in content_text(message)


def _text(message: Message) -> str:
    calls = (f"{call.name} {call.arguments}" for call in message.tool_calls)
    return "\n".join([message.name or "", content_text(message), *calls])


def _stems_of(fact: Fact) -> set[str]:
    """Stems of the content words of the question, and of every spelling that is expected.

    >>> sorted(_stems_of(Fact("How many hens does Ada keep?", ["12|a dozen"], [1])))
    ['12', 'ada', 'dozen', 'hen', 'keep']
    """
    texts = [spelling for text in fact.expected for spelling in text.split("|")]
    found = _content(fact.question)
    for text in texts:
        found |= _content(text) or _stems(text)
    return found


def _content(text: str) -> set[str]:
    return {
        stem
        for word in _words(text) - _GRAMMAR
        if len(word) >= LETTERS or not word.isascii()
        for stem in [_stem(word)]
    }


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in _words(text)}


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _stem(word: str) -> str:
    """A number as it is; of a word its first letters without the "s" of a plural.

    >>> [_stem(word) for word in ("hens", "hen", "protection", "1234567")]
    ['hen', 'hen', 'prote', '1234567']
    """
    return word if word.isdigit() else (word.removesuffix("s") or word)[:STEM]
