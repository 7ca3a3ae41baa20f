"""The line that comes again and again: the one question about a log that no single sentence answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ctxkit.models.offline.summary import TIMES
from ctxkit.models.offline.window import Placed

_NOTES = "[Notes"
_ASKED = re.compile(
    r"\b(?:what|which|lines?)\b.*"
    r"\b(?:repeat(?:s|ed|ing)?|recurs?|most often|again and again|over and over)\b",
    re.IGNORECASE | re.DOTALL,
)


def asks_for_repeats(text: str) -> bool:
    """Whether a question asks which line repeats.

    >>> asks_for_repeats("Which line repeats?"), asks_for_repeats("Please repeat the code.")
    (True, False)
    """
    return bool(_ASKED.search(text))


def repeated(placed: Sequence[Placed]) -> tuple[int, str, int] | None:
    """Index of the message, the line and how often it stands there; None where no line repeats.

    >>> from ctxkit import Message
    >>> from ctxkit.models.offline.window import place
    >>> repeated(place([Message.user("start\\nwait\\nwait\\nend")], 1))
    (0, 'wait', 2)
    """
    best: tuple[int, str, int] | None = None
    for p in placed:
        times: Counter[str] = Counter()
        counted: dict[str, int] = {}
        noted = False  # notes on a shortened result say again what it shows
        for passage in p.view.passages:
            mark = TIMES.search(passage.text)
            if mark is None:
                times[passage.text] += not noted
                noted = noted or passage.text.startswith(_NOTES)
            else:
                line = passage.text[: mark.start()]
                counted[line] = max(counted.get(line, 0), int(mark.group(1).replace(",", "")))
        times.update(counted)
        for line, number in times.most_common(1):
            if number > (best[2] if best else 1):
                best = (p.index, line, number)
    return best
