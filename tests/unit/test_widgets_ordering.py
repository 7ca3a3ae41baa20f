"""`OrderedList`: an order that a page may change, as data."""

from __future__ import annotations

import json

import pytest

from ctxkit.widgets.ordering import OrderedList
from ctxkit.widgets.shown import WIDGET_VIEW

NAMES = ["a", "b", "c"]


def made(names=NAMES):
    told = []
    return OrderedList("Letters", names, told.append), told


def page_picks(things, order, on):
    """What a page sends."""
    things.widget.set_state({"picked": {"order": order, "on": on}})


def test_at_first_all_are_in_use_in_their_order():
    things, told = made()
    assert things.value == (0, 1, 2)
    assert things.as_text() == "1. a\n2. b\n3. c"
    assert told == []


@pytest.mark.parametrize(
    ("order", "on", "value", "text"),
    [
        ([1, 0, 2], [True, True, True], (1, 0, 2), "1. b\n2. a\n3. c"),
        ([0, 1, 2], [True, False, True], (0, 2), "1. a\n-  b (left out)\n2. c"),
        ([2, 1, 0], [False, False, False], (), "-  c (left out)\n-  b (left out)\n-  a (left out)"),
    ],
)
def test_a_page_changes_it_and_it_is_told_once(order, on, value, text):
    things, told = made()
    page_picks(things, order, on)
    assert (things.value, things.as_text(), told) == (value, text, [value])


def test_moving_what_is_left_out_is_no_change_of_the_value_but_stays():
    things, told = made()
    things.value = [0, 1]
    page_picks(things, [2, 0, 1], [True, True, False])
    assert (things.value, told) == ((0, 1), [(0, 1)])
    assert things.as_text().splitlines()[0] == "-  c (left out)"


@pytest.mark.parametrize(
    "picked",
    [
        {},
        {"order": [0, 1], "on": [True, True, True]},
        {"order": [0, 1, 1], "on": [True, True, True]},
        {"order": [0, 1, 3], "on": [True, True, True]},
        {"order": [0, 1, True], "on": [True, True, True]},
        {"order": ["0", "1", "2"], "on": [True, True, True]},
        {"order": "012", "on": [True, True, True]},
        {"order": [0, 1, 2], "on": [True, True]},
        {"order": [0, 1, 2], "on": [1, 0, 1]},
        {"order": [0, 1, 2], "on": {"0": True}},
        {"order": [[0], 1, 2], "on": [True, True, True]},
    ],
)
def test_what_a_page_could_not_have_made_is_put_back(picked):
    things, told = made()
    things.value = [2, 0]
    before = dict(things.widget.picked)
    things.widget.set_state({"picked": picked})
    assert (things.value, things.widget.picked, told) == ((2, 0), before, [(2, 0)])


def test_a_program_changes_it_and_the_page_is_told():
    things, told = made()
    things.value = (2, 0)
    assert things.widget.picked == {"order": [2, 0, 1], "on": [True, False, True]}
    things.value = (2, 0)
    assert told == [(2, 0)]


@pytest.mark.parametrize("value", [[0, 0], [3], [-1]])
def test_a_value_that_is_no_order_is_refused(value):
    things, told = made()
    with pytest.raises(ValueError, match="different places from 0 to 2"):
        things.value = value
    assert (things.value, told) == ((0, 1, 2), [])


def test_notes_stand_beside_what_is_in_use():
    things, _ = made()
    things.value = [1, 0]
    things.tell(["first", "second", "third"])
    assert things.as_text() == "1. b: second\n2. a: first\n-  c (left out)"


HOSTILE = "<img src=x onerror=alert(1)>\u202e\x00 $x$ \ud83d"


def test_hostile_text_goes_to_the_page_as_text_that_can_be_seen():
    things, _ = made([HOSTILE, HOSTILE])
    things.tell([HOSTILE, "x" * 100_000])
    sent = json.dumps([things.widget.content, things.widget.state], ensure_ascii=False)
    sent.encode("utf-8")
    assert "onerror=alert(1)>⟨U+202E⟩␀ $x$ ⟨U+D83D⟩" in sent and not {"\u202e", "\x00"} & set(sent)
    assert len(sent) < 2_000
    things.as_text().encode("utf-8")


def test_its_text_is_whole_and_closing_frees_it():
    things, _ = made([f"a rather long name of a thing, number {number}" for number in range(9)])
    bundle = things._repr_mimebundle_()
    assert len(bundle["text/plain"].splitlines()) == 9 and WIDGET_VIEW in bundle
    things.close()
    assert [*things._repr_mimebundle_()] == ["text/plain"]
