"""Threads in any order of turns, failures, stops, restarts and branches, against a list of what was said.

Every message that was stored is in exactly one tier: word for word in the state, or summarised by a
successful request; no reply that was told is lost; the state is sound at every step; another reader of the
store finds the same.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ctxkit import MemoryStore, Message, SqliteStore, SummaryThread, ToolCall, run, tool
from ctxkit.messages.text import content_text
from ctxkit.stores import StoreError
from ctxkit.threads import NoReply
from tests.fakes import FAULTS
from tests.histories import head, valid_faults
from tests.talks import Talker, texts

FAILING = [*FAULTS.values(), asyncio.CancelledError(), KeyboardInterrupt()]
answers = st.sampled_from(["plain", "plain", "tools", "tools for ever", "fails", "stopped"])
summaries = st.one_of(st.none(), st.none(), st.integers(0, len(FAILING) - 1))


@tool
def look(where: str) -> str:
    """Look somewhere."""
    return {"north": "a ship"}[where]


class Said:
    """What a thread must hold: every message in order, and how many of the first are summarised."""

    def __init__(self, messages=(), summarised=0):
        self.messages, self.summarised = list(messages), summarised


class Threads(RuleBasedStateMachine):
    @initialize(
        kind=st.sampled_from(["memory", "sqlite"]),
        most=st.integers(1, 6),
        keep=st.integers(0, 5),
        tokens=st.sampled_from([None, None, 300]),
        begun=st.sampled_from(["", "S", "SD"]),
    )
    def begin(self, kind, most, keep, tokens, begun):
        self.folder = TemporaryDirectory()
        self.kind, self.count = kind, 0
        self.model = Talker()
        self.options = {
            "max_messages": most,
            "keep": min(keep, most - 1),
            "max_tokens": tokens,
            "max_steps": 3,
        }
        self.store = MemoryStore() if kind == "memory" else SqliteStore(Path(self.folder.name) / "threads.db")
        self.said = {"main": Said()}
        self.threads = {"main": self.open("main")}
        if begun:
            self.threads["main"].load([Message.system("rules"), Message("developer", "more")][: len(begun)])
            self.said["main"] = Said(self.threads["main"].transcript())

    def open(self, name):
        return SummaryThread(self.model, self.store, name, **self.options)

    def teardown(self):
        if hasattr(self, "folder"):
            if self.kind == "sqlite":
                self.store.close()
            self.folder.cleanup()

    def fresh(self, word="text"):
        self.count += 1
        return f"{word}-{self.count}"

    def answer(self, kind):
        call = Message.assistant(
            "", [ToolCall(self.fresh("id"), "look", {"where": w}) for w in ("north", "up")]
        )
        return {
            "plain": [self.fresh("reply")],
            "tools": [call, self.fresh("reply")],
            "tools for ever": [call],
            "fails": [ConnectionError("gone")],
            "stopped": [asyncio.CancelledError()],
        }[kind]

    async def turn(self, thread, text, leave):
        """Listen to a turn, perhaps leaving after some events; gives what was told."""
        told = []
        stream = thread.send(text)
        try:
            async for event in stream:
                told.append(event)
                if len(told) == leave:
                    break
        except (ConnectionError, NoReply, asyncio.CancelledError, KeyboardInterrupt):
            pass
        finally:
            await stream.aclose()
        return told

    @rule(data=st.data(), answer=answers, fault=summaries, leave=st.sampled_from([0, 0, 0, 1, 2, 3]))
    def send(self, data, answer, fault, leave):
        name = data.draw(st.sampled_from(sorted(self.threads)))
        thread, said = self.threads[name], self.said[name]
        rest = [m for m in said.messages if m.role != "tool" and not m.tool_calls]
        waiting = rest and rest[-1].role == "user"
        again = waiting and data.draw(st.booleans())
        text = rest[-1].content if again else self.fresh()
        self.model.talk.answers = self.answer(answer)
        self.model.notes.answers = ["They spoke."] if fault is None else [FAILING[fault]]
        folded = len(self.model.notes.requests)
        before = thread.state
        told = asyncio.run(self.turn(thread, text, leave))
        new = [] if again else [Message.user(text)]
        new += [event.message for event in told if event.kind in ("tool", "reply")]
        transcript = thread.transcript()
        # Told events are stored; a listener who left early may have missed the results of the same step.
        assert transcript[: len(said.messages) + len(new)] == said.messages + new
        assert all(m.role == "tool" for m in transcript[len(said.messages) + len(new) :])
        said.messages = transcript
        summarised = len(transcript) - len(thread.state.messages)
        if summarised != said.summarised or thread.state.summary != before.summary:
            assert fault is None, "no summary without a success"
            requests = self.model.notes.requests[folded:]
            read = "\n".join(content_text(message) for request in requests for message in request)
            leading = len(head(transcript))
            gone = transcript[leading + said.summarised : leading + summarised]
            assert gone and all(content_text(message) in read for message in gone)
            said.summarised = summarised
        errors = [event for event in told if event.kind == "error"]
        assert len(errors) <= 1

    @rule()
    def restart(self):
        """Everything in memory is gone; what is stored is opened anew."""
        if self.kind == "sqlite":
            self.store.close()
            self.store = SqliteStore(Path(self.folder.name) / "threads.db")
        self.threads = {name: self.open(name) for name in self.threads}

    @precondition(lambda self: len(self.threads) < 4)
    @rule(data=st.data())
    def branch(self, data):
        name = data.draw(st.sampled_from(sorted(self.threads)))
        history = self.threads[name].history()
        if not history:
            return
        at = data.draw(st.sampled_from(history))
        new = self.fresh("branch")
        self.threads[new] = self.threads[name].branch(at.id, new)
        transcript = self.threads[new].transcript()
        assert transcript == self.said[name].messages[: len(transcript)]
        assert len(transcript) == at.messages + at.summarised
        assert self.threads[new].state == self.threads[name].state_at(at.id)
        self.said[new] = Said(transcript, at.summarised)

    @rule(data=st.data())
    def move(self, data):
        """To another store by a dump, and on from there."""
        name = data.draw(st.sampled_from(sorted(self.threads)))
        new = self.fresh("moved")
        if len(self.threads) >= 4 or not self.said[name].messages:
            return
        moved = self.open(new)
        moved.load(self.threads[name].dump())
        state, other = moved.state, self.threads[name].state
        assert (texts(state.messages), state.summary) == (texts(other.messages), other.summary)
        self.threads[new], self.said[new] = moved, Said(moved.transcript(), self.said[name].summarised)

    @precondition(lambda self: self.said["main"].messages)
    @rule()
    def second_writer(self):
        """A writer who has not seen the last turn is told, and stores nothing."""
        late = self.open("main")
        self.send_plain("main")
        try:
            run(self.turn(late, self.fresh(), 0))
        except StoreError:
            pass
        else:
            raise AssertionError("nobody was told")

    def send_plain(self, name):
        self.model.talk.answers, self.model.notes.answers = [self.fresh("reply")], ["They spoke."]
        thread, said = self.threads[name], self.said[name]
        text = self.fresh()
        asyncio.run(self.turn(thread, text, 0))
        said.messages = [*said.messages, Message.user(text), Message.assistant(f"reply-{self.count - 1}")]
        said.summarised = len(said.messages) - len(thread.state.messages)

    @invariant()
    def every_message_is_in_exactly_one_tier(self):
        for name, thread in getattr(self, "threads", {}).items():
            said, state = self.said[name], thread.state
            leading = len(head(said.messages))
            assert thread.transcript() == said.messages
            assert len(state.messages) + said.summarised == len(said.messages)
            assert state.messages == said.messages[:leading] + said.messages[leading + said.summarised :]
            assert bool(state.summary) == (said.summarised > 0)
            assert valid_faults(state.messages) == []
            assert self.store.read(name) == thread.loop.seen


Threads.TestCase.settings = settings(max_examples=60, stateful_step_count=30)
test_threads = Threads.TestCase
