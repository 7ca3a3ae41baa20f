"""Summarise by picking: the passages that say most, word for word, within a cap.

Contract: deterministic; never longer than the cap nor than what it was made from, in words and in tokens;
equal lines become one with their number. A passage says much when its words are frequent in the material
and not yet said (after SumBasic, Nenkova and Vanderwende 2005), when it reports an error, gives a reason,
holds names or numbers, or stood in the notes so far. Each message gets its turn before any gets many.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace

from ctxkit.models.offline.passages import Passage, make, passages
from ctxkit.models.offline.request import Request
from ctxkit.models.offline.shapes import reason_strength
from ctxkit.models.offline.words import WORD, is_function, is_weak, keys

TOKENS_PER_WORD = 4 / 3
"""As in the summariser's own instruction, where a cap in tokens becomes one in words."""
MANY = 3
"""Lines that differ in their time stamps only are counted rather than listed from this number on."""

FORMER_SHARE = 0.6
"""Room that the notes so far may keep, before anything new is looked at."""
OPENING_NOTES = 3
"""Lines of the notes so far that speak of how the talk opened."""

_USER = "user: "
_SELF = re.compile(r"\b(?:I|I'm|my|we|our|me|us)\b", re.IGNORECASE)
_SPEAKER = re.compile(r"^(?:(user): |(?:assistant|system|developer|tool|earlier notes|result[^:\n]{0,80}): )")
_CALL = re.compile(r"^assistant calls [^\n]*$", re.MULTILINE)
TIMES = re.compile(r" \[repeated (\d[\d,]{0,14}) times\]$")
_ALARM = re.compile(
    r"\b(?:errors?|exception|traceback|fatal|critical|panic|denied|refused)\b|\bfailed:|\w(?:Error|Exception)\b",
    re.IGNORECASE,
)
_STAMP = re.compile(r"^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?\]?\s+")
_DIGITS = re.compile(r"\d+")


@dataclass
class _Candidate:
    """A passage that may be picked. source: number of the message that it comes from, -1 for the notes so
    far; times: lines like it."""

    text: str
    passage: Passage
    source: int
    times: int = 1

    def __post_init__(self) -> None:
        self.telling = _telling(self.passage)
        self.by_user = self.text.startswith(_USER)
        self.error = bool(_ALARM.search(self.text))
        self.facts = (
            bool(self.passage.capitals)
            + bool(_DIGITS.search(self.text))
            + 1.5 * (reason_strength(self.passage) == 2)
        )
        self.about_self = self.by_user and bool(self.telling) and bool(_SELF.search(self.passage.text))
        self.opens = False

    @property
    def idle(self) -> bool:
        """Questions are no notes, nor are "Yes" and "I love that"."""
        return self.passage.is_question or (len(self.telling) < 1 + self.by_user and not self.facts)

    @property
    def shown(self) -> str:
        return self.text if self.times == 1 else f"{self.text} [repeated {self.times:,} times]"


def summarise(request: Request, count: Callable[[str], int]) -> str:
    """A summary of a request's material. count: counts tokens.

    >>> log = "\\n".join(["starting", *["waiting for the lock"] * 50, "error: no lock for Ada"])
    >>> print(summarise(Request("", log, 20), lambda text: len(text) // 4))
    starting
    waiting for the lock [repeated 50 times]
    error: no lock for Ada
    """
    found = _candidates(request)
    pool = [c for c in found if not c.idle] or found
    source_tokens = count(request.former) + count(request.material)
    room = _Room(request.words, min(int(request.words * TOKENS_PER_WORD), source_tokens + 1), count)
    frequency = Counter(key for c in found for key in c.telling)
    chosen: set[int] = set()
    former = [i for i, c in enumerate(pool) if c.source < 0]
    _pick(pool, former, frequency, chosen, room.part(FORMER_SHARE))
    _pick(pool, range(len(pool)), frequency, chosen, room.without(pool[i].shown for i in chosen))
    text = "\n".join(pool[i].shown for i in sorted(chosen))
    return text or _clipped(pool[0].text if pool else "", room)


@dataclass
class _Room:
    """Words and tokens that are left."""

    words: int
    tokens: int
    count: Callable[[str], int]

    def part(self, share: float) -> _Room:
        return _Room(int(self.words * share), int(self.tokens * share), self.count)

    def without(self, texts: Iterable[str]) -> _Room:
        rest = _Room(self.words, self.tokens, self.count)
        for text in texts:
            rest.take(text)
        return rest

    def take(self, text: str) -> bool:
        """Make use of room for a line, if it fits."""
        words, tokens = len(text.split()), self.count(text + "\n")
        if words > self.words or tokens > self.tokens:
            return False
        self.words -= words
        self.tokens -= tokens
        return True


def _pick(
    pool: Sequence[_Candidate], among: Iterable[int], frequency: Counter[str], chosen: set[int], room: _Room
) -> None:
    """Choose what says most that was not said yet, again and again, until nothing more fits."""
    said = Counter(key for i in chosen for key in pool[i].telling)
    taken = Counter(pool[i].source for i in chosen)
    # Worth only falls as more is said, so an old figure is a bound: only the top has to be looked at again.
    heap = [(-_worth(pool[i], frequency, said, taken[pool[i].source]), i) for i in among if i not in chosen]
    heapify(heap)
    while heap:
        best = heap[0][1]
        now = -_worth(pool[best], frequency, said, taken[pool[best].source])
        if now > heap[0][0]:
            heapreplace(heap, (now, best))
            continue
        heappop(heap)
        if room.take(pool[best].shown):
            chosen.add(best)
            said.update(pool[best].telling)
            taken[pool[best].source] += 1


def _candidates(request: Request) -> list[_Candidate]:
    """All passages in order; those of the first message that tells something, or of notes on it, are
    marked: what a talk opens with it often comes back to."""
    found = [
        _Candidate(line, make(line.removeprefix(_USER)), -1)
        for line in request.former.splitlines()
        if WORD.search(line)
    ]
    source = 0
    for line in _CALL.sub("", request.material).splitlines():
        speaker = _SPEAKER.match(line)
        source += speaker is not None
        mark = _USER if speaker and speaker.group(1) else ""
        for passage in passages(line[speaker.end() :] if speaker else line):
            # Who said it matters for "I am Ada"; the rest reads without.
            found.append(_Candidate(mark + passage.text, passage, source))
    found = _counted(found)
    opening = next((c.source for c in found if not c.by_user and not c.passage.is_question), None)
    for order, c in enumerate(found):
        c.opens = c.source == opening and (c.source >= 0 or order < OPENING_NOTES)
    return found


def _counted(found: Sequence[_Candidate]) -> list[_Candidate]:
    """Lines that differ in their time stamps only, as one line each with their number; a number from
    earlier notes is added."""
    groups: dict[str, list[_Candidate]] = {}
    for c in found:
        earlier = TIMES.search(c.text)
        if earlier:
            text = c.text[: earlier.start()]
            c = _Candidate(text, make(text), c.source, int(earlier.group(1).replace(",", "")))
        groups.setdefault(_STAMP.sub("", c.text), []).append(c)
    kept: list[_Candidate] = []
    for group in groups.values():
        times = sum(c.times for c in group)
        if times >= MANY or (len(group) == 1 and times > 1):
            kept.append(_Candidate(group[0].text, group[0].passage, group[0].source, times))
        else:
            kept += list({c.text: c for c in group}.values())
    order = {id(c.passage): i for i, c in reversed(list(enumerate(found)))}
    return sorted(kept, key=lambda c: order.get(id(c.passage), 0))


def _telling(passage: Passage) -> list[str]:
    return [
        key
        for word in dict.fromkeys(passage.words)
        if not is_function(word)
        for key in keys(word)[:1]
        if not is_weak(key)
    ]


def _worth(c: _Candidate, frequency: Counter[str], said: Counter[str], taken: int) -> float:
    """What a passage would add to what was chosen so far, for the room that it takes."""
    fresh = sum(math.log(1 + frequency[key]) / (1 + 2 * said[key]) for key in c.telling)
    lead = 1.5 if c.opens else 1.0
    return (
        lead * (fresh + c.facts + 2.0 * c.about_self) / (8 + len(c.passage.words)) / (1 + 0.5 * taken)
        + c.error
    )


def _clipped(text: str, room: _Room) -> str:
    """The first words of a text that fit, at least one."""
    words = text.split()[: room.words]
    while len(words) > 1 and room.count(" ".join(words)) > room.tokens:
        words.pop()
    return " ".join(words) or "Nothing was said."
