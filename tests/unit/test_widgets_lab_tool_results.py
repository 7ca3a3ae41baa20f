"""`ToolResultsLab`: one setting, one picture; what it says of sizes, prices and the answer is true."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit import Message, OfflineModel, SummarizeToolResults, TokenCounter, load_sample, run
from ctxkit.replay import call_points, replay
from ctxkit.samples.logs import log_talk, waiting_log
from ctxkit.widgets import ToolResultsLab
from ctxkit.widgets.labs import tool_results
from tests.fakes import FakeModel
from tests.histories import A, C, T, U, histories

SCRATCHES = "How many scratches has plate 032?"


def picture(lab):
    """All that a lab shows, as data."""
    figure = lab.chart.widget.to_dict()
    traces = [{name: value for name, value in trace.items() if name != "uid"} for trace in figure["data"]]
    return traces, figure["layout"], lab.table.widget.state, lab.status, lab.as_text()


def growing(**options):
    return ToolResultsLab(load_sample("growing_log"), chunk_tokens=600, **options)


def test_with_nothing_shortened_it_says_how_much_too_long_that_is():
    lab = growing(max_tokens=2_000, limit=4_096, question=SCRATCHES)
    total = TokenCounter().count_all(load_sample("growing_log"))
    assert lab.status.startswith(
        f"Over the window. 0 of 5 tool results are shortened, 5 whole: {total:,} tokens, "
        f"{total / 4_096:.0%}".replace("%", " %")
    )
    assert "Summary calls paid so far: 0, one per new chunk; 0 chunks came from the cache." in lab.status
    assert "reader quotes message 21" in lab.status and "2 scratches" in lab.status


def test_shortened_at_once_the_line_is_gone_and_kept_while_fresh_it_is_there_until_a_reply_follows():
    lab = growing(max_tokens=400, limit=4_096, question=SCRATCHES)
    assert lab.status.startswith("Fits. 5 of 5 tool results are shortened, 0 whole: ")
    assert lab.status.endswith("the offline reader says: The answer is not in the messages I was sent.")
    lab.age.value = 1
    assert lab.status.startswith("Fits. 4 of 5 tool results are shortened, 1 whole: ")
    assert "reader quotes message 21" in lab.status
    lab.upto.value = 19
    assert "4 of 4 tool results are shortened, 0 whole" in lab.status
    assert lab.status.endswith("The answer is not in the messages I was sent.")


@pytest.mark.parametrize("age", [0, 1, 4])
def test_calls_paid_and_chunks_from_the_cache_add_up_to_what_no_cache_would_cost(age):
    talk, paid, whole = load_sample("growing_log"), 0, 0
    with_cache = SummarizeToolResults(OfflineModel(), 400, 600, age)
    for end in call_points(talk):
        paid += run(with_cache.apply(talk[:end])).model_calls
        due = [d.index for d in run(with_cache.apply(talk[:end])).decisions if d.action == "shortened"]
        for index in due:  # each alone and with nothing at hand
            alone = [talk[index - 1], talk[index]]
            fresh = SummarizeToolResults(OfflineModel(), 400, 600)
            whole += run(fresh.apply([U("q"), *alone])).model_calls
    lab = growing(max_tokens=400, min_age=age)
    assert f"Summary calls paid so far: {paid}, one per new chunk; {whole - paid} chunks came" in lab.status


def test_tokens_in_the_status_are_those_of_the_last_call_of_a_replay():
    [*_, last] = run(
        replay(SummarizeToolResults(OfflineModel(), 400, 600, 1), talk := load_sample("growing_log"))
    )
    counter = TokenCounter()
    lab = growing(max_tokens=400, min_age=1)
    assert f"{counter.count_all(talk):,} → {counter.count_all(last.messages):,} tokens." in lab.status


def test_the_table_says_of_each_result_what_became_of_it_and_why():
    lab = growing(max_tokens=600, min_age=1)
    state = lab.table.widget.state
    fates = [
        (action, state["reasons"][reason]) for action, reason, count in state["runs"] for _ in range(count)
    ]
    assert fates[3] == ("shortened", "a result of over 600 tokens")
    assert fates[9] == ("kept", "short enough")
    assert fates[21] == ("kept", "still fresh")
    assert fates[0] == ("kept", "not a tool result")


@settings(max_examples=15)
@given(history=histories(), seed=st.integers(0, 1000))
def test_one_setting_always_shows_one_picture(history, seed):
    if not history:
        return
    chance = random.Random(seed)
    options = {"chunk_tokens": 64, "limit": 300, "question": "What is it?"}
    lab = ToolResultsLab(history, max_tokens=60, **options)
    for _ in range(5):
        control = chance.choice([lab.upto, lab.size, lab.age])
        control.slider.set_state({"value": chance.randint(control.slider.min, control.slider.max)})
    setting = {"max_tokens": lab.size.value, "min_age": lab.age.value, "upto": lab.upto.value}
    assert picture(ToolResultsLab(history, **setting, **options)) == picture(lab)
    assert "Not redrawn" not in lab.status


def test_one_setting_shows_one_picture_whatever_was_looked_at_before():
    fresh = picture(growing(max_tokens=400, question=SCRATCHES))
    lab = growing(max_tokens=1_000, question=SCRATCHES)
    for upto, size, age in ((3, 1_000, 0), (21, 400, 3), (9, 100, 0), (20, 400, 0)):
        lab.upto.value, lab.size.value, lab.age.value = upto, size, age
    lab.upto.value = 21
    assert picture(lab) == fresh


def test_coming_back_to_a_setting_asks_nothing_again(monkeypatch):
    asked = []
    chat = OfflineModel.chat

    async def counted(self, messages, tools=()):
        asked.append(messages)
        return await chat(self, messages, tools)

    monkeypatch.setattr(OfflineModel, "chat", counted)
    lab = growing(max_tokens=400, question=SCRATCHES)
    lab.size.value = 300
    before = len(asked)
    lab.size.value = 400
    lab.size.value = 300
    assert before > 0 and len(asked) == before


def test_hostile_text_is_shown_as_text():
    evil = "<img src=x onerror=alert(1)>"
    log = f"error: {evil} </td> $x$ <extra>\n" * 2 + "".join(f"row {n} of the night\n" for n in range(200))
    lab = ToolResultsLab(
        [U(evil), C("a"), T("a", log)], max_tokens=150, question=f"Explain the error. {evil} \ud83d"
    )
    assert "1 of 1 tool result is shortened" in lab.status and "Not redrawn" not in lab.status
    heading = lab.widget.children[0].value
    assert "<img" not in heading and "&lt;img" in heading
    assert "\ud83d" not in lab.status + heading


def test_a_summary_that_fails_is_said_and_nothing_is_shortened(monkeypatch):
    monkeypatch.setattr(tool_results, "OfflineModel", lambda: FakeModel(ConnectionError("<b>gone</b>")))
    lab = ToolResultsLab(log_talk(), max_tokens=200)
    assert lab.status.startswith("No summary was made: <b>gone</b>. 0 of 1 tool result is shortened, 1 whole")
    assert "1 of 1" not in lab.status


def test_a_result_without_its_call_is_not_sent_and_so_not_whole():
    lab = ToolResultsLab([U("a"), T("zz", "lost " * 9), C("a"), T("a", "r"), A("b")])
    assert "0 of 2 tool results are shortened, 1 whole, 1 without a call and not sent: " in lab.status


def test_an_estimate_is_marked_before_both_numbers():
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    lab = ToolResultsLab([Message.user([picture]), C("a"), T("a", waiting_log()), A("b")])
    assert ": ≈ " in lab.status and "→ ≈" not in lab.status


def test_of_a_long_talk_no_more_is_asked_for_than_the_calls_and_one_explanation(monkeypatch):
    explained = []
    explain = SummarizeToolResults._explain
    monkeypatch.setattr(
        SummarizeToolResults, "_explain", lambda *given: explained.append(given) or explain(*given)
    )
    ToolResultsLab([message for _ in range(30) for message in (U(), A())])
    assert len(explained) == 1


def test_the_smallest_size_on_the_slider_works_and_no_result_is_no_trouble():
    lab = growing(max_tokens=1)
    assert "Not redrawn" not in lab.status and lab.size.value == lab.size.box.min
    lab = ToolResultsLab([U("Hi"), A("Hello")], max_tokens=1)
    assert "0 of 0 tool results are shortened, 0 whole" in lab.status


def test_a_single_long_line_and_a_picture_are_no_trouble():
    picture_part = {"type": "image_url", "image_url": {"url": "data:,"}}
    lab = ToolResultsLab(
        [U("q"), C("a"), Message.tool(["x" * 9_000, picture_part], "a")], max_tokens=100, chunk_tokens=300
    )
    assert "1 of 1 tool result is shortened" in lab.status


def test_the_counter_that_remembers_lines_counts_as_any_other():
    counter, plain = tool_results.LineCounter(), TokenCounter()
    for text in ("", "waiting", "waiting", waiting_log(3), "<|endoftext|>", "x" * 2_000):
        assert counter.count_text(text) == plain.count_text(text)
    with pytest.raises(TypeError):
        counter.count_text(None)


def test_estimates_are_not_remembered(monkeypatch):
    counter = tool_results.LineCounter()
    monkeypatch.setattr("ctxkit.tokens.counter.vocabulary", lambda encoding: None)
    text = "waiting for the archive"
    assert not counter.exact_for([U(text)])
    monkeypatch.undo()
    assert counter.exact_for([U(text)]) and counter.count_text(text) == TokenCounter().count_text(text)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": "9"}, "max_tokens"),
        ({"min_age": -1}, "min_age"),
        ({"chunk_tokens": 3}, "chunk_tokens"),
        ({"limit": 0}, "limit"),
        ({"question": 3}, "question"),
        ({"upto": True}, "upto"),
        ({"counter": len}, "counter"),
    ],
)
def test_bad_settings_are_named(options, error):
    with pytest.raises((TypeError, ValueError), match=error):
        ToolResultsLab([U(), A()], **options)


def test_it_has_exactly_three_controls():
    lab = ToolResultsLab([U()])
    [bar] = [child for child in lab.widget.children if "ctxkit-panel" in child._dom_classes]
    assert [control.children[0].description for control in bar.children] == [
        "Conversation up to message",
        "Shorten over (tokens)",
        "Whole until (replies after it)",
    ]
