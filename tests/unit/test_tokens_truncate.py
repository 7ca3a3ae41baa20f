"""Cutting a text to a number of tokens, between whole characters."""

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from ctxkit.tokens import TokenCounter

COUNTERS = [TokenCounter("cl100k_base"), TokenCounter("o200k_base")]
WHOLE = ["🍕", "🇨🇭", "👍🏽", "👩‍👩‍👧", "e\u0301", "\r\n", "한", "नि", "ß", "\ufffd"]
TEXT = st.lists(st.sampled_from([*WHOLE, "information ", "a", " ", "\n", "12345", "!?"])).map("".join)


@pytest.mark.parametrize("counter", COUNTERS, ids=repr)
@given(text=TEXT, limit=st.integers(0, 40))
def test_the_result_is_a_prefix_within_the_limit_at_a_border_between_characters(counter, text, limit):
    kept = counter.truncate(text, limit)
    assert text.startswith(kept)
    assert counter.count_text(kept) <= limit
    assert len(kept) in {0, *(match.end() for match in regex.finditer(r"\X", text))}
    if counter.count_text(text) <= limit:
        assert kept == text


@example(text="한information information information ", limit=4)  # the third word ends far beyond
@given(text=TEXT, limit=st.integers(0, 40))
def test_not_a_whole_character_more_would_fit(text, limit):
    """Longest up to the wobble of merging: past the cut, no prefix that ends with a word fits."""
    counter = COUNTERS[0]
    kept = counter.truncate(text, limit)
    longer = [match.end() for match in regex.finditer(r"\S+(?=\s|$)", text) if match.end() > len(kept)]
    assert all(counter.count_text(text[:end]) > limit for end in longer)


def test_a_word_is_kept_whole_though_its_beginnings_cost_more():
    counter = COUNTERS[0]
    assert counter.count_text("informa") == 2
    assert counter.truncate("information is power", 1) == "information"


def test_long_texts_without_a_blank_are_cut_too():
    kept = COUNTERS[0].truncate("你好世界" * 10_000, 500)
    assert len(kept) == 400  # five tokens for four characters
    assert COUNTERS[0].truncate("e" + "\u0301" * 5_000, 100) == ""  # one character, too dear


def test_a_pair_of_surrogates_stays_together():
    text = "ab \ud83d\udc4d"
    assert COUNTERS[0].truncate(text, 2) in ("ab", "ab ")


@pytest.mark.parametrize(
    ("text", "limit", "error"),
    [("a", -1, ValueError), ("a", 1.5, TypeError), (b"a", 1, TypeError), ("a", True, TypeError)],
)
def test_bad_arguments_are_named(text, limit, error):
    with pytest.raises(error, match=r"^(max_tokens|text): "):
        TokenCounter().truncate(text, limit)
