"""`HierarchicalMemory` under any order of turns, faults, cancellations, and saving and loading: every turn is
in exactly one tier, and nothing is lost.
"""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ctxkit import HierarchicalMemory, Message, Reply, TokenCounter, ToolCall, check, run
from tests.fakes import FAULTS
from tests.histories import valid_faults

MARK = re.compile(r"\bt\d+\b")
COUNTER = TokenCounter()
OPTIONS = {
    "by turns": {"window_size": 2, "summary_threshold": 5},
    "nothing stays": {"window_size": 0, "summary_threshold": 1},
    "by tokens": {
        "window_size": 50,
        "summary_threshold": 90,
        "window_tokens": 60,
        "threshold_tokens": 150,
    },
    "both": {"window_size": 3, "summary_threshold": 6, "window_tokens": 80, "threshold_tokens": 120},
    "three levels": {
        "window_size": 1,
        "summary_threshold": 3,
        "level_tokens": [400, 400, 400],
        "folds_per_level": 2,
    },
    "small requests": {"window_size": 1, "summary_threshold": 6, "request_tokens": 1_000},
}
FAULTS = {name: fault for name, fault in FAULTS.items() if name != "longer than its input"}  # may be shorter
FAULTY = st.lists(st.sampled_from([None, None, *FAULTS]), max_size=3)
ROOM = 80
"""Turns of a run at most, or nearly so: their marks must fit into a summary."""


def marks(text):
    """The turns that a text speaks of, in order."""
    return list(dict.fromkeys(MARK.findall(text)))


class Scribe:
    """Summarises by the marks of the turns that it read, so that a test can see where each turn went."""

    name = "scribe"

    def __init__(self):
        self.faults = []
        self.asked = None
        self.sizes = []

    async def chat(self, messages, tools=()):
        assert tools == ()
        self.sizes.append(COUNTER.count_all(messages))
        await asyncio.sleep(0)
        if self.asked is not None:
            self.asked.set()
            await asyncio.Event().wait()
        fault = self.faults.pop(0) if self.faults else None
        answer = " ".join(marks(messages[0].content)) if fault is None else FAULTS.get(fault, fault)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Reply):
            return answer
        return Reply(answer if isinstance(answer, Message) else Message.assistant(answer))


class MemoryMachine(RuleBasedStateMachine):
    @initialize(name=st.sampled_from(sorted(OPTIONS)))
    def make(self, name):
        self.model = Scribe()
        self.memory = HierarchicalMemory(self.model, **OPTIONS[name])
        self.turns, self.pinned, self.steps = [], [], []

    def turn(self, words):
        """A new turn, counted as held from now on."""
        self.turns.append(f"t{len(self.turns)}")
        return f"{self.turns[-1]} asks about tides " + "salt " * words, f"{self.turns[-1]} has its answer"

    def due(self):
        return self.memory._limits.due(self.memory._state.turns)

    @rule(words=st.integers(0, 60))
    def add(self, words):
        self.model.faults = []
        added = run(self.memory.add(*self.turn(words)))
        assert added.error is None and self.memory.error is None
        assert not self.due()

    @rule(call=st.sampled_from("abc"))
    def add_a_turn_with_a_tool(self, call):
        self.model.faults = []
        steps = [
            Message.assistant(None, [ToolCall(call, "tides", {"port": "Bern"})]),
            Message.tool("14:20", call),
        ]
        run(self.memory.add(*self.turn(0), steps))

    @rule(faults=FAULTY, words=st.integers(0, 60))
    def add_with_a_faulty_summariser(self, faults, words):
        before = self.memory.levels
        self.model.faults = list(faults)
        added = run(self.memory.add(*self.turn(words)))
        assert (added.error is None) == (added.folded > 0 or not self.due())
        assert self.memory.levels == before or added.folded
        assert self.memory.error is added.error or added.model_calls == 0

    @precondition(lambda self: len(self.turns) < ROOM)
    @rule(count=st.integers(2, 12), fault=st.sampled_from(sorted(FAULTS)))
    def add_while_the_summariser_is_down(self, count, fault):
        before = self.memory.levels
        for _ in range(count):
            self.model.faults = [fault]
            run(self.memory.add(*self.turn(0)))
        assert self.memory.levels == before
        self.model.faults = []

    @rule(words=st.integers(0, 60))
    def add_and_cancel(self, words):
        user, assistant = self.turn(words)
        before = self.memory.levels

        async def cancelled():
            self.model.asked = asyncio.Event()
            work = asyncio.ensure_future(self.memory.add(user, assistant))
            asked = asyncio.ensure_future(self.model.asked.wait())
            await asyncio.wait([work, asked], return_when=asyncio.FIRST_COMPLETED)
            stopped = work.cancel()
            asked.cancel()
            await asyncio.gather(work, asked, return_exceptions=True)
            return stopped

        self.model.faults = []
        stopped = run(cancelled())
        self.model.asked = None
        assert self.memory.levels == before
        assert stopped == self.due()

    @rule()
    def add_and_interrupt(self):
        self.model.faults = [KeyboardInterrupt()]
        user, assistant = self.turn(0)
        if self.would_fold(user, assistant):
            with pytest.raises(KeyboardInterrupt):
                run(self.memory.add(user, assistant))
        else:
            run(self.memory.add(user, assistant))

    def would_fold(self, user, assistant):
        copy = HierarchicalMemory.from_dict(self.memory.to_dict(), Scribe())
        return run(copy.add(user, assistant)).folded > 0

    @rule(count=st.integers(2, 5))
    def add_several_at_once(self, count):
        self.model.faults = []
        turns = [self.turn(0) for _ in range(count)]

        async def together():
            return await asyncio.gather(*(self.memory.add(*turn) for turn in turns))

        assert all(added.error is None for added in run(together()))
        assert not self.due()

    @rule(fact=st.sampled_from(["Her name is Ada.", "The boat is called Salt."]))
    def pin(self, fact):
        self.memory.pin(fact)
        self.pinned += [] if fact in self.pinned else [fact]

    @rule()
    def unpin(self):
        if self.pinned:
            self.memory.unpin(self.pinned.pop(0))

    @rule()
    def save_and_load(self):
        saved = json.loads(json.dumps(self.memory.to_dict()))
        loaded = HierarchicalMemory.from_dict(saved, self.model)
        assert loaded.to_dict() == saved
        for look in ("recent", "pending", "summary", "levels", "pinned"):
            assert getattr(loaded, look) == getattr(self.memory, look)
        assert loaded.as_messages() == self.memory.as_messages()
        self.memory = loaded

    @invariant()
    def every_turn_is_in_exactly_one_tier(self):
        memory = self.memory
        tiers = {"recent": marks(str(memory.recent)), "pending": marks(str(memory.pending))}
        tiers |= {f"summary {i}": marks(level.text) for i, level in enumerate(memory.levels, 1)}
        where = memory.where()
        assert len(where) == len(self.turns)
        for tier, found in tiers.items():
            assert found == [t for t, lives in zip(self.turns, where, strict=True) if lives == tier]
        assert [level.turns for level in memory.levels] == [
            len(tiers[f"summary {i}"]) for i in range(1, len(memory.levels) + 1)
        ]

    @invariant()
    def what_a_model_is_shown_is_complete_sound_and_in_order(self):
        messages = self.memory.as_messages()
        assert check(messages) == [] and valid_faults(messages) == []
        assert marks("\n".join(str(m.content) for m in messages)) == self.turns
        assert marks(self.memory.get_context()) == self.turns
        assert list(self.memory.pinned) == self.pinned
        assert all(fact in messages[0].content and fact in self.memory.get_context() for fact in self.pinned)

    @invariant()
    def requests_fit(self):
        room = self.memory.options.request_tokens or 8_192
        assert all(size + 400 <= room for size in self.model.sizes)


TestMemory = MemoryMachine.TestCase
TestMemory.settings = settings(max_examples=50, stateful_step_count=30)
