"""Threads and transcripts: a thread opened in a lab, a lab's conversation kept as a thread."""

from __future__ import annotations

import json

import pytest

from ctxkit import (
    KeepRecentMessages,
    MemoryStore,
    Message,
    SqliteStore,
    SummaryThread,
    ThreadState,
    check,
    dump_messages,
    load_messages,
    load_sample,
    run,
)
from ctxkit.replay import replay
from ctxkit.stores import ThreadExists
from tests.histories import A, C, S, T, U, shape
from tests.talks import GUIDE, Talker, say, texts


def thread(store=None, name="t", **options):
    return SummaryThread(options.pop("model", Talker()), store or MemoryStore(), name, **options)


def told(*words):
    talk = thread()
    talk.load([S()])
    say(talk, *GUIDE, *words)
    return talk


class TestDump:
    def test_a_dump_is_json_and_gives_the_same_thread_in_another_store(self, tmp_path):
        talk = told("\ud83d\u2028")
        dump = json.loads(json.dumps(talk.dump()))
        assert (dump["summarised"], dump["summary"], len(dump["messages"])) == (6, "They spoke.", 11)
        moved = thread(SqliteStore(tmp_path / "threads.db"))
        moved.load(dump)
        assert moved.state == talk.state and moved.transcript() == talk.transcript()
        assert [h.happened for h in moved.history()] == ["loaded"]
        assert moved.dump() == talk.dump()
        assert texts(say(moved, "on") and moved.state.messages)[-2:] == ["on", "Fine."]

    @pytest.mark.parametrize("form", ["text", "bytes", "path"])
    def test_a_dump_as_json_or_a_file_keeps_its_summary(self, tmp_path, form):
        talk, path = told(), tmp_path / "talk.json"
        path.write_text(json.dumps(talk.dump()), encoding="utf-8")
        moved = thread()
        moved.load({"text": path.read_text(encoding="utf-8"), "bytes": path.read_bytes(), "path": path}[form])
        assert moved.state == talk.state and moved.state.summary

    def test_a_dump_is_a_transcript_like_any_other(self, tmp_path):
        talk = told()
        path = tmp_path / "talk.json"
        path.write_text(json.dumps(talk.dump()))
        assert load_messages(path) == load_messages(talk.dump()) == talk.transcript()

    def test_a_thread_in_a_lab(self):
        """A lab replays a conversation from its first message: that is the transcript, not the state."""
        talk = told()
        assert texts(talk.transcript())[1::2] == GUIDE
        assert len(run(replay(KeepRecentMessages(2), talk.transcript()))) == 4

    def test_an_empty_thread(self):
        dump = thread().dump()
        assert dump == {"messages": [], "summarised": 0, "summary": ""}
        other = thread()
        other.load(dump)
        assert other.state == ThreadState([]) and other.history() == []


class TestLoad:
    def test_a_labs_conversation_kept_as_a_thread(self):
        history = load_sample("harbour")
        talk = thread()
        talk.load(history)
        assert talk.state == ThreadState(history)
        events = say(talk, "Thank you.")
        assert events[-1].kind == "summary"
        assert texts(talk.state.messages)[-2:] == ["Thank you.", "Fine."]
        assert talk.state.messages[0] == history[0] and talk.transcript()[:-2] == history

    @pytest.mark.parametrize("style", ["openai", "ollama"])
    def test_the_shapes_of_clients(self, style):
        talk = thread()
        talk.load(json.dumps(dump_messages([S(), U(), C("a"), T("a"), A()], style)))
        assert shape(talk.state.messages) == "SUCTA"

    def test_what_a_model_was_sent_is_the_same_state(self):
        talk, other = told(), thread()
        other.load(talk.state.as_messages())
        assert other.state == talk.state
        assert other.transcript() == talk.state.messages

    def test_an_unsound_history_is_repaired(self):
        talk = thread()
        talk.load([U(), T("nobody"), C("a"), U("wait"), T("b")])
        assert check(talk.state.messages) == [] and shape(talk.state.messages) == "UCTU"

    def test_a_thread_that_has_begun_is_not_written_over(self):
        talk = told()
        before = talk.state
        with pytest.raises(ThreadExists, match="'t' has begun already"):
            talk.load([U("other")])
        assert talk.state == before

    def test_who_looked_before_it_was_loaded_is_told(self):
        store = MemoryStore()
        first, second = thread(store), thread(store)
        first.load([U("mine"), A()])
        with pytest.raises(ThreadExists):
            second.load([U("yours")])

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"summarised": -1}, "summarised: expected a whole number of at least 0"),
            ({"summarised": "2"}, "summarised: expected a whole number, got str"),
            ({"summarised": 99}, "summarised: 99 messages"),
            ({"summarised": 2}, "summarised: 2 messages cannot be told"),
            ({"summary": 5}, "summary: expected text, got int"),
            ({"summary": ""}, "summary: missing, and it stands for 1 messages"),
            ({"summary": " \n"}, "summary: missing, and it stands for 1 messages"),
            ({"messages": [{"role": "pirate"}]}, r"messages\[0\]\.role"),
            ({"messages": None}, "messages: expected a list"),
            ({"messages": [{"role": "tool", "content": "x", "tool_call_id": "a"}]}, r"messages\[0\]: result"),
        ],
    )
    def test_a_dump_that_no_thread_made(self, change, says):
        dump = {"messages": dump_messages([U(), C("a"), T("a"), A()]), "summarised": 1, "summary": "x"}
        talk = thread()
        talk.load(dump)
        assert (shape(talk.state.messages), talk.state.summary) == ("CTA", "x")
        other = thread()
        with pytest.raises((TypeError, ValueError), match=says):
            other.load({**dump, **change})
        assert other.history() == []

    def test_a_message_that_only_looks_like_notes_stays_a_message(self):
        notes = ThreadState([], "They spoke.").as_messages()[0]
        talk = thread()
        say(talk, notes.content)
        assert talk.state.messages[0] == Message.user(notes.content) and talk.state.summary == ""
