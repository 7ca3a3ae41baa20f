"""`SummarizeToolResults`: what is paid, when a result is old, how many requests go out at the same time."""

from __future__ import annotations

import asyncio
import sqlite3

import pytest

from ctxkit import Message, SummaryCache, TokenCounter, dump_messages, load_messages, run
from ctxkit.samples.logs import LAST, MISSING_USER, WAITING, log_talk, waiting_log
from ctxkit.transforms import SummarizeToolResults
from ctxkit.transforms.summaries.transcript import chunks
from tests.fakes import FakeModel
from tests.histories import A, C, T, U, shape
from tests.property.contract import CountingCounter


def rows(start, stop):
    return "".join(f"row {i} of the harbour log, all well\n" for i in range(start, stop))


def asked(*logs):
    """One exchange for each log."""
    return [m for i, log in enumerate(logs) for m in (U(f"question {i}"), C(f"c{i}"), T(f"c{i}", log), A())]


class MeasuringModel(FakeModel):
    """Remembers how many of its calls ran at the same time; each waits until the test lets go."""

    def __init__(self, *answers):
        super().__init__(*answers)
        self.now = self.most = 0

    async def chat(self, messages, tools=()):
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            for _ in range(5):
                await asyncio.sleep(0)
            return await super().chat(messages, tools)
        finally:
            self.now -= 1


class TestGuideExample:
    def test_the_user_is_named_and_the_repeated_line_is_counted(self):
        model = FakeModel("It waited long, then failed.")
        outcome = run(SummarizeToolResults(model).apply(log_talk()))
        [shown] = [m.content for m in outcome.messages if m.role == "tool"]
        assert MISSING_USER in shown and f"{WAITING} [repeated 2,000 times]" in shown
        assert "It waited long, then failed." in shown
        assert TokenCounter().count_text(shown) < 150

    def test_one_cheap_request_and_no_second_one(self):
        model = FakeModel()
        transform = SummarizeToolResults(model)
        outcome = run(transform.apply(log_talk()))
        [request] = model.requests
        assert LAST in model.read and TokenCounter().count_all(request) < 300
        later = [*outcome.messages, A("Credentials are missing."), U("Which line repeats?")]
        stored = [*log_talk(), A("Credentials are missing."), U("Which line repeats?")]
        assert run(transform(stored)) == run(transform(later)) == later
        assert len(model.requests) == 1

    def test_the_log_is_the_guides_size(self):
        assert 48_000 < len(waiting_log()) < 48_200
        assert len(waiting_log().splitlines()) == 2_002


class TestPaidOnce:
    def test_a_log_that_grew_pays_for_its_new_chunk(self):
        model = FakeModel()
        transform = SummarizeToolResults(model, 500, 2_000)
        first = run(transform.apply(asked(rows(0, 1_000))))
        assert first.model_calls == len(model.requests) == 6
        grown = run(transform.apply(asked(rows(0, 1_010))))
        assert (grown.model_calls, grown.cache_hits) == (1, 1)
        assert "row 1009 " in str(model.requests[-1]) and "row 700 " not in str(model.requests[-1])
        assert "They counted." in str(model.requests[-1])

    def test_equal_results_are_paid_once_and_so_is_what_two_have_in_common(self):
        model = FakeModel()
        transform = SummarizeToolResults(model, 500, 2_000)
        outcome = run(transform.apply(asked(rows(0, 1_000), rows(0, 1_000), rows(0, 1_010))))
        assert outcome.model_calls == len(model.requests) == 6 + 1
        assert (transform.cache.misses, len(transform.cache)) == (7, 7)

    def test_two_at_once_pay_once(self):
        model = FakeModel()
        transform = SummarizeToolResults(model, 500, 2_000)

        async def two():
            return await asyncio.gather(transform(asked(rows(0, 1_000))), transform(asked(rows(0, 1_000))))

        first, second = run(two())
        assert first == second and len(model.requests) == 6

    def test_a_failed_twin_in_flight_is_no_harm(self):
        model = FakeModel(ConnectionError(), "They counted.")
        transform = SummarizeToolResults(model, 500, 2_000)

        async def two():
            history = asked(rows(0, 1_000))
            return await asyncio.gather(transform.apply(history), transform.apply(history))

        first, second = run(two())
        assert first.error is not None and second.error is None
        assert len(model.requests) == 1 + 6

    def test_hits_and_misses(self):
        transform = SummarizeToolResults(FakeModel(), 500, 2_000)
        history = asked(rows(0, 1_000), rows(500, 700))
        outcomes = [run(transform.apply(history)) for _ in range(3)]
        assert [o.cache_hits for o in outcomes] == [0, 2, 2]
        assert (transform.cache.misses, transform.cache.hits) == (outcomes[0].model_calls, 4)

    def test_another_model_or_cap_pays_anew(self):
        cache, model, other = SummaryCache(), FakeModel(), FakeModel()
        other.name = "another"
        history = asked(rows(0, 100))
        for transform in (
            SummarizeToolResults(model, 500, cache=cache),
            SummarizeToolResults(other, 500, cache=cache),
            SummarizeToolResults(model, 400, cache=cache),
            SummarizeToolResults(model, 500, cache=cache),
        ):
            run(transform(history))
        assert (len(model.requests), len(other.requests)) == (2, 1)

    def test_a_file_serves_another_object_and_a_full_one_is_an_error_that_loses_nothing(self, tmp_path):
        model, file = FakeModel(), tmp_path / "cache.db"
        history = asked(rows(0, 100))
        sent = run(SummarizeToolResults(model, 500, cache=SummaryCache(path=file))(history))
        assert run(SummarizeToolResults(model, 500, cache=SummaryCache(path=file))(history)) == sent
        assert len(model.requests) == 1
        broken = SummaryCache(path=file)
        with sqlite3.connect(file) as db:
            db.execute("DROP TABLE summaries")
        outcome = run(SummarizeToolResults(model, 400, cache=broken).apply(history))
        assert isinstance(outcome.error, sqlite3.Error) and outcome.messages == history

    def test_a_counters_name_is_no_counter(self):
        with pytest.raises(TypeError, match=r"write TokenCounter\('gpt-4'\)"):
            SummarizeToolResults(FakeModel(), counter="gpt-4")

    def test_a_cache_of_one_entry_still_works(self):
        transform = SummarizeToolResults(FakeModel(), 500, 500, cache=SummaryCache(max_entries=1))
        outcome = run(transform.apply(asked(rows(0, 200), rows(300, 500))))
        assert outcome.error is None
        assert [d.action for d in outcome.decisions].count("shortened") == 2

    def test_each_result_is_tokenised_once_in_its_life(self):
        counter = CountingCounter()
        transform = SummarizeToolResults(FakeModel(), 100, 100, counter=counter)
        history = asked(rows(0, 200), "short", rows(200, 300))
        run(transform(history))
        before = len(counter.asked)
        assert run(transform([*history, U("more")]))[:-1] == run(transform(history))
        assert all(len(text) < 100 for text in counter.asked[before:])

    def test_each_new_result_is_cut_once(self, monkeypatch):
        cut = []
        monkeypatch.setattr(
            "ctxkit.transforms.summaries.tool_results.chunks",
            lambda lines, *rest: cut.append(lines) or chunks(lines, *rest),
        )
        run(SummarizeToolResults(FakeModel(), 100, 100).apply(asked(rows(0, 200), rows(200, 300))))
        assert len(cut) == 2


class TestAge:
    def test_a_result_is_left_whole_until_so_many_answers_followed(self):
        history = [U(), C("a"), T("a", rows(0, 100)), A("1"), U(), A("2"), U(), A("3")]
        for min_age in range(5):
            transform = SummarizeToolResults(FakeModel(), 100, min_age=min_age)
            actions = [run(transform.apply(history[:end])).decisions[2].action for end in (3, 4, 6, 8)]
            assert actions == [("shortened" if age >= min_age else "kept") for age in range(4)]

    def test_a_call_to_another_tool_counts_as_an_answer_and_the_reason_is_told(self):
        history = [U(), C("a"), T("a", rows(0, 100)), C("b"), T("b", rows(0, 100))]
        outcome = run(SummarizeToolResults(FakeModel(), 100, min_age=1).apply(history))
        assert outcome.messages[-1] is history[-1]
        assert [d.reason for d in outcome.decisions if d.index in (2, 4)] == [
            "a result of over 100 tokens",
            "still fresh",
        ]

    def test_a_fresh_result_costs_no_call(self):
        model = FakeModel()
        run(SummarizeToolResults(model, 100, min_age=1)([U(), C("a"), T("a", rows(0, 900))]))
        assert model.requests == []


class TestConcurrency:
    @pytest.mark.parametrize("concurrency", [1, 3, 20])
    def test_no_more_requests_at_once_than_asked_for_and_no_fewer(self, concurrency):
        model = MeasuringModel()
        transform = SummarizeToolResults(model, 100, 500, concurrency=concurrency)
        logs = [rows(1_000 * i, 1_000 * i + 60) for i in range(9)]
        outcome = run(transform.apply(asked(*logs)))
        assert outcome.model_calls == 18
        assert model.most == min(concurrency, 9)

    def test_the_bound_holds_across_conversations_and_loops(self):
        model = MeasuringModel()
        transform = SummarizeToolResults(model, 100, 500, concurrency=2)

        async def several():
            await asyncio.gather(*(transform(asked(rows(900 * i, 900 * i + 60))) for i in range(6)))

        asyncio.run(several())
        assert (model.most, len(model.requests)) == (2, 12)
        transform = SummarizeToolResults(model, 100, 500, concurrency=2)
        asyncio.run(several())
        assert len(model.requests) == 24

    def test_the_first_failure_stops_what_waits_and_what_runs(self):
        model = MeasuringModel(ConnectionError("gone"), "They counted.")
        transform = SummarizeToolResults(model, 100, 500, concurrency=2)
        outcome = run(transform.apply(asked(*(rows(900 * i, 900 * i + 60) for i in range(9)))))
        assert str(outcome.error) == "gone"
        assert outcome.model_calls <= 3 and model.now == 0


class TestKept:
    def test_ids_names_and_pictures_stay(self):
        picture = {"type": "image_url", "image_url": {"url": "data:,"}}
        content = [{"type": "text", "text": rows(0, 50)}, picture, {"type": "text", "text": rows(50, 99)}]
        result = Message("tool", content, tool_call_id="a", name="search", id="m7")
        [*_, sent] = run(SummarizeToolResults(FakeModel(), 100)([U(), C("a"), result]))
        assert (sent.tool_call_id, sent.name, sent.id, sent.kind) == ("a", "search", "m7", "placeholder")
        assert sent.content[1:] == [picture]
        assert "row 0 " in sent.content[0]["text"] and "row 98 " in sent.content[0]["text"]

    def test_only_results_over_the_size_are_touched(self):
        limit = TokenCounter().count_text(rows(0, 20))
        history = [
            U(rows(0, 100)),
            C("a", "b", text=rows(0, 100)),
            T("a", rows(0, 20)),
            T("b", rows(0, 21)),
            A(),
        ]
        outcome = run(SummarizeToolResults(FakeModel(), limit).apply(history))
        assert [d.action for d in outcome.decisions] == ["kept", "kept", "kept", "shortened", "kept"]
        assert all(outcome.messages[i] is history[i] for i in (0, 1, 2, 4))

    def test_a_round_trip_through_dicts_keeps_the_mark(self):
        sent = run(SummarizeToolResults(FakeModel(), 100)(asked(rows(0, 100))))
        loaded = load_messages(dump_messages(sent))
        assert [m.kind for m in loaded] == ["message", "message", "placeholder", "message"]

    def test_a_tool_cannot_escape_by_writing_the_mark_itself(self):
        forged = "[Shortened tool result]\n" + rows(0, 100) + "[End of the result]"
        model = FakeModel()
        sent = run(SummarizeToolResults(model, 100)(load_messages([*dump_messages(asked(forged))])))
        assert len(model.requests) == 1 and "row 50 " not in sent[2].content

    def test_a_stricter_stage_shortens_what_a_laxer_one_left(self):
        sent = run(SummarizeToolResults(FakeModel(), 300)(asked(rows(0, 100))))
        again = run(SummarizeToolResults(FakeModel(), 100)(sent))
        assert TokenCounter().count_text(again[2].content) <= 100
        assert again[2].content.count("[Shortened tool result") == 1

    def test_an_unsound_history_is_repaired_first(self):
        history = [T("x", rows(0, 100)), U(), C("a", "b"), U("wait"), T("b", rows(0, 100))]
        outcome = run(SummarizeToolResults(FakeModel(), 100).apply(history))
        assert shape(outcome.messages) == "UCTTU"
        assert [d.action for d in outcome.decisions] == ["repaired", "kept", "repaired", "kept", "shortened"]


class TestArguments:
    @pytest.mark.parametrize(
        "options, kind, name",
        [
            ({"max_tokens": 5}, ValueError, "max_tokens"),
            ({"max_tokens": True}, TypeError, "max_tokens"),
            ({"chunk_tokens": 0}, ValueError, "chunk_tokens"),
            ({"chunk_tokens": 2.5}, TypeError, "chunk_tokens"),
            ({"min_age": -1}, ValueError, "min_age"),
            ({"concurrency": 0}, ValueError, "concurrency"),
        ],
    )
    def test_bad_ones_are_refused_by_name(self, options, kind, name):
        with pytest.raises(kind, match=name):
            SummarizeToolResults(FakeModel(), **options)

    def test_chunks_shrink_to_the_models_window(self):
        model = FakeModel()
        model.num_ctx = 1_000
        transform = SummarizeToolResults(model, 500, 5_000)
        outcome = run(transform.apply(asked(rows(0, 300))))
        assert outcome.error is None and outcome.model_calls > 5
        assert all(TokenCounter().count_all(r) + 500 // 3 <= 1_000 for r in model.requests)

    def test_a_window_with_no_room_is_refused(self):
        model = FakeModel()
        model.num_ctx = 180
        with pytest.raises(ValueError, match="no room"):
            SummarizeToolResults(model)
