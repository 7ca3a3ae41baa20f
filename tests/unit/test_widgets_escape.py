"""Text becomes markup in one place, and does nothing there."""

from __future__ import annotations

import unicodedata
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.widgets.escape import html_text, plot_text, short, visible

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><b>x",
    "&lt;",
    "<|im_start|>",
    "a<b and b>c",
    "costs $5 and $6",
    "$$\\alpha$$",
    "{{ 7*7 }} {% raw %} %{y:,} <extra>gone</extra>",
    "\u202egnp.exe",
    "שלום \u200f!",
    "\ud83d\udc4d \udbc0",
    "\x00\x1b[31m\x7f",
    "plain\U000e0041\U000e0042",
]
hostile_text = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=[])), st.text("<>&\"'${}%/ab ")
)


class Page(HTMLParser):
    """What a browser makes of markup: its elements, and the text that is left."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.runs: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag if not attrs else f"{tag} with attributes")

    def handle_data(self, data: str) -> None:
        self.runs.append(data)


@given(hostile_text)
def test_everything_can_be_seen_and_sent(text):
    shown = visible(text)
    shown.encode("utf-8")
    kinds = {unicodedata.category(character) for character in shown if character not in "\n\t\u200c\u200d"}
    assert kinds.isdisjoint({"Cc", "Cs", "Zl", "Zp"})
    assert not any(unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF") for c in shown)
    assert visible(shown) == shown


def test_what_is_hidden_is_named_not_dropped():
    assert visible("pay\U000e0041\u202e") == "pay⟨U+E0041⟩⟨U+202E⟩"
    hidden = "\U000e0100\U000e01ef\u034f\u3164\u115f\u2800\u17b4\u180b\U0001d173\ufe01"
    assert not set(visible(f"pay{hidden}")) & set(hidden)
    assert visible("❤\ufe0f") == "❤\ufe0f", "this one makes an emoji of the heart"
    joined = "👨\u200d👩"
    assert visible(joined) == joined, "joiners make one picture of two, and belong to some scripts"


@given(hostile_text)
def test_html_is_text_and_no_element_of_it(text):
    page = Page(html_text(text))
    assert set(page.elements) <= {"bdi", "span"}
    assert "".join(page.runs) == visible(text)
    assert not any("$" in run and run != "$" for run in page.runs), "math needs two signs in one run"


@given(hostile_text)
def test_a_plot_finds_no_markup_no_math_and_no_template(text):
    shown = plot_text(text)
    assert not set("<>$\"'{}\n") & set(shown)
    assert unescape(shown).strip("\u2068\u2069") == visible(" ".join(text.split()))


def test_plotly_only_knows_some_names_of_characters():
    assert plot_text('"it\'s"') == "&#34;it&#39;s&#34;"


@given(hostile_text, st.integers(1, 40))
def test_short_is_short_and_on_one_line(text, limit):
    assert len(short(text, limit)) <= limit
    assert "\n" not in short(text, limit)


@pytest.mark.parametrize(
    ("text", "expected"), [("ok", "ok"), ("a  b\n\tc", "a b c"), ("x" * 1_000_000, "xxxx…")]
)
def test_a_cut_is_marked(text, expected):
    assert short(text, limit=5) == expected
