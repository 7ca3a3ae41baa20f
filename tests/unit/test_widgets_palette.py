"""Colours as numbers: what must be read can be read, in light and in dark."""

from __future__ import annotations

from typing import get_args

import pytest

from ctxkit.messages.text import DISPLAY_ROLES
from ctxkit.transforms.base import Action
from ctxkit.widgets.message_list import SENT
from ctxkit.widgets.palette import ACTIONS, DARK, LIGHT, LIMIT_COLOUR, ROLE_COLOURS, contrast, css, percent

both_themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@both_themes
@pytest.mark.parametrize("ink", ["ink", "muted", "limit"])
def test_text_can_be_read_on_every_paper(theme, ink):
    papers = [theme.paper, theme.soft] if ink != "ink" else [theme.paper, theme.soft, *theme.tints]
    assert min(contrast(getattr(theme, ink), paper) for paper in papers) >= 4.5


@both_themes
def test_marks_stand_out_from_the_page(theme):
    marks = [theme.outline, theme.focus, LIMIT_COLOUR, *ROLE_COLOURS.values()]
    faint = [colour for colour in marks if contrast(colour, theme.paper) < 3]
    assert faint == ([ROLE_COLOURS["tool"]] if theme is LIGHT else [])


@both_themes
def test_neighbouring_tokens_differ(theme):
    assert len(set(theme.tints)) == len(theme.tints) == 4


def test_contrast_is_that_of_the_guideline():
    assert contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_every_role_has_its_colour():
    assert tuple(ROLE_COLOURS) == DISPLAY_ROLES
    assert len({*ROLE_COLOURS.values(), LIMIT_COLOUR}) == 6


def test_every_action_has_an_icon_and_a_word_of_its_own():
    assert set(get_args(Action)) | {"required", "removed", "made", "refused"} == set(ACTIONS)
    assert (
        len({icon for icon, _ in ACTIONS.values()})
        == len({word for _, word in ACTIONS.values()})
        == len(ACTIONS)
    )
    assert set(SENT) < set(ACTIONS)


def test_each_theme_sets_every_variable_itself():
    rules = dict(line.split(" {", 1) for line in css().splitlines() if line.startswith("body"))
    [(_, light), (_, dark)] = rules.items()
    names = [{part.split(":")[0].strip() for part in rule.strip(" }").split(";")} for rule in (light, dark)]
    assert names[0] == names[1] > {"--ctxkit-paper", "--ctxkit-ink", "--ctxkit-tint-3"}
    assert LIGHT.paper in light and DARK.paper in dark


def test_a_share_is_never_rounded_to_nothing_or_all():
    assert [percent(x) for x in (0, 0.0001, 0.5, 0.9999, 1, 2.5)] == [
        "0 %",
        "1 %",
        "50 %",
        "99 %",
        "100 %",
        "250 %",
    ]
