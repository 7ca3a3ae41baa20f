"""Long text: pieces count what the whole counts, and blind cuts say so."""

from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ctxkit import Message
from ctxkit.tokens import TextToken, TokenCounter, pieces
from ctxkit.tokens.vocabulary import vocabulary

ENCODINGS = ("cl100k_base", "o200k_base")
WORDS = [" the", " Word", "\nA", "\nЖилищ", " 你好", " é", "\nn'est", "don't", "'s", "'LL", "x"]
MARKS = [
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\u00a0",
    "\u2028",
    ".",
    "...",
    "/",
    "//",
    "_",
    "12",
    "½",
    "🍕",
    "e\u0301",
    "ा",
]
WORDY_TEXT = st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS + MARKS)), min_size=20).map(
    "".join
)


def small_pieces():
    return patch.multiple(pieces, PIECE=30, LONGEST_PIECE=60)


@given(WORDY_TEXT)
def test_pieces_cut_safely_count_what_the_whole_counts(text):
    with small_pieces():
        parts, safe = pieces.split(text)
    assert "".join(parts) == text
    assume(safe and len(parts) > 1)
    for name in ENCODINGS:
        encoding = vocabulary(name)
        whole = encoding.encode_ordinary(text)
        assert sum(len(encoding.encode_ordinary(part)) for part in parts) == len(whole)


@given(st.text(st.sampled_from("a \n-9é🍕\ud83d")))
def test_nothing_is_lost_wherever_a_text_is_cut(text):
    with small_pieces():
        parts, _ = pieces.split(text)
    assert "".join(parts) == text
    assert all(len(part) <= 60 for part in parts)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_long_prose_text_is_exact_though_cut(name):
    text = "The tide comes in twice a day.\nNobody is surprised, least of all the gulls! " * 8_000
    parts, safe = pieces.split(text)
    assert safe and len(parts) > 5
    assert TokenCounter(name).count_text(text) == len(vocabulary(name).encode_ordinary(text))
    assert TokenCounter(name).exact_for([Message.user(text)])


def test_a_blind_cut_makes_the_count_an_estimate():
    counter = TokenCounter()
    assert counter.exact_for([Message.user("1," * 90_000)])  # 180,000 characters: still one piece
    assert not counter.exact_for([Message.user("1," * 110_000)])
    assert counter.exact


def test_a_panic_of_the_tokeniser_gives_an_estimate_and_says_so(monkeypatch):
    """zurawiki/tiktoken-rs#117: a million blanks and a letter, in one piece, panic; that is no Exception."""
    monkeypatch.setattr(pieces, "PIECE", 10**7)
    text = " " * 1_000_000 + "x"
    with pytest.raises(BaseException) as caught:
        vocabulary("cl100k_base").encode_ordinary(text)
    assert type(caught.value).__name__ == "PanicException"
    counter = TokenCounter()
    assert counter.count_text(text) == 1_000_000  # the estimate: each blank but the last one, and the word
    assert not counter.exact_for([Message.user(text)])
    assert counter.exact_for([Message.user("x")])


def test_a_piece_that_panics_is_still_shown(monkeypatch):
    monkeypatch.setattr(pieces, "token_ids", lambda encoding, piece: None)
    assert TokenCounter().encode("Hi there") == [TextToken("Hi", ()), TextToken(" there", ())]


def test_no_other_error_is_taken_for_a_panic():
    class Interrupting:
        def encode_ordinary(self, piece):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pieces.token_ids(Interrupting(), "text")  # type: ignore[arg-type]
