"""Find the row of a table that answers: "which disk is at 93 %?" asks for the one row that has both.

Contract: as `reader.find`, for lines with cells only; a word may agree by its meaning. A row is read by its
head: each word of the question stands in the row, in the head or in what the table is given for, one at least
in the row, and just one row has them. The noun that is asked for is what the first cell names, or stands in
the head; any other answer has its form in the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxkit.models.offline.asked import Asked, asked_words
from ctxkit.models.offline.counts import counted
from ctxkit.models.offline.evidence import plainly
from ctxkit.models.offline.forms import form
from ctxkit.models.offline.passages import Passage, is_row
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.reader import Finding
from ctxkit.models.offline.standing import MEANING, stands
from ctxkit.models.offline.window import Placed
from ctxkit.models.offline.words import WORD, keys


def find_in_table(part: Part, placed: Sequence[Placed]) -> Finding | None:
    """The row that answers a part, or None.

    >>> from ctxkit import Message
    >>> from ctxkit.models.offline.question import parts
    >>> from ctxkit.models.offline.window import place
    >>> talk = place([Message.user("jug    litres\\nblue   3\\ngreen  5")], 1)
    >>> find_in_table(parts("Which jug has 5 litres?")[0], talk).passages[0].text
    'green  5'
    >>> find_in_table(parts("Which jug has 4 litres?")[0], talk) is None
    True
    """
    if not any(is_row(passage) for p in placed for passage in p.view.passages):
        return None
    wanted = form(part)
    asked = asked_words(part, wanted, placed)
    turning = [word for word in asked if (word.content or word.term.exact) and not _asks(word, part)]
    if not turning:
        return None
    for p in reversed(placed):
        for head, rows in _tables(p.view.passages):
            around = [*([head] if head else []), *_given_for(p)]
            fitting = [row for row in rows if _fits(turning, row, around)]
            if len(fitting) == 1 and _answers(part, wanted, asked, fitting[0], head):
                return Finding(p.index, (fitting[0],))
    return None


def _asks(word: Asked, part: Part) -> bool:
    """Whether a word only says what is wanted."""
    return word.form or word.key == part.wanted or word.key in counted(part)[-1:]


def _tables(passages: Sequence[Passage]) -> Iterator[tuple[Passage | None, list[Passage]]]:
    """Each table of a message: its head, if it has one, and its rows."""
    head: Passage | None = None
    rows: list[Passage] = []
    for passage in passages:
        if is_row(passage) and not passage.is_header:
            rows.append(passage)
            continue
        if len(rows) > 1:
            yield head, rows
        head, rows = (passage if passage.is_header else None), []
    if len(rows) > 1:
        yield head, rows


def _given_for(p: Placed) -> list[Passage]:
    """What is said before a table, and what it was asked for by."""
    said = [passage for passage in p.view.passages if not is_row(passage)]
    return said + [passage for view in p.background for passage in view.passages]


def _fits(turning: Sequence[Asked], row: Passage, around: Sequence[Passage]) -> bool:
    here = [stands(word, row) >= MEANING for word in turning]
    told = [any(stands(word, passage) >= MEANING for passage in around) for word in turning]
    own = any(h and not word.relation for h, word in zip(here, turning, strict=True))
    named = all(h for h, word in zip(here, turning, strict=True) if word.term.exact)
    return own and named and all(h or t for h, t in zip(here, told, strict=True))


def _answers(part: Part, wanted: str, asked: Sequence[Asked], row: Passage, head: Passage | None) -> bool:
    """Whether the row has what is wanted: under its own head, in the first cell, or by its form."""
    known = {key for term in part.terms for key in term.keys}
    noun = [word for word in asked if _asks(word, part)]
    if head is not None and noun and all(stands(word, head) >= MEANING for word in noun):
        return True
    if wanted or part.kind != "any":
        return plainly(part, wanted, row, range(len(row.words)), known) > 1
    new = [word for word in WORD.findall(row.text)[:1] if known.isdisjoint(keys(word))]
    return bool(part.wanted and new and part.text.lower().split()[0] == "which")
