"""G2: two-tier memory, against guide C's rule and against what users of other systems reported."""

from __future__ import annotations

import json
import re

import pytest

from ctxkit import HierarchicalMemory, Message, run
from ctxkit.lessons import find_lesson
from tests.fakes import FakeModel

MARK = re.compile(r"\bt\d+\b")


def noted(messages):
    """A summariser's answer that names each turn it read."""
    return " ".join(dict.fromkeys(MARK.findall(messages[0].content)))


def guide_memory():
    """Guide C's memory, as lesson 7 writes it; the method that makes its summary is missing."""
    notebook = json.loads(find_lesson("07").path.read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    [source] = [cell for cell in cells if cell.startswith("class GuideMemory")]
    names: dict = {}
    exec(source, names)
    return names["GuideMemory"]


def lost(memory, turns):
    """The turns that a memory has in no tier."""
    shown = f"{memory.summary} {memory.recent} {getattr(memory, 'pending', '')}"
    return [f"t{i}" for i in range(turns) if f"t{i}" not in MARK.findall(shown)]


@pytest.mark.parametrize(("turns", "guides"), [(29, 19), (30, 20), (60, 40), (100, 80)])
def test_54_the_guides_rule_loses_turns_ours_none(turns, guides):
    guide, ours = guide_memory()(), HierarchicalMemory(FakeModel(noted))
    guide._summarize = lambda held: noted([Message.user(str(held))])  # no summary can hold more
    for i in range(turns):
        guide.add(f"t{i} asks", "and is answered")
        run(ours.add(f"t{i} asks", "and is answered"))
    assert len(lost(guide, turns)) == guides
    assert lost(ours, turns) == []


def test_54_the_guides_memory_ends_at_the_turn_whose_method_is_unwritten():
    guide = guide_memory()()
    for i in range(29):
        guide.add(f"t{i} asks", "and is answered")
    with pytest.raises(AttributeError, match="_summarize"):
        guide.add("t29 asks", "and is answered")


def test_42_facts_of_turn_1_are_lost_by_a_forgetful_summariser_and_kept_by_a_pin():
    facts = [f"fact-{i}: bucket salt-{i}" for i in range(8)]
    newest = FakeModel(lambda request: "They spoke of " + str(request[0].content).splitlines()[-2][-40:])
    memory = HierarchicalMemory(newest, 2, 12, pinned=facts[:4])
    run(memory.add("; ".join(facts), "Noted."))
    for i in range(48):
        run(memory.add(f"filler {i}", f"answer {i}"))
    assert len(newest.requests) == 4
    assert [fact in memory.get_context() for fact in facts] == [True] * 4 + [False] * 4
    assert all("They spoke of" in str(request[0].content) for request in newest.requests[1:])


def test_43_an_echoing_summariser_cannot_grow_the_summary():
    memory = HierarchicalMemory(FakeModel(lambda request: str(request[0].content)), 1, 3, level_tokens=[100])
    for i in range(13):
        run(memory.add(f"t{i} " + "word " * 30, "fine"))
        assert memory.counter.count_text(memory.summary) <= 100
    assert memory.error is None and memory.levels[0].folds == 6


def test_36_thinking_is_no_part_of_the_summary():
    memory = HierarchicalMemory(FakeModel("<think>plan</think>They spoke of tides."), 1, 2)
    for i in range(2):
        run(memory.add(f"t{i}", "fine"))
    assert memory.summary == "They spoke of tides."


def test_37_one_quoted_block_then_the_instruction_and_no_tools():
    memory = HierarchicalMemory(FakeModel(), 1, 2)
    for text in ("What is 17*23?", "And 5*5?"):
        run(memory.add(text, "391"))
    [request] = memory.model.requests
    assert request[0].content.startswith("<<<<") and "17*23" in request[0].content
    assert request[-1].content.startswith("Summarise the material above")
    assert memory.model.offered == [()]


def test_52_braces_pass_unchanged():
    texts = ["A = {1; 2}", "{summary}", "{{ 7*7 }}", "{% raw %}", "%s", "$name"]
    memory = HierarchicalMemory(FakeModel("Quoted: " + " ".join(texts)), 1, 7)
    for text in [*texts, "last"]:
        run(memory.add(text, "fine"))
    assert all(text in memory.model.read and text in memory.get_context() for text in texts)
    assert all(text in memory.as_messages()[0].content for text in texts)
