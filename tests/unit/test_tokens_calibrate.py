"""Counters fitted to what a server reported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import Message
from ctxkit.tokens import TokenCounter
from ctxkit.tokens.calibrate import fit

NUMBERS = st.integers(1, 10_000)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1))
def test_what_was_measured_is_never_promised_for_less(pairs):
    scale, base = fit(pairs)
    assert scale > 0 and base >= 0
    assert all(scale * counted + base >= reported - 1e-3 for counted, reported in pairs)


@given(st.floats(0.5, 3), st.integers(0, 500), st.sets(NUMBERS.map(lambda number: 100 * number), min_size=2))
def test_a_line_is_found_again(scale, base, counts):
    fitted_scale, fitted_base = fit([(counted, round(scale * counted + base)) for counted in counts])
    for counted in counts:
        assert fitted_scale * counted + fitted_base == pytest.approx(scale * counted + base, abs=4)


@pytest.mark.parametrize(
    ("pairs", "line"),
    [
        ([(1000, 1035)], (1.035, 0.0)),
        ([(100, 130), (100, 150)], (1.5, 0.0)),  # nothing to lay a line through
        ([(100, 200), (200, 150)], (2.0, 0.0)),  # a falling line would make messages free
        ([(100, 80), (200, 240)], (1.2, 0.0)),  # a base below zero would make short requests free
        ([(100, 182), (200, 312), (300, 430)], (1.24, 64.0)),  # lifted onto the second, which lies highest
    ],
)
def test_lines_that_make_no_sense_are_not_drawn(pairs, line):
    assert fit(pairs) == pytest.approx(line)


@pytest.mark.parametrize(
    ("pairs", "error", "place"),
    [
        ([], ValueError, "at least one"),
        ([(100, None)], TypeError, r"pairs\[0\], reported"),
        ([(100, 130), (100, 0)], ValueError, r"pairs\[1\], reported"),
        ([(0, 130)], ValueError, r"pairs\[0\], counted"),
        ([(100, 130, 5)], TypeError, r"pairs\[0\]"),
        ([100, 130], TypeError, r"pairs\[0\]"),
    ],
)
def test_bad_pairs_are_named(pairs, error, place):
    with pytest.raises(error, match=place):
        TokenCounter().calibrated(pairs)


def test_a_calibrated_counter_scales_texts_too_and_leaves_the_first_one_alone():
    counter = TokenCounter()
    fitted = counter.calibrated([(100, 150)])
    assert counter.count_text("one two three four") == 4
    assert fitted.count_text("one two three four") == 6
    assert fitted.truncate("one two three four", 3) == "one two"
    assert fitted.encode("one two") == counter.encode("one two")
    assert fitted.encoding == "cl100k_base"
    assert (counter.exact, fitted.exact, fitted.exact_for([Message.user("one")])) == (True, False, False)
