"""Cutting a tool result into lines or JSON elements, and saying once what repeats."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.transforms.summaries.lines import (
    DEEPEST_CUT,
    LONGEST_ELEMENT,
    LONGEST_LINE,
    Line,
    Lines,
    json_elements,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=60,
)


def spelled(text):
    return "\n".join("\n".join([line.text] * line.times) for line in Lines.of(text).lines)


@given(st.lists(st.sampled_from(["a", "waiting for the archive", "", "}"]), min_size=1, max_size=80))
def test_lines_said_once_spell_the_text_again(lines):
    text = "\n".join([*lines, "the end"])
    assert spelled(text) == text
    assert sum(len(str(line)) for line in Lines.of(text).lines) <= len(text)
    assert Lines.of(text).count == len(lines) + 1


def test_what_repeats_is_said_once_only_where_that_is_shorter():
    assert [str(line) for line in Lines.of("}\n}\n}").lines] == ["}", "}", "}"]
    assert [str(line) for line in Lines.of("\n" * 500).lines] == ["[repeated 500 times]"]
    [line] = Lines.of("waiting for the archive\n" * 2_000).lines
    assert (line, str(line), line.size) == (
        Line("waiting for the archive", 2_000),
        "waiting for the archive [repeated 2,000 times]",
        48_000,
    )


@given(values.map(lambda value: [value]), st.sampled_from([None, 2]))
def test_json_elements_are_the_text_but_for_blanks_between_them(value, indent):
    text = json.dumps(value, indent=indent)
    elements = json_elements(text)
    assert elements is not None
    assert json.loads("".join(elements)) == value
    rest = text
    for element in elements:
        assert rest.lstrip().startswith(element)
        rest = rest.lstrip()[len(element) :]
    assert rest.strip() == ""


def test_a_row_of_a_table_is_one_element():
    rows = [{"id": i, "note": 'a, "quoted" [brace', "more": ["x"] * 5} for i in range(40)]
    elements = json_elements(json.dumps({"status": "ok", "rows": rows, "next": None}))
    assert elements is not None and len(elements) == 42
    assert all(len(element) <= LONGEST_ELEMENT for element in elements)
    assert json.loads(elements[5].rstrip(",")) == rows[4]


@pytest.mark.parametrize("text", ["", "{", "[1, 2", "7", '"text"', "[1] [2]", "{not: json}", "[" * 100_000])
def test_other_text_is_no_json(text):
    assert json_elements(text) is None
    assert not Lines.of(text).is_json


def test_a_log_that_grows_keeps_its_earlier_lines():
    log = "\n".join(f"{i} salt" for i in range(100)) + "\n" + "x" * 2_500
    before, after = Lines.of(log).lines, Lines.of(log + "yz\nmore").lines
    assert after[: len(before) - 1] == before[:-1]


@pytest.mark.parametrize("unit", ["salt ", "e\u0301", "🇨🇭", "👩‍👩‍👧‍👦", "x"])
def test_a_long_line_is_cut_between_words_or_characters(unit):
    text = unit * 3_000
    pieces = [line.text for line in Lines.of(text).lines for _ in range(line.times)]
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= LONGEST_LINE and len(piece) % len(unit) == 0 for piece in pieces)


def test_json_is_cut_at_the_shallowest_commas_and_not_endlessly_deep():
    numbers = "1," * 20_000 + "1"
    for depth, pieces in ((2, 20_000), (DEEPEST_CUT + 2, 1)):
        text = "[7," * depth + "[" + numbers + "]" + "]" * depth
        elements = json_elements(text)
        assert elements is not None and "".join(elements) == text
        assert elements[0] == "[7," and len(elements) >= pieces
    assert len(elements) <= DEEPEST_CUT + 1
