"""What stands in the place of a long tool result: its first and last lines, lines that speak of errors, and
notes on all of it.

Contract: at most `max_tokens` in all, recounted; it begins and ends with the kit's marks, says how long the
whole was, and shows each gap, so that nobody takes it for the whole or, where it was JSON, for valid JSON.
Lines are quoted as they stand. The last line comes first in rank, because a log ends with what went wrong:
1,400 lines and one FATAL at the end are the case to get right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from ctxkit.messages.marks import SHORTENED_END, SHORTENED_START
from ctxkit.tokens import TokenCounter
from ctxkit.transforms.summaries.lines import Lines

NOTES = "[Notes on all of it; background, not a request:]"
BRIEF_NOTES = "[Notes, no request:]"
BARE = f"{SHORTENED_START}]\n{SHORTENED_END}"
"""The least that can stand in the place of a result."""

CUT = "…"

_GAP = 14
"""Tokens that a mark for left-out characters takes, rounded up."""

_ERROR = re.compile(
    r"error|exception|traceback|fatal|critical|panic|fail(?:ed|ing|ure|s)?\b|out of memory|core dumped|"
    r"segfault|segmentation fault|"
    r"fehler|fehlgeschlagen|erreur|échec|ошибк|エラー|错误|錯誤|失败|失敗|오류|실패|"
    r"\b(?:(?:denied|refused|missing|not found|unable|invalid|timed?[ -]?out|killed|erros?)\b|oom|"
    r"(?:http(?:/[\d.]+)?|status(?: code)?)\W{1,4}[45]\d\d\b|"
    r"exit(?:ed)?\b.{0,9}\b(?:code|status)\W{1,3}[1-9])"
)
"""Of a line in lower case; without regard to case the search would take three times as long."""

_DIGITS = re.compile(r"\d+")


def shortened(whole: Lines, characters: int, notes: str, max_tokens: int, counter: TokenCounter) -> str:
    """Write what stands in the place of a result.

    whole: the result as lines. characters: how long it was. notes: a summary of it. max_tokens: cap of all
    that is written.

    >>> log = "starting\\n" + "waiting\\n" * 2_000 + "error: no credentials for user mira\\n"
    >>> print(shortened(Lines.of(log), len(log), "It waited, then failed.", 200, TokenCounter()))
    [Shortened tool result: 16,045 characters in 2,002 lines]
    starting
    waiting [repeated 2,000 times]
    error: no credentials for user mira
    [Notes on all of it; background, not a request:]
    It waited, then failed.
    [End of the result]
    """
    return _Page(whole, characters, _quoted(notes), max_tokens, counter).text()


class _Page:
    """A page that is filled line by line until it is full."""

    def __init__(
        self, whole: Lines, characters: int, notes: str, max_tokens: int, counter: TokenCounter
    ) -> None:
        self.lines, self.counter, self.max_tokens = whole.lines, counter, max_tokens
        self.shown: dict[int, str] = {}
        kind = ", no longer valid JSON" if whole.is_json else ""
        unit = "elements" if whole.is_json else "lines"
        size = f": {characters:,} characters" + (f" in {whole.count:,} {unit}" if whole.count > 1 else "")
        for facts, heading in ((kind + size, NOTES), (kind, BRIEF_NOTES), ("", "")):
            self.start, self.notes = f"{SHORTENED_START}{facts}]", heading
            if self._cost(self._page()) <= max_tokens // 3:
                break  # a small cap has a small frame
        room = max_tokens - self._cost(self._page()) - 1
        self.notes = "\n".join(filter(None, [self.notes, self._fitting(notes, room)]))

    def text(self) -> str:
        """The full page."""
        self._fill(self.max_tokens - self._cost(self._page()))
        while self.shown and self._cost(self._page()) > self.max_tokens:
            self.shown.popitem()
        return self._page()

    def _fill(self, room: int) -> None:
        """Take lines by rank: the last and the first, those with errors, then more from both ends."""
        longest, room = room // 4, room - _GAP
        last = len(self.lines) - 1
        for index, place in [(last, len(self.lines[last].text)), (0, 0)] if self.lines else []:
            room -= self._take(index, self._fitting(str(self.lines[index]), longest, place), room)
        spare = room  # the first error may take all of it, the others half of what is left then
        for found, (index, place) in enumerate(self._errors()):
            shown = self._fitting(str(self.lines[index]), longest if found else spare - _GAP - 1, place)
            cost = self._take(index, shown, spare - _GAP) + _GAP
            if index not in self.shown:
                break
            room -= cost
            spare = spare - cost if found else room // 2
        sides = [iter(reversed(range(last + 1))), iter(range(last + 1))]
        while sides:
            side = sides.pop(0)
            index = next((i for i in side if i not in self.shown), None)
            if index is not None:
                room -= self._take(index, _quoted(str(self.lines[index])), room)
                sides += [side] if index in self.shown else []

    def _take(self, index: int, shown: str, room: int) -> int:
        """Show a line if there is room for it and it is not shown yet; what it costs."""
        cost = self._cost(shown) + 1
        if cost > room or index in self.shown or (not shown and self.lines[index].text):
            return 0
        self.shown[index] = shown
        return cost

    def _errors(self) -> Iterator[tuple[int, int]]:
        """Lines that speak of an error, and where they do, one of each kind: the last, the first, and so on
        inwards.
        """
        kinds: dict[str, tuple[int, int]] = {}
        for index, line in enumerate(self.lines):
            found = _ERROR.search(line.text.lower())
            if found and index not in self.shown:
                kinds.setdefault(_DIGITS.sub("0", line.text), (index, found.start()))
        errors = list(kinds.values())
        half = (len(errors) + 1) // 2
        for pair in zip_longest(reversed(errors[half:]), errors[:half]):
            yield from filter(None, pair)

    def _fitting(self, text: str, tokens: int, place: int = 0) -> str:
        """A text, or the part of it around `place` that takes at most `tokens`, marked where it was cut."""
        text = _quoted(text)
        if tokens < 3 or self._cost(text) <= tokens:
            return text if tokens >= 3 else ""
        if place == 0:
            return self.counter.truncate(text, tokens - 2).rstrip() + CUT
        if place >= len(text) - 1:
            return CUT + self._ending(text, tokens - 2)
        start = text.rfind(" ", 0, max(0, place - 40)) + 1
        return CUT + self.counter.truncate(text[start:], tokens - 3).rstrip() + CUT

    def _ending(self, text: str, tokens: int) -> str:
        """The longest run of whole words at the end that takes at most `tokens`; of one word, its end."""
        starts = [found.start() for found in re.finditer(r"\S+", text)]
        if not starts:
            return ""
        if self._cost(text[starts[-1] :]) > tokens:
            starts = list(range(starts[-1], len(text)))
        low, high = 0, len(starts) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._cost(text[starts[middle] :]) <= tokens else (middle + 1, high)
        return text[starts[low] :]

    def _page(self) -> str:
        body: list[str] = []
        next_index = 0
        for index in sorted(self.shown):
            gap = sum(line.size for line in self.lines[next_index:index])
            body += [_gap(gap)] if gap else []
            body.append(self.shown[index])
            next_index = index + 1
        rest = sum(line.size for line in self.lines[next_index:])
        body += [_gap(rest)] if rest and self.shown else []
        return "\n".join(filter(None, [self.start, *body, self.notes, SHORTENED_END]))

    def _cost(self, text: str) -> int:
        return self.counter.count_text(text)


def _gap(characters: int) -> str:
    return f"[{CUT} {characters:,} characters left out {CUT}]"


def _quoted(text: str) -> str:
    """A text that cannot end the result before its end: a mark in it is set apart."""
    for mark in (SHORTENED_START, SHORTENED_END):
        text = text.replace(mark, "(" + mark[1:])
    return text
