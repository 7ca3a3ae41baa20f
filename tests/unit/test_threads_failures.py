"""What goes wrong in a thread spoils nothing: summarisers, models, listeners that leave, other writers."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ctxkit import (
    MemoryStore,
    Message,
    Reply,
    SqliteStore,
    SummaryThread,
    ThreadState,
    TokenCounter,
    ToolCall,
    check,
    run,
    tool,
)
from ctxkit.models.errors import EmptyReply, WindowExceeded
from ctxkit.stores import StoreUnavailable, ThreadConflict
from tests.fakes import FAULTS
from tests.histories import A, S, T, U, shape
from tests.talks import GUIDE, Talker, kinds, listen, say, texts

ROOT = Path(__file__).parents[2]
COUNTER = TokenCounter()
STOPS = [asyncio.CancelledError, KeyboardInterrupt]


def thread(model=None, store=None, name="t", **options):
    return SummaryThread(model or Talker(), MemoryStore() if store is None else store, name, **options)


def tide(words: int = 1) -> str:
    """When high tide is."""
    return "14:20 " * words


class Gate:
    """A model that waits at its door: `inside` says that it was asked, `go` lets it answer."""

    name = "gate"

    def __init__(self, *answers, at="talk", **answering):
        self.model, self.at = Talker(*answers, **answering), at
        self.inside, self.go = asyncio.Event(), asyncio.Event()

    async def chat(self, messages, tools=()):
        asked = "notes" if len(messages) == 2 and "<<<<<<<<" in str(messages[0].content) else "talk"
        if asked == self.at:
            self.inside.set()
            await self.go.wait()
        return await self.model.chat(messages, tools)


class TestSummariser:
    @pytest.mark.parametrize("fault", FAULTS)
    def test_a_failure_is_an_event_and_the_next_turn_tries_again(self, fault):
        model = Talker(summaries=[FAULTS[fault], "They spoke."])
        talk = thread(model)
        events = say(talk, *GUIDE)
        assert kinds(events) == ["user", "reply", "error"]
        assert events[-1].node == "summarise" and isinstance(events[-1].error, Exception)
        assert texts(talk.state.messages)[-2:] == [GUIDE[3], "Fine."]
        assert len(talk.state.messages) == 8 and talk.state.summary == ""
        assert talk.history()[-1].happened == "reply"
        assert kinds(say(talk, "five")) == ["user", "reply", "removed", "summary"]
        assert texts(talk.state.messages) == ["five", "Fine."]
        assert all(text in model.notes.requests[-1][0].content for text in GUIDE)

    def test_a_former_summary_survives_a_failure(self):
        talk = thread(Talker(summaries=["first", ConnectionError("gone"), "third"]), max_messages=1, keep=0)
        say(talk, "one")
        assert kinds(say(talk, "two")) == ["user", "reply", "error"]
        assert talk.state == ThreadState([U("two"), A("Fine.")], "first")
        say(talk, "three")
        assert talk.state == ThreadState([], "third")

    @pytest.mark.parametrize("stop", STOPS)
    def test_being_stopped_leaves_the_reply(self, stop):
        model = Talker(summaries=[stop(), "They spoke."])
        talk = thread(model)
        say(talk, *GUIDE[:3])
        with pytest.raises(stop):
            asyncio.run(listen(talk, GUIDE[3]))
        assert texts(talk.state.messages)[-2:] == [GUIDE[3], "Fine."] and talk.state.summary == ""
        assert kinds(say(talk, "five"))[-1] == "summary"

    def test_stopped_in_the_second_of_three_chunks(self):
        model = Talker(summaries=["one", asyncio.CancelledError(), "They spoke."])
        talk = thread(model, max_messages=1, keep=0, request_tokens=2000)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(listen(talk, "word " * 3000))
        assert len(talk.state.messages) == 2 and talk.state.summary == ""
        assert kinds(say(talk, "two"))[-1] == "summary"

    def test_a_store_that_fails_at_the_summary_spoils_no_turn(self, monkeypatch):
        talk = thread(max_messages=1, keep=0)
        monkeypatch.setattr(talk.store, "_note", lambda _: (_ for _ in ()).throw(StoreUnavailable("full")))
        assert kinds(say(talk, "one")) == ["user", "reply", "error"]
        monkeypatch.undo()
        assert kinds(say(talk, "two")) == ["user", "reply", "removed", "summary"]

    def test_a_failure_before_the_reply_is_told_and_nothing_over_the_window_is_sent(self):
        model = Talker(summaries=[ConnectionError("gone"), "They spoke."])
        model.num_ctx = 4096
        talk = thread(model, max_messages=3)
        talk.load([U("word " * 5000), A(), U("small"), A()])
        events = fail(talk, "and now?", WindowExceeded)
        assert kinds(events) == ["user", "error", "error"]
        assert [event.node for event in events] == ["user", "summarise", "model"]
        assert len(model.notes.requests) == 1 and model.talk.requests == []
        assert kinds(say(talk, "and now?")) == ["user", "removed", "summary", "reply"]


def fail(talk, text, error):
    """The events of a turn that ends in an error."""
    events = []

    async def story():
        with pytest.raises(error):
            async for event in talk.send(text):
                events.append(event)

    asyncio.run(story())
    return events


class TestWindow:
    """26, 29, 73, 83: nothing over the model's window is sent, whatever grew too large."""

    def small(self, *answers, **options):
        model = Talker(*answers)
        model.num_ctx = 2000
        return model, thread(model, **options)

    def sizes(self, model, *tools):
        schemas = [tool(function).schema for function in tools]
        return [COUNTER.count_all(request, schemas) for request in model.talk.requests]

    def test_a_message_that_can_never_fit_is_not_taken_in(self):
        model, talk = self.small()
        say(talk, "small")
        before = talk.state
        events = fail(talk, "word " * 3000, WindowExceeded)
        assert kinds(events) == ["error"] and talk.state == before
        assert (events[0].error.tokens, events[0].error.limit) == (3019, 2000)
        assert "was not stored: send a shorter one" in events[0].text
        assert kinds(say(talk, "small")) == ["user", "reply"]
        assert len(model.talk.requests) == 2

    def test_nor_is_one_that_leaves_no_room_for_the_notes_it_needs(self):
        """Stored, it would wait for its answer for ever, and everything after it too."""
        model, talk = self.small()
        talk.load([U("word " * 900), A()])
        fail(talk, "word " * 1800, WindowExceeded)
        assert shape(talk.state.messages) == "UA" and model.notes.requests == []
        assert kinds(say(talk, "word " * 1500)) == ["user", "removed", "summary", "reply"]
        assert max(self.sizes(model)) <= 2000

    def test_a_head_that_can_never_fit_is_named(self):
        model, talk = self.small()
        talk.load([S("word " * 2500), U(), A()])
        [event] = fail(talk, "and now?", WindowExceeded)
        assert "2,508 of them for system messages and tool schemas" in event.text
        assert model.talk.requests == model.notes.requests == []

    def test_nor_is_one_beside_a_summary_that_nothing_can_shorten(self):
        model, talk = self.small()
        talk.load(
            {"messages": [{"role": "user", "content": "Hi"}], "summarised": 1, "summary": "word " * 2500}
        )
        fail(talk, "and now?", WindowExceeded)
        assert talk.state.messages == [] and model.talk.requests == model.notes.requests == []

    def test_what_tools_gave_is_kept_and_summarised_when_the_question_is_sent_again(self):
        call = Message.assistant("", [ToolCall("a", "tide", {"words": 3_000})])
        model, talk = self.small(call, "High at 14:20.", tools=[tide])
        assert kinds(fail(talk, "When?", WindowExceeded)) == ["user", "tool", "tool", "error"]
        assert shape(talk.state.messages) == "UCT" and len(model.talk.requests) == 1
        assert kinds(say(talk, "When?")) == ["user", "removed", "summary", "reply"]
        assert texts(model.talk.requests[-1])[-1] == "When?" and max(self.sizes(model, tide)) <= 2000

    def test_another_text_goes_on_too(self):
        call = Message.assistant("", [ToolCall("a", "tide", {"words": 3_000})])
        _, talk = self.small(call, "Sorry.", tools=[tide])
        fail(talk, "When?", WindowExceeded)
        assert kinds(say(talk, "Never mind.")) == ["user", "removed", "summary", "reply"]

    def test_in_the_middle_of_a_turn_what_came_before_the_question_is_summarised(self):
        steps = [Message.assistant("", [ToolCall(f"c{i}", "tide", {"words": 100})]) for i in range(3)]
        model, talk = self.small(*steps, "High at 14:20.", tools=[tide], max_messages=100)
        talk.load([U("word " * 500), A("word " * 200)])
        events = say(talk, "When?")
        assert kinds(events) == ["user", *["tool"] * 6, "removed", "summary", "reply"]
        assert shape(talk.state.messages) == "UCTCTCTA" and texts(talk.state.messages)[0] == "When?"
        assert len(model.talk.requests) == 4 and max(self.sizes(model, tide)) <= 2000

    def test_many_steps_end_in_an_error_and_not_over_the_window(self):
        steps = [Message.assistant("", [ToolCall(f"c{i}", "tide", {"words": 150})]) for i in range(7)]
        model, talk = self.small(*steps, "High at 14:20.", tools=[tide])
        fail(talk, "When?", WindowExceeded)
        assert check(talk.state.messages) == [] and max(self.sizes(model, tide)) <= 2000

    def test_a_summary_that_was_refused_for_its_length_is_asked_for_again_where_the_window_needs_it(self):
        model = Talker("tide " * 80, "tide " * 80, "tide " * 40, "Noted.", summaries=["tide " * 380] * 2)
        model.num_ctx = 1_400
        talk = thread(model, max_messages=2, keep=0)
        for words in 80, 80, 40:
            say(talk, "sea " * words)
        room = model.num_ctx - COUNTER.count_all(talk.state.as_messages())
        assert len(model.notes.requests) == 1, "refused once, and not paid again at the next turn"
        assert kinds(say(talk, "sea " * (room - 3))) == ["user", "removed", "summary", "reply"]


class TestModel:
    def test_the_message_stays_and_the_same_text_is_the_second_try(self):
        model = Talker(ConnectionError("gone"), "Hello Ada.")
        talk = thread(model)
        events = fail(talk, "I am Ada.", ConnectionError)
        assert kinds(events) == ["user", "error"] and events[1].text == "ConnectionError: gone"
        assert talk.state.messages == [U("I am Ada.")]
        assert kinds(say(talk, "I am Ada.")) == ["user", "reply"]
        assert texts(talk.state.messages) == ["I am Ada.", "Hello Ada."]

    def test_the_second_try_goes_on_from_what_the_tools_gave(self):
        call = Message.assistant("", [ToolCall("a", "tide", {})])
        model = Talker(call, ConnectionError("gone"), "High at 14:20.")
        talk = thread(model, tools=[tide])
        fail(talk, "When is high tide?", ConnectionError)
        assert shape(talk.state.messages) == "UCT"
        assert kinds(say(talk, "When is high tide?")) == ["user", "reply"]
        assert shape(talk.state.messages) == "UCTA"
        assert kinds(say(talk, "When is high tide?")) == ["user", "reply"]
        assert len(talk.transcript()) == 6, "it was answered, so it is a message of its own"

    def test_another_text_follows_it(self):
        model = Talker(TimeoutError("no answer"), "Hello Ada.")
        talk = thread(model)
        fail(talk, "I am Ada.", TimeoutError)
        say(talk, "Who am I?")
        assert texts(model.talk.requests[-1]) == ["I am Ada.", "Who am I?"]
        assert texts(talk.state.messages) == ["I am Ada.", "Who am I?", "Hello Ada."]

    def test_the_same_text_after_an_answer_is_a_message_of_its_own(self):
        talk = thread()
        say(talk, "Hello", "Hello")
        assert texts(talk.state.messages) == ["Hello", "Fine.", "Hello", "Fine."]

    @pytest.mark.parametrize("stop", STOPS)
    def test_being_stopped(self, stop):
        talk = thread(Talker(stop(), "Hello."))
        assert kinds(fail(talk, "Hi", stop)) == ["user"]
        assert talk.state.messages == [U("Hi")]
        say(talk, "Hi")
        assert texts(talk.state.messages) == ["Hi", "Hello."]

    @pytest.mark.parametrize(
        "answer",
        [
            "",
            " \n",
            "\u200b",
            "<think>only",
            Message.assistant(None),
            Message.assistant([{"type": "thinking", "thinking": "only"}]),
            Reply(Message.assistant(""), thinking="long"),
        ],
    )
    def test_no_answer_is_not_stored_as_one(self, answer):
        talk = thread(Talker(answer, "Hello."))
        assert kinds(fail(talk, "Hi", EmptyReply)) == ["user", "error"]
        assert talk.state.messages == [U("Hi")]

    def test_82_what_was_thought_before_an_answer_is_not_stored(self):
        talk = thread(Talker("<think>15 % of 200</think>30"))
        assert say(talk, "15 % of 200?")[-1].text == "30"
        assert texts(talk.transcript()) == ["15 % of 200?", "30"]

    @pytest.mark.parametrize("answer", [U("What?"), T("a")])
    def test_an_answer_in_another_role_is_refused(self, answer):
        talk = thread(Talker(answer, "Hello."))
        assert kinds(fail(talk, "Hi", TypeError)) == ["user", "error"]
        assert talk.state.messages == [U("Hi")]

    def test_a_store_that_fails_at_the_reply_hands_it_back(self, monkeypatch):
        talk = thread(Talker("The answer."))
        real = talk.store.commit

        def full(thread_id, seen, change):
            if change.happened == "reply":
                raise StoreUnavailable("disk full")
            return real(thread_id, seen, change)

        monkeypatch.setattr(talk.store, "commit", full)
        events = fail(talk, "Why?", StoreUnavailable)
        assert kinds(events) == ["user", "error"]
        assert texts(events[-1].error.unsaved) == ["The answer."]


class TestLeaving:
    @pytest.mark.parametrize("after", ["user", "reply", "removed"])
    def test_a_listener_may_leave_at_any_event(self, after):
        async def story():
            talk = thread(Talker())
            for text in GUIDE[:3]:
                await listen(talk, text)
            async for event in talk.send(GUIDE[3]):
                if event.kind == after:
                    break
            left = talk.state
            await listen(talk, "five")
            return left, talk.transcript()

        left, transcript = run(story())
        assert (len(left.messages), left.summary) == {
            "user": (7, ""),
            "reply": (8, ""),
            "removed": (2, "They spoke."),
        }[after]
        assert texts(transcript)[6] == GUIDE[3] and texts(transcript)[-2:] == ["five", "Fine."]
        assert check(transcript) == []

    def test_cancelled_at_every_await(self):
        """Whatever step is in flight: the state is sound, nothing that was told is gone, and it goes on."""

        async def stopped_after(steps):
            talk = thread(Talker(), max_messages=1, keep=0)
            told = []

            async def work():
                async for event in talk.send("one"):
                    told.append(event)

            task = asyncio.ensure_future(work())
            for _ in range(steps):
                await asyncio.sleep(0)
            finished = task.done()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            state = talk.state
            assert all(e.message in talk.transcript() for e in told if e.message)
            assert check(state.messages) == [] or state.messages == []
            assert bool(state.summary) == (not state.messages and bool(told))
            await listen(talk, "two")
            assert talk.state.messages == [] and texts(talk.transcript())[-2:] == ["two", "Fine."]
            return finished

        steps = 0
        while not run(stopped_after(steps)):
            steps += 1
        assert steps >= 3


class TestTwoWriters:
    def test_two_objects_one_wins_and_the_other_is_told(self):
        store = MemoryStore()
        first, second = thread(store=store), thread(store=store)

        async def story():
            return await asyncio.gather(
                listen(first, "mine"), listen(second, "yours"), return_exceptions=True
            )

        results = run(story())
        lost = [r for r in results if isinstance(r, ThreadConflict)]
        assert len(lost) == 1 and texts(lost[0].unsaved) == ["yours"]
        assert texts(store.transcript("t")) == ["mine", "Fine."]
        assert texts(second.state.messages) == ["mine", "Fine."]
        say(second, "yours")
        assert texts(first.state.messages) == ["mine", "Fine.", "yours", "Fine."]

    def test_who_has_not_seen_what_was_said_is_told_once(self):
        store = MemoryStore()
        first, second = thread(store=store), thread(store=store)
        say(first, "mine")
        with pytest.raises(ThreadConflict):
            say(second, "yours")
        assert kinds(say(second, "yours")) == ["user", "reply"]

    def test_who_has_looked_has_seen(self):
        store = MemoryStore()
        first, second = thread(store=store), thread(store=store)
        say(first, "mine")
        assert len(second.state.messages) == 2
        assert kinds(say(second, "yours")) == ["user", "reply"]

    def test_a_message_sent_while_the_model_answers_wins(self):
        async def story():
            gate = Gate()
            talk = thread(gate)
            early = asyncio.ensure_future(listen(talk, "one"))
            await gate.inside.wait()
            late = asyncio.ensure_future(listen(talk, "two"))
            await asyncio.sleep(0)
            gate.go.set()
            return await asyncio.gather(early, late, return_exceptions=True), talk.state.messages, gate

        (early, late), messages, gate = run(story())
        assert isinstance(early, ThreadConflict) and texts(early.unsaved) == ["Fine."]
        assert kinds(late) == ["user", "reply"] and texts(messages) == ["one", "two", "Fine."]
        assert texts(gate.model.talk.requests[-1]) == ["one", "two"]

    def test_a_message_sent_while_the_summary_is_made_is_kept_and_not_in_it(self):
        async def story():
            gate = Gate(at="notes")
            talk = thread(gate, max_messages=3, keep=1)
            await listen(talk, "one")
            early = asyncio.ensure_future(listen(talk, "two"))
            await gate.inside.wait()
            late = asyncio.ensure_future(listen(talk, "three"))
            while len(talk.state.messages) < 6:
                await asyncio.sleep(0)
            gate.go.set()
            return await asyncio.gather(early, late), talk.state, gate

        (early, late), state, gate = run(story())
        assert kinds(early) == ["user", "reply", "removed", "summary"] and kinds(late) == ["user", "reply"]
        assert texts(state.messages) == ["Fine.", "three", "Fine."]
        assert len(gate.model.notes.requests) == 1 and "three" not in gate.model.notes.read

    def test_a_summary_by_another_object_while_the_model_answers_is_merged(self):
        async def story():
            store, gate = MemoryStore(), Gate()
            slow, other = thread(gate, store), thread(store=store, max_messages=2, keep=0)
            gate.go.set()
            await listen(slow, "one")
            await listen(slow, "two")
            gate.go.clear(), gate.inside.clear()
            turn = asyncio.ensure_future(listen(slow, "three"))
            await gate.inside.wait()
            at = other.loop.look()
            await other.loop.summarise(at)
            gate.go.set()
            return await turn, slow.state

        events, state = run(story())
        assert kinds(events) == ["user", "reply"]
        assert state == ThreadState([U("three"), A("Fine.")], "They spoke.")

    def test_who_went_on_with_the_thread_makes_its_summary(self):
        """Two would pay for the same one."""

        async def story():
            store, model = MemoryStore(), Talker()
            talk = thread(model, store, max_messages=1, keep=0)
            events = []
            async for event in talk.send("one"):
                events.append(event)
                if event.kind == "reply":
                    other = thread(model, store, max_messages=1, keep=0)
                    async for _ in other.send("two"):
                        break
            return events, model, other, await listen(other, "two")

        events, model, other, later = run(story())
        assert kinds(events) == ["user", "reply"] and kinds(later)[-1] == "summary"
        assert len(model.notes.requests) == 1 and other.state == ThreadState([], "They spoke.")

    def test_python_threads_with_loops_of_their_own(self, tmp_path):
        store = SqliteStore(tmp_path / "threads.db")
        start = threading.Barrier(4, timeout=30)
        told = []

        def work(name):
            own, shared = thread(store=store, name=f"own {name}"), thread(store=store, name="shared")
            start.wait()
            for i in range(10):
                asyncio.run(listen(own, f"{name} {i}"))
                try:
                    asyncio.run(listen(shared, f"{name} {i}"))
                except ThreadConflict as error:
                    told.append(error)

        workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for name in range(4):
            assert texts(store.transcript(f"own {name}"))[::2] == [f"{name} {i}" for i in range(10)]
        transcript = store.transcript("shared")
        replies = sum(m.role == "assistant" for m in transcript)
        assert replies == 40 - len(told) and check(transcript) == []


WRITER = """
import asyncio, sys
from ctxkit import Message, Reply, SqliteStore, SummaryThread

class Model:
    async def chat(self, messages, tools=()):
        if "<<<<<<<<" in str(messages[0].content):
            return Reply(Message.assistant("They counted."))
        return Reply(Message.assistant("answer to " + messages[-1].content))

async def talk():
    thread = SummaryThread(Model(), SqliteStore(sys.argv[1]), "t")
    for number in range(10**9):
        async for event in thread.send(f"question {number}"):
            print(event.kind, flush=True)
asyncio.run(talk())
"""


@pytest.mark.parametrize("lines", [3, 50, 51, 52, 53, 54, 55, 333])
def test_a_killed_process_loses_at_most_the_turn_in_flight(tmp_path, lines):
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, tmp_path / "threads.db"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    told = [process.stdout.readline().strip() for _ in range(lines)]
    process.send_signal(signal.SIGKILL)
    told += process.stdout.read().splitlines()
    process.communicate(timeout=30)
    talk = thread(store=SqliteStore(tmp_path / "threads.db"))
    transcript = talk.transcript()
    replies = sum(m.role == "assistant" for m in transcript)
    assert told.count("reply") <= replies <= told.count("reply") + 1
    assert told.count("user") <= len(transcript) - replies <= told.count("user") + 1
    turns = [(f"question {i}", f"answer to question {i}") for i in range(len(transcript))]
    assert texts(transcript) == [text for turn in turns for text in turn][: len(transcript)]
    state = talk.state
    assert state.messages == transcript[len(transcript) - len(state.messages) :]
    assert bool(state.summary) == (len(state.messages) < len(transcript))
    say(talk, "go on")
    assert texts(talk.transcript())[-2:] == ["go on", "Fine."] and shape(talk.state.messages).endswith("UA")
