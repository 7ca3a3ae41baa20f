"""Conversations of one's own in the window lab: nothing that is refused loses anything."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import pytest

from ctxkit import TokenCounter, WindowLab
from tests.window_labs import enter, pasted, picture


@pytest.mark.parametrize("bad", ["", "no json", '[{"role": "user", "content": 5}]', "[]", '{"role": 1}'])
def test_a_bad_paste_loses_nothing(bad):
    lab = WindowLab(strategy="Keep recent")
    before = picture(lab)[:-1]
    pasted(lab, bad)
    assert lab.status.startswith("Not loaded.") and lab.status.endswith("The conversation is as it was.")
    assert "Not loaded." in lab.loading.said.value and "as it was." in lab.loading.said.value
    assert lab.loading.text.value == bad
    assert picture(lab)[:-1] == before
    lab.refresh()
    assert lab.status.startswith("Fits. 41 messages became 10")


def test_a_good_paste_replaces_the_conversation():
    lab = WindowLab()
    pasted(lab, json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]))
    assert lab.loading.text.value == "" and lab.loading.choice.label == "Pasted conversation (2 messages)"
    assert lab.status.startswith("Fits. All 2 messages are sent") and lab.stepper.at == 1
    assert [row[1] for row in lab.panes.table.widget.content["rows"]] == ["Hi", "Hello!"]
    assert "no quiz for this conversation" in lab.as_text()
    lab.loading.reset.click()
    assert "of 41 messages" in lab.as_text() and "/ 28" in lab.as_text()


def test_a_file_is_loaded():
    lab = WindowLab()
    content = b'[{"role": "user", "content": "Hi"}]'
    when = datetime(2026, 1, 1, tzinfo=timezone.utc)
    file = {"name": "<b>.json", "type": "", "size": 1, "last_modified": when}
    lab.loading.file.value = ({**file, "content": memoryview(content)},)
    assert lab.loading.choice.label == "<b>.json (1 message)" and lab.loading.file.value == ()
    lab.loading.file.value = ({**file, "content": memoryview(b"{")},)
    assert lab.status.startswith("Not loaded. messages: broken JSON at line 1, column 2")
    assert len(lab._talk.messages) == 1


def test_messages_are_added_by_hand():
    lab = WindowLab(strategy="Keep recent")
    lab.asking.box.value = "Is it clever?"
    lab.loading.role.value, lab.loading.words.value = "assistant", "A sponge."
    lab.loading.add.click()
    assert lab.stepper.at == 41 and lab.panes.table.as_text().endswith("A sponge.")
    assert lab.loading.choice.label == "Dolphins to octopus, changed (42 messages)"
    assert lab.loading.words.value == "" and lab.asking.question == "Is it clever?"
    lab.loading.add.click()
    assert lab.status.startswith("Not added. text: an empty message says nothing")
    assert "Not added." in lab.loading.said.value
    enter(lab.loading, "And then?")
    assert lab.stepper.at == 42 and lab.panes.table.as_text().endswith("And then?")
    assert lab.loading.said.value == ""
    lab.loading.choice.value = "harbour"
    assert "of 33 messages" in lab.as_text()


def test_a_conversation_that_cannot_be_counted_is_not_taken():
    counter = TokenCounter()
    lab = WindowLab(counter=counter)
    before = lab._talk.state

    def broken(message):
        raise RuntimeError("no vocabulary")

    counter.count = broken
    pasted(lab, '[{"role": "user", "content": "Hi"}]')
    assert lab.status.startswith("Not loaded. no vocabulary.")
    assert lab._talk.state == before and len(lab._work.ledger.messages) == 41
