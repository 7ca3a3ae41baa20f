"""A slider and its box: they agree, and a change is told once."""

from __future__ import annotations

import pytest

from ctxkit.widgets.controls import SliderWithBox


@pytest.fixture
def told():
    return []


def control(told, value=5, minimum=0, maximum=20, **options):
    return SliderWithBox("Keep (messages)", value, minimum, maximum, told.append, **options)


def standing(made):
    return made.value, made.box.value, made.slider.value


def test_a_slider_moved_on_the_page_moves_the_box_and_is_told_once(told):
    made = control(told)
    made.slider.set_state({"value": 7})
    assert standing(made) == (7, 7, 7) and told == [7]


def test_a_typed_number_moves_the_slider_and_is_told_once(told):
    made = control(told)
    made.box.set_state({"value": 9})
    assert standing(made) == (9, 9, 9) and told == [9]


def test_a_value_set_by_code_is_told_once_and_an_equal_one_not_at_all(told):
    made = control(told)
    made.value = 3
    made.value = 3
    made.slider.set_state({"value": 3})
    assert standing(made) == (3, 3, 3) and told == [3]


def test_a_typed_number_need_not_keep_to_the_step(told):
    made = control(told, value=500, maximum=2_000, step=50)
    made.box.set_state({"value": 293})
    made.slider.set_state({"value": made.slider.value})  # a page that reports its slider back
    assert standing(made) == (293, 293, 6) and told == [293]
    made.slider.set_state({"value": 7})
    assert standing(made) == (350, 350, 7) and told == [293, 350]


def test_a_slider_reaches_both_ends(told):
    made = control(told, value=30, minimum=1, maximum=95, step=10)
    for notch in (made.slider.min, made.slider.max):
        made.slider.value = notch
    assert told == [1, 95]


@pytest.mark.parametrize(("value", "expected"), [(0, 2), (99, 20)])
def test_a_value_outside_is_moved_inside(told, value, expected):
    made = control(told, minimum=2)
    made.value = value
    assert made.value == control(told, value=value, minimum=2).value == expected


@pytest.mark.parametrize(
    ("minimum", "maximum", "value"), [(30, 40, 35), (0, 3, 2), (100, 500, 100), (2, 8, 5)]
)
def test_other_bounds_are_told_as_one_change(told, minimum, maximum, value):
    made = control(told)
    made.set_range(minimum, maximum, value)
    assert standing(made) == (value, value, value)
    assert told == ([] if value == 5 else [value])
    assert (made.box.min, made.box.max) == (made.slider.min, made.slider.max) == (minimum, maximum)


def test_the_label_names_the_box(told):
    made = control(told)
    assert made.box.description == "Keep (messages)"
    assert made.slider.readout is False


@pytest.mark.parametrize("value", [2.0, "2", None, True])
def test_a_value_is_a_whole_number(told, value):
    with pytest.raises(TypeError, match="value"):
        control(told).value = value
