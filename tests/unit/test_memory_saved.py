"""A memory goes to JSON and back; a file that is no memory is refused by the place of its fault."""

from __future__ import annotations

import copy
import json

import pytest

from ctxkit import HierarchicalMemory, Message, ToolCall, run
from tests.fakes import FakeModel
from tests.unit.test_memory import filled


def full():
    """A memory with all that it can hold."""
    memory = filled(7, window_size=1, summary_threshold=3, level_tokens=[40, 20], folds_per_level=2)
    memory.pin("Her name is Ada.")
    steps = [
        Message("assistant", "Let me look.", tool_calls=(ToolCall("a", "clock", {}),), id="its own"),
        Message("tool", "[cleared]", tool_call_id="a", kind="placeholder"),
    ]
    run(memory.add([{"type": "text", "text": "Time?"}], "14:20.", steps))
    return memory


def saved():
    """The same as JSON brings it back."""
    return json.loads(json.dumps(full().to_dict()))


def test_what_a_model_is_shown_is_the_same_after_loading():
    memory, loaded = full(), HierarchicalMemory.from_dict(saved(), FakeModel())
    assert loaded.as_messages() == memory.as_messages()
    assert loaded.get_context() == memory.get_context()
    assert (loaded.where(), loaded.recent, loaded.pending) == (memory.where(), memory.recent, memory.pending)


def test_a_memory_goes_on_where_it_was():
    data, model = saved(), FakeModel("More of it.")
    memory = HierarchicalMemory.from_dict(data, model)
    assert memory.to_dict() == data
    assert memory.options.level_tokens == (40, 20)
    assert [level.turns for level in memory.levels] == [2, 4]
    assert run(memory.add("Thanks", "Gladly")).folded == 2
    assert "They counted." in model.read and "Her name is Ada." in memory.pinned


def test_a_failed_fold_is_tried_again_after_loading():
    memory = filled(3, FakeModel(""), window_size=1, summary_threshold=3)
    assert memory.error is not None
    again = HierarchicalMemory.from_dict(memory.to_dict(), FakeModel())
    assert run(again.add("Hi", "Hello!")).folded == 3


def test_a_summary_over_its_cap_is_folded_as_material_in_requests_that_fit():
    data = saved()
    data["options"]["request_tokens"] = 500
    data["levels"][0] = {"text": "salt " * 2_000 + "anchor", "turns": 20, "folds": 1}
    model = FakeModel()
    memory = HierarchicalMemory.from_dict(data, model)
    run(memory.add("Thanks", "Gladly"))
    assert memory.error is None and "anchor" in model.read
    assert all(memory.counter.count_all(request) + 40 <= 500 for request in model.requests)
    assert memory.summary == "They counted.\nThey counted."


def broken(path, value):
    data = copy.deepcopy(saved())
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return data


DEEP: list = []
for _ in range(200):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ([], "memory: expected an object"),
        ("{}", "memory: expected an object"),
        ({}, "memory.version: None is not known"),
        (broken(["version"], 2), "memory.version: 2 is not known; this ctxkit reads version 1"),
        (broken(["version"], True), "memory.version: True is not known"),
        (broken(["extra"], 1), "memory: 'extra' is not known here"),
        (broken(["options"], None), "memory.options: expected an object"),
        (broken(["options", "model"], "gpt-4"), "memory.options: 'model' is not known here"),
        (broken(["options", "window_size"], 3), "memory.options: summary_threshold: 3 is not above"),
        (broken(["options", "window_size"], "1"), "memory.options: window_size: expected a whole number"),
        (broken(["pinned"], "Ada"), "memory.pinned: expected a list, got str"),
        (broken(["pinned", 0], None), r"memory.pinned\[0\]: expected text, got NoneType"),
        (broken(["levels"], {}), "memory.levels: expected a list, got dict"),
        (broken(["levels"], []), "memory.levels: 0 of them, but level_tokens names 2"),
        (broken(["levels", 0, "text"], 5), r"memory.levels\[0\].text: expected text, got int"),
        (broken(["levels", 0, "text"], " "), r"memory.levels\[0\]: 2 turns in 1 folds .* contradict"),
        (broken(["levels", 0, "turns"], 0), r"memory.levels\[0\]: 0 turns in 1 folds .* contradict"),
        (broken(["levels", 0, "folds"], 3), r"memory.levels\[0\]: 2 turns in 3 folds .* contradict"),
        (broken(["levels", 0, "turns"], -1), r"memory.levels\[0\].turns: .* at least 0, got -1"),
        (broken(["levels", 0, "turns"], 10**18), r"memory.levels\[0\].turns: more than 10,000,000 turns"),
        (broken(["levels", 0, "turns"], 1e400), r"memory.levels\[0\].turns: inf is no number"),
        (broken(["turns"], None), "memory.turns: expected a list, got NoneType"),
        (broken(["turns", 0], "Hi"), r"memory.turns\[0\]: expected an object"),
        (broken(["turns", 0, "role"], "user"), r"memory.turns\[0\]: 'role' is not known here"),
        (broken(["turns", 0, "user"], None), r"memory.turns\[0\].user: expected text"),
        (broken(["turns", 1, "steps", 1, "role"], "user"), r"memory.turns\[1\].steps\[1\].tool_call_id: "),
        (broken(["turns", 1, "steps", 0], {"role": "system", "content": ""}), r".*steps\[0\]: .* 'system'"),
        (broken(["turns", 1, "steps", 1, "tool_call_id"], "b"), r"memory.turns\[1\].steps\[0\]: unanswered"),
        (broken(["turns", 0, "user"], DEEP), r"memory.turns.*nested more than 100 levels"),
        (broken(["turns", 0, "user"], {1, 2}), r"memory.turns\[0\].user: expected plain data"),
    ],
)
def test_a_file_that_is_no_memory_is_refused_by_place(data, error):
    with pytest.raises((TypeError, ValueError), match=f"^{error}"):
        HierarchicalMemory.from_dict(data, FakeModel())
