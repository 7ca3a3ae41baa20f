"""The one place that turns text into something a page or a plot shows.

Contract: message text, names, ids and error texts are hostile. What comes out shows every character and
does nothing: no tag, no math between dollar signs (plotly/Kaleido#54), no `%{...}` or `<extra>` of a plot
(plotly/plotly.js#3643), no text that runs backwards over its neighbours, no character that only a machine
can see. The pages of `ctxkit.widgets` write text as `textContent`, for which `visible` is enough;
`html_text` and `plot_text` are for the few places that take markup.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}

_MARKUP = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&#34;",
    "'": "&#39;",
    "$": "&#36;",
    "{": "&#123;",
    "}": "&#125;",
}
_WHITESPACE = str.maketrans({" ": "·", "\n": "⏎", "\t": "⇥"})


def visible(text: str, *, whitespace: bool = False) -> str:
    """Replace what cannot be seen by something that can; with `whitespace`, blanks, tabs and line ends too.

    >>> visible("a\\x00b\\u202ec \\ud83d")
    'a␀b⟨U+202E⟩c ⟨U+D83D⟩'
    >>> visible("two words\\n", whitespace=True)
    'two·words⏎'
    """
    text = _unseen().sub(_named, text)
    return text.translate(_WHITESPACE) if whitespace else text


def short(text: str, limit: int = 120) -> str:
    """Visible text on one line of at most `limit` characters; a cut is marked by "…".

    A megabyte costs no more than a line: only its beginning is read.

    >>> short("first line\\nsecond line", limit=15)
    'first line sec…'
    """
    line = visible(" ".join(text[: 4 * limit].split()))
    cut = len(text) > 4 * limit or len(line) > limit
    return line[: limit - 1].rstrip() + "…" if cut else line


def html_text(text: str) -> str:
    """Text for an HTML page, isolated from the direction of its neighbours.

    A dollar sign gets an element of its own: math is only looked for inside one run of text.

    >>> html_text("<b>$x$")
    '<bdi>&lt;b&gt;<span>&#36;</span>x<span>&#36;</span></bdi>'
    """
    return f"<bdi>{_escaped(text).replace('&#36;', '<span>&#36;</span>')}</bdi>"


def plot_text(text: str) -> str:
    """Text for a title, name or note of a plot, on one line.

    >>> plot_text("<b>costs $5 and $6</b> %{y}<extra>")
    '&lt;b&gt;costs &#36;5 and &#36;6&lt;/b&gt; %&#123;y&#125;&lt;extra&gt;'
    """
    line = _escaped(" ".join(text.split()))
    return f"\u2068{line}\u2069" if any(map(_is_right_to_left, line)) else line


def _escaped(text: str) -> str:
    return "".join(_MARKUP.get(character, character) for character in visible(text))


def _is_right_to_left(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")


def _named(match: Any) -> str:
    code = ord(match.group())
    return _PICTURES.get(code, f"⟨U+{code:04X}⟩")


@lru_cache(maxsize=1)
def _unseen() -> Any:
    import regex  # late: it knows Unicode's properties, and is dear to import

    # Characters that a reader cannot see: controls, marks that turn the direction of text, halves of
    # surrogate pairs, which no page can show and no JSON message can carry (openai/tiktoken#82), and all that
    # Unicode calls ignorable by default, which can carry whole hidden sentences (tag characters, variation
    # selectors). Kept are the joiners of Persian, Indic scripts and emoji, and the selector that makes an
    # emoji of what it follows.
    return regex.compile(
        r"(?!\u200c|\u200d|(?<=\p{Emoji})\ufe0f)"
        r"[\x00-\x08\x0b-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\u2800"
        r"\u206a-\u206f\ufff9-\uffff\p{Cs}\U0001d173-\U0001d17a]"
    )
