"""Settings that outlive the kernel: what is written is read again, and what is broken is left alone."""

from __future__ import annotations

import json

import pytest

from ctxkit import WindowLab
from ctxkit.widgets.labs.window import keeping

GOOD = {
    "version": 1,
    "strategy": "Keep recent",
    "window": 900,
    "values": {"Keep recent": [4]},
    "talk": "",
    "upto": 3,
}
BROKEN = {
    "no object": 5,
    "a later version": {**GOOD, "version": 2},
    "a strategy of another time": {**GOOD, "strategy": "Two tiers"},
    "no values": {**GOOD, "values": None},
    "values of another strategy": {**GOOD, "values": {"Two tiers": [1]}},
    "too many values": {**GOOD, "values": {"Keep recent": [1, 2]}},
    "a value that is no number": {**GOOD, "values": {"Keep recent": ["<b>4</b>"]}},
    "a negative window": {**GOOD, "window": -1},
    "a huge window": {**GOOD, "window": 10**30},
    "a truth for a number": {**GOOD, "upto": True},
    "no place": {key: value for key, value in GOOD.items() if key != "upto"},
}


@pytest.fixture
def answers(tmp_path, monkeypatch):
    path = tmp_path / "answers.json"
    monkeypatch.setenv("CTXKIT_ANSWERS", str(path))
    return path


@pytest.fixture
def make():
    """Makes labs, and closes them before the next test: a lab writes its settings when they have rested."""
    labs = []

    def made(*arguments, **options):
        labs.append(WindowLab(*arguments, **options))
        return labs[-1]

    yield made
    for lab in labs:
        lab.close()


def stored(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_new_kernel_finds_the_settings(make, answers):
    lab = make(keep_settings=True)
    lab.strategy = "Summarise old"
    lab.settings.dials["Summarise old"][0].value = 12
    lab.settings.window.value = 3_000
    lab.stepper.go(30)
    status = lab.status
    lab.close()
    again = make(keep_settings=True, strategy="Keep recent", window=999)
    assert again.status == status and again.strategy == "Summarise old"
    assert again.panes.code.as_text() == lab.panes.code.as_text()


def test_other_answers_stay(make, answers):
    answers.write_text('{"predictions": {"03-giant": {"guess": 1}}, "exercises": {}}', encoding="utf-8")
    lab = make(keep_settings=True, strategy="Keep recent")
    lab.strategy = "Send everything"
    lab.close()
    assert stored(answers)["predictions"] == {"03-giant": {"guess": 1}}
    assert stored(answers)[keeping.KEY]["strategy"] == "Send everything"


def test_another_conversation_takes_the_settings_but_not_the_place(make, answers):
    lab = make(keep_settings=True, strategy="Keep recent")
    lab.stepper.go(5)
    lab.close()
    other = make([{"role": "user", "content": "Hi"}] * 9, keep_settings=True)
    assert (other.strategy, other.stepper.at) == ("Keep recent", 8)


@pytest.mark.parametrize("entry", BROKEN.values(), ids=BROKEN)
def test_what_is_broken_is_not_used_and_said_in_the_status(make, answers, entry):
    answers.write_text(json.dumps({keeping.KEY: entry}), encoding="utf-8")
    lab = make(keep_settings=True, strategy="Summarise old")
    assert lab.status.startswith("Fits.")
    assert lab.status.endswith("The settings that were kept could not be read; these are the lab's own.")
    lab._keeper.write()
    assert stored(answers)[keeping.KEY] == entry
    lab.settings.window.value = 3_000
    assert "could not be read" not in lab.status
    lab._keeper.write()
    assert keeping.read().window == 3_000


def test_without_being_asked_nothing_is_kept(make, answers):
    lab = make()
    lab.strategy = "Keep recent"
    lab.close()
    assert not answers.exists()


def test_only_settings_that_rest_are_written(answers):
    keeper = keeping.Keeper()
    kept = keeping.parse(GOOD)
    for upto in range(4):
        keeper.keep(keeping.Kept(kept.strategy, kept.window, kept.values, kept.talk, upto))
    keeper.write()
    assert stored(answers)[keeping.KEY]["upto"] == 3
    answers.unlink()
    keeper.write()
    assert not answers.exists()
