"""What both stores promise."""

from __future__ import annotations

import threading

import pytest

from ctxkit import MemoryStore, Message, SqliteStore, ToolCall
from ctxkit.stores import Change, Snapshot, ThreadConflict, ThreadExists, UnknownCheckpoint
from tests.histories import A, C, D, S, T, U

HOSTILE = [
    Message.user("half of a pair \ud83d, whole \U0001f44d, \u2028 lines \u2029, \x00, \r\n, {{ braces }}"),
    Message("assistant", None, tool_calls=(ToolCall("a", "search", {"q": "\ud83d", "n": 10**300}),)),
    Message("tool", "", tool_call_id="a", name="search"),
    Message(
        "user", [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    ),
    Message("tool", "[cleared]", tool_call_id="a", kind="message"),
    Message("assistant", "done", name="Ada", id="msg-1"),
    Message("tool", "[Stopped.]", tool_call_id="a", kind="placeholder"),
    Message("user", "notes", kind="summary"),
]


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    if request.param == "memory":
        yield MemoryStore()
    else:
        opened = SqliteStore(tmp_path / "threads.db")
        yield opened
        opened.close()


def add(store, thread, *messages, at=None):
    at = store.read(thread) if at is None else at
    return store.commit(thread, at, Change("user", messages))


class TestCommit:
    def test_a_thread_that_has_not_begun_is_empty(self, store):
        assert store.read("new") == Snapshot() and store.threads() == [] and store.history("new") == []
        assert store.transcript("new") == []

    def test_what_comes_back_is_what_a_new_reader_finds(self, store):
        first = add(store, "t", S(), D(), U("one"), A("two"))
        assert (first.head, first.live) == ((S(), D()), (U("one"), A("two")))
        after = store.commit("t", first, Change("summary", removed=1, summary="They counted."))
        assert (after.live, after.summary, after.start, after.end) == ((A("two"),), "They counted.", 3, 4)
        last = add(store, "t", U("three"), at=after)
        assert last == store.read("t") and last.head == (S(), D())
        assert store.read("t", known=last) is last

    def test_a_system_note_in_mid_talk_is_no_head(self, store):
        seen = add(store, "t", U("one"))
        assert add(store, "t", S("note"), at=seen).head == ()

    def test_everything_can_go(self, store):
        seen = store.commit("t", add(store, "t", U(), A()), Change("summary", removed=2, summary="x"))
        assert store.read("t") == seen and seen.live == ()

    def test_more_than_there_is_cannot(self, store):
        seen = add(store, "t", S(), U())
        with pytest.raises(ValueError, match="removed: 2 messages"):
            store.commit("t", seen, Change("summary", (), 2, "x"))
        assert store.read("t") == seen

    def test_hostile_messages_come_back_as_they_were(self, store):
        seen = add(store, "t", *HOSTILE)
        seen = store.commit("t", seen, Change("summary", removed=1, summary="\ud83d\u2028\x00"))
        assert list(store.read("t").live) == HOSTILE[1:]
        assert store.read("t").summary == "\ud83d\u2028\x00"
        assert [m.kind for m in store.transcript("t")] == [m.kind for m in HOSTILE]

    def test_what_could_not_be_read_back_is_refused(self, store):
        result = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
        for blocks in ([{"type": "tool_use", "id": "a"}], [result], [result, result], [result, "and text"]):
            with pytest.raises(ValueError, match="block"):
                add(store, "t", U("fine"), Message("user", blocks))
        with pytest.raises(TypeError, match="expected a Message, got dict"):
            add(store, "t", {"role": "user", "content": "Hi"})
        assert store.read("t") == Snapshot()

    def test_half_a_commit_is_none(self, store, monkeypatch):
        seen = add(store, "t", U("one"))
        history = store.history("t")
        monkeypatch.setattr(store, "_refer", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.commit("t", seen, Change("reply", (A("two"),), 1, "They counted."))
        monkeypatch.undo()
        assert store.read("t") == seen and store.history("t") == history
        assert store.transcript("t") == [U("one")]
        assert add(store, "t", A("again")).live == (U("one"), A("again"))


class TestTwoWriters:
    def test_the_second_with_messages_is_told_and_nothing_is_lost(self, store):
        seen = add(store, "t", U("one"))
        won = add(store, "t", A("mine"), at=seen)
        with pytest.raises(ThreadConflict, match="'t' went on elsewhere"):
            add(store, "t", A("yours"), at=seen)
        assert store.read("t") == won

    def test_two_beginnings(self, store):
        add(store, "t", U("mine"), at=Snapshot())
        with pytest.raises(ThreadConflict):
            add(store, "t", U("yours"), at=Snapshot())

    def test_a_summary_and_new_messages_are_merged(self, store):
        seen = add(store, "t", U("one"), A("two"))
        add(store, "t", U("three"), at=seen)
        merged = store.commit("t", seen, Change("summary", removed=2, summary="They counted."))
        assert (merged.live, merged.summary) == ((U("three"),), "They counted.")
        assert merged == store.read("t")

    def test_new_messages_are_merged_with_a_summary(self, store):
        seen = add(store, "t", U("one"), A("two"), U("three"))
        store.commit("t", seen, Change("summary", removed=2, summary="They counted."))
        merged = add(store, "t", A("four"), at=seen)
        assert (merged.live, merged.summary) == ((U("three"), A("four")), "They counted.")

    def test_of_two_summaries_of_the_same_one_wins(self, store):
        seen = add(store, "t", U("one"), A("two"))
        store.commit("t", seen, Change("summary", removed=2, summary="first"))
        with pytest.raises(ThreadConflict):
            store.commit("t", seen, Change("summary", removed=2, summary="second"))
        assert store.read("t").summary == "first"

    def test_many_python_threads(self, store):
        """Each tries until it has written ten messages; all hundred are there, each once."""
        start = threading.Barrier(10, timeout=30)
        told = []

        def work(name):
            start.wait()
            written = 0
            while written < 10:
                try:
                    add(store, "shared", U(f"{name}-{written}"))
                    add(store, f"own-{name}", U(f"{name}-{written}"))
                    written += 1
                except ThreadConflict:
                    told.append(name)

        workers = [threading.Thread(target=work, args=(i,)) for i in range(10)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        everything = [f"{i}-{j}" for i in range(10) for j in range(10)]
        assert sorted(m.content for m in store.transcript("shared")) == sorted(everything)
        for i in range(10):
            assert [m.content for m in store.transcript(f"own-{i}")] == [f"{i}-{j}" for j in range(10)]


class TestHistory:
    def test_it_says_what_happened(self, store):
        seen = add(store, "t", S(), U("one"))
        seen = store.commit("t", seen, Change("reply", (A("two"),)))
        store.commit("t", seen, Change("summary", removed=1, summary="x"))
        history = store.history("t")
        assert [(h.happened, h.messages, h.summarised) for h in history] == [
            ("user", 2, 0),
            ("reply", 3, 0),
            ("summary", 2, 1),
        ]
        assert [h.id for h in history] == sorted(h.id for h in history)
        assert [h.time for h in history] == sorted(h.time for h in history)

    def test_an_earlier_state_can_be_read_and_gone_on_from(self, store):
        first = add(store, "t", S(), U("one"), A("two"))
        folded = store.commit("t", first, Change("summary", removed=2, summary="They counted."))
        assert store.read_at("t", first.checkpoint) == first
        store.branch("t", first.checkpoint, "other way")
        other = add(store, "other way", U("three"))
        assert other.live == (U("one"), A("two"), U("three")) and other.summary == ""
        assert store.read("t") == folded
        assert [m.content for m in store.transcript("other way")] == [
            "Answer briefly.",
            "one",
            "two",
            "three",
        ]
        assert [h.id for h in store.history("other way")] == [first.checkpoint, other.checkpoint]
        assert store.threads() == ["other way", "t"]

    def test_threads_do_not_mix(self, store):
        mine, yours = add(store, "mine", U("one")), add(store, "yours", U("uno"))
        for call in (store.read_at, lambda t, c: store.branch(t, c, "new")):
            with pytest.raises(UnknownCheckpoint, match="'mine' has no checkpoint"):
                call("mine", yours.checkpoint)
            with pytest.raises(UnknownCheckpoint):
                call("nobody", mine.checkpoint)
        with pytest.raises(ThreadExists, match="'yours' exists already"):
            store.branch("mine", mine.checkpoint, "yours")
        assert store.threads() == ["mine", "yours"]
        assert (store.read("mine"), store.read("yours")) == (mine, yours)

    def test_calls_and_results_stay_as_they_were_stored(self, store):
        seen = add(store, "t", U("q"), C("a", "b"), T("a"), T("b"), A("done"))
        store.commit("t", seen, Change("summary", removed=1, summary="x"))
        assert store.read("t").live == (C("a", "b"), T("a"), T("b"), A("done"))
