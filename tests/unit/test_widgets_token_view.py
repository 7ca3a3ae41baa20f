"""`TokenView`: every token can be seen, and so can every character of it."""

from __future__ import annotations

import pytest

from ctxkit import TokenCounter
from ctxkit.widgets import TokenView


def shown(view):
    return [text for text, _ in view.widget.state["tokens"]]


def told(view):
    return [about for _, about in view.widget.state["tokens"]]


def test_whitespace_can_be_seen():
    view = TokenView("two  words\n\n\tend")
    assert "".join(shown(view)) == "two··words⏎⏎⇥end"
    assert view.as_text().splitlines()[0] == "5 tokens, 16 characters"


def test_ids_are_those_of_the_vocabulary():
    [hello, world] = TokenCounter().encode("Hello world")
    view = TokenView("Hello world")
    assert told(view) == [
        f"Token 1 of 2: “Hello”, id {hello.ids[0]}",
        f"Token 2 of 2: “·world”, id {world.ids[0]}",
    ]


def test_a_character_of_several_tokens_is_shown_whole():
    view = TokenView("I love 🍕")
    assert shown(view) == ["I", "·love", "·🍕"]
    assert told(view)[2].startswith("Tokens 3 to 5 of 5: “·🍕”, ids ")


def test_what_is_typed_is_counted():
    view = TokenView("before")
    view.widget.set_state({"text": "typed by hand"})  # what a page sends
    assert view.text == "typed by hand"
    assert view.as_text().startswith("3 tokens, 13 characters")
    view.text = ""
    assert view.as_text() == "0 tokens, 0 characters"


def test_the_page_gets_the_beginning_of_a_long_text_and_the_cut_is_stated():
    view = TokenView("7," * 50_000)
    status, _ = view.as_text().split("\n", 1)
    assert status == "100,000 tokens, 100,000 characters. Shown are the first 1,000 characters."
    assert len(shown(view)) == 1_000
    assert len(view.widget.get_state(["text"])["text"]) == 4_000
    assert len(view.text) == 100_000


def test_estimates_are_marked():
    assert TokenView("hi", TokenCounter("llama3.2")).as_text().startswith("≈ 1 token, 2 characters")


HOSTILE = "<b>\u202e\x00</b> $x$ \ud83d"


def test_hostile_text_is_text():
    view = TokenView(HOSTILE)
    assert "".join(shown(view)).startswith("<b>⟨U+202E⟩␀</b>·$x$·")
    for text in (*shown(view), *told(view), view.as_text(), view.widget.get_state(["text"])["text"]):
        text.encode("utf-8")
        assert not {"\u202e", "\x00"} & set(text)


class Broken(TokenCounter):
    def count_text(self, text):
        if "bad" in text:
            raise ValueError("<b>no</b>")
        return super().count_text(text)


def test_an_error_is_told_and_the_text_before_stays():
    view = TokenView("good", Broken())
    before = shown(view)
    view.widget.set_state({"text": "bad"})
    assert view.as_text().startswith("⚠ Not counted: ValueError: <b>no</b>")
    assert shown(view) == before
    view.widget.set_state({"text": "fine again"})
    assert view.as_text().startswith("2 tokens")


@pytest.mark.parametrize("text", [None, 5, b"bytes"])
def test_text_is_text(text):
    with pytest.raises(TypeError, match="text"):
        TokenView(text)
