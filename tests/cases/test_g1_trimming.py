"""G1: history trimming and tool-call consistency, each case a fault that users of other systems reported.

Cases that need a summariser come with the summarising transforms. Short forms: U user, A assistant, C
assistant with calls, T result.
"""

from __future__ import annotations

import copy
import dataclasses
import json

import pytest

from ctxkit import (
    BudgetImpossible,
    ClearToolResults,
    ContextWindow,
    KeepRecentMessages,
    KeepWithinTokens,
    Message,
    Pipeline,
    check,
    count_tokens,
    dump_messages,
    load_messages,
    repair,
    run,
    split_history,
)
from tests.histories import SUM, A, C, D, S, T, U, head, shape, valid_faults


def keep(n, history, **options):
    return run(KeepRecentMessages(n, **options)(history))


def talk(turns, text="word"):
    return [m for i in range(turns) for m in (U(f"{text} {i}"), A(f"{text} answer {i}"))]


def test_01_langchain_33245_a_result_is_never_first():
    history = [U(), C("t1"), T("t1"), U("next"), A(), U("more"), A("done")]
    assert shape(keep(5, history)) == "CTUAUA"
    assert shape(keep(5, history, on_split="shrink")) == "UAUA"
    decisions = KeepRecentMessages(5).plan(history)
    assert [d.action for d in decisions] == ["dropped", *["kept"] * 6]
    assert "6 most recent" in decisions[0].reason


def test_02_langchain_38352_one_orphan_in_a_mixed_run():
    history = [SUM(), C("b"), T("a"), T("b"), U(), A()]
    sent = keep(4, history)
    assert valid_faults(sent) == []
    assert [m.tool_call_id for m in sent if m.role == "tool"] == ["b"]
    old, recent = split_history(history, 4)
    assert "a" not in [m.tool_call_id for m in [*old, *recent]]


@pytest.mark.parametrize("open_end", [[], [U("next")]])
def test_03_datarobot_genai_430_half_a_parallel_pair_is_completed(open_end):
    history = [U(), C("a", "b"), T("a"), *open_end]
    for n in range(5):
        sent = keep(n, history)
        assert valid_faults(sent) == []
        assert [m.kind for m in sent if m.tool_call_id == "b"] in ([], ["placeholder"])


def test_03_n8n_34385_three_valid_results_stay():
    history = [U(), C("a", "b", "c"), T("a"), T("b"), T("c"), A()]
    assert keep(99, history) == history
    assert repair(history) == history


def test_05_hermes_agent_88914_position_counts_not_membership():
    history = [U(), T("a"), C("a"), A("x")]
    assert [(v.index, v.code) for v in check(history)] == [(1, "result_before_call"), (2, "unanswered_call")]
    assert shape(repair(history)) == "UCTA"
    assert check(repair(history)) == []
    assert repair(history)[2].kind == "placeholder"


def test_06_claude_code_39316_one_lost_result_does_not_spoil_the_session():
    history = [U(), C("a"), U("stop, do something else")]
    mended = repair(history)
    assert shape(mended) == "UCTU"
    assert check(mended) == []
    assert [m is n for m, n in zip((mended[0], mended[1], mended[3]), history, strict=True)] == [True] * 3


def test_06_deer_flow_1973_a_result_followed_by_a_user_message_is_left_alone():
    history = [U(), C("a"), T("a"), U("next")]
    assert check(history) == []
    assert [m is n for m, n in zip(repair(history), history, strict=True)] == [True] * 4


@pytest.mark.parametrize(
    ("wanted", "error"),
    [(-1, ValueError), (True, TypeError), (2.0, TypeError), ("2", TypeError), (None, TypeError)],
)
def test_07_camel_3726_a_count_is_a_whole_number(wanted, error):
    with pytest.raises(error, match="keep"):
        KeepRecentMessages(wanted)
    with pytest.raises(error, match="keep"):
        split_history([U(), A(), U()], wanted)
    with pytest.raises(error, match="keep"):
        ClearToolResults(wanted)


def test_07_camel_3726_keeping_none_and_keeping_more_than_there_are():
    history = [U("1"), A("2"), U("3")]
    assert split_history(history, 0) == (history, [])
    assert split_history(history, 3) == ([], history)
    assert split_history(history, 99) == ([], history)
    assert keep(99, history) == history
    assert keep(0, [S(), *history]) == [S(), U("3")]
    assert keep(0, [S(), U("1"), A("2")]) == [S(), U("1")]


def test_08_vendo_561_a_run_without_user_messages_is_bounded():
    history = [U("task"), *(m for i in range(40) for m in (C(f"c{i}"), T(f"c{i}")))]
    sent = keep(10, history)
    assert len(sent) == 11
    assert sent[0] is history[0]


def test_09_computer_162_the_task_survives_two_compactions():
    history = [S(), U("task"), *(m for i in range(60) for m in (C(f"c{i}"), T(f"c{i}")))]
    once = keep(10, history)
    twice = keep(10, [*once, C("more"), T("more")])
    assert [m.content for m in twice if m.role == "user"] == ["task"]
    assert valid_faults(twice) == []


def test_10_hermes_agent_5249_an_old_request_is_not_kept_word_for_word():
    history = [S(), U("Build a site"), A("done"), *talk(30, "taxes")]
    assert all(m.content != "Build a site" for m in keep(4, [*history, U("and the last year?")]))


@pytest.mark.parametrize("fields", [{"content": None}, {"content": ""}, {}])
def test_11_litellm_39268_an_assistant_turn_without_text_is_kept(fields):
    call = {"id": "a", "type": "function", "function": {"name": "clock", "arguments": "{}"}}
    history = load_messages(
        [
            {"role": "user", "content": "Time?"},
            {"role": "assistant", "tool_calls": [call], **fields},
            {"role": "tool", "tool_call_id": "a", "content": "14:20"},
            {"role": "user", "content": "Thanks"},
        ]
    )
    sent = keep(4, history)
    assert [m is n for m, n in zip(sent, history, strict=True)] == [True] * 4
    assert dump_messages(sent)[1]["content"] == fields.get("content")
    assert count_tokens(sent) > 0


def test_12_ai_agent_book_739_the_word_none_appears_nowhere():
    from ctxkit.messages.text import content_text

    quiet = Message.assistant(None, C("a").tool_calls)
    assert content_text(quiet) == ""
    assert count_tokens(quiet) == count_tokens(Message.assistant("", C("a").tool_calls))


def test_13_litellm_16567_list_content_is_counted_or_refused():
    parts = [
        {"type": "text", "text": "long " * 500},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    history = load_messages([{"role": "user", "content": parts}])
    with pytest.raises(BudgetImpossible) as caught:
        run(KeepWithinTokens(50)(history))
    assert caught.value.required == [0]
    assert caught.value.tokens == count_tokens(history) > 500


@pytest.mark.parametrize("n", [0, 1, 5])
def test_14_langchain_26895_short_histories_by_messages(n):
    assert keep(n, []) == []
    assert keep(n, [S()]) == [S()]
    assert keep(n, [S(), S()]) == [S(), S()]
    assert keep(n, [A()]) == ([A()] if n else [])
    assert keep(n, [T("a")]) == []


@pytest.mark.parametrize("budget", [0, 10])
def test_14_langchain_30376_short_histories_by_tokens(budget):
    transform = KeepWithinTokens(budget)
    assert run(transform([])) == []
    assert run(transform([T("a")])) == []
    for history in ([S()], [S(), S()], [A()]):
        if count_tokens(history) <= budget:
            assert run(transform(history)) == history
        else:
            with pytest.raises(BudgetImpossible) as caught:
                run(transform(history))
            assert caught.value.required == list(range(len(history)))


def test_15_tokentrim_3_every_small_budget_ends():
    history = [U("one"), A("two"), U("three"), A("four"), U("five")]
    four = sum(count_tokens(m) for m in history[1:])
    giant = [U("x" * 1_000_000)]
    for budget in [*range(21), four + 4]:
        for messages in (history, giant):
            try:
                sent = run(KeepWithinTokens(budget)(messages))
            except BudgetImpossible as error:
                assert error.tokens > budget
            else:
                assert 0 < count_tokens(sent) <= budget


def test_16_langchainjs_7582_the_callers_messages_are_not_changed():
    dicts = [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {"x": [1]}}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": "long " * 50},
    ]
    before = copy.deepcopy(dicts)
    history = load_messages(dicts)
    sent = dump_messages(run(Pipeline([ClearToolResults(0), KeepRecentMessages(2)])(history)))
    sent[0]["content"].append("changed by the caller")
    assert dicts == before
    dicts[1]["tool_calls"][0]["function"]["arguments"]["x"].append(2)
    dicts[0]["content"][0]["text"] = "changed"
    assert history == load_messages(before)


def test_17_mastra_14798_the_window_has_no_holes():
    history = [U("a"), A("word " * 900), U("b"), A("c")]
    assert run(KeepWithinTokens(50)(history)) == history[2:]


def test_17_mastra_16047_nothing_fits_is_an_error_not_an_empty_prompt():
    history = [S("word " * 15), U("word " * 95)]
    with pytest.raises(BudgetImpossible) as caught:
        run(KeepWithinTokens(60)(history))
    assert (caught.value.required, caught.value.budget) == ([0, 1], 60)
    assert caught.value.tokens == count_tokens(history)


def test_18_superdav_ai_agent_1037_results_of_role_user_are_results_and_no_turns():
    blocks = [{"role": "user", "content": "Weather?"}]
    for i in range(7):
        call = {"type": "tool_use", "id": f"a{i}", "name": "weather", "input": {}}
        blocks.append({"role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": f"a{i}", "content": "r"}
        blocks.append({"role": "user", "content": [result]})
    history = load_messages(blocks)
    assert [m.role for m in history] == ["user", *["assistant", "tool"] * 7]
    assert check(history) == []
    assert [m.role for m in run(KeepRecentMessages(3)(history))] == [
        "user", "assistant", "tool", "assistant", "tool"
    ]  # fmt: skip


def test_19_learn_claude_code_55_a_cut_never_stands_inside_a_group():
    history = [U(), C("a", "b"), T("a"), T("b"), A("x"), U()]
    for n in range(7):
        for on_split in ("expand", "shrink"):
            old, recent = split_history(history, n, on_split)
            assert valid_faults(old) == valid_faults(recent) == []
            assert [*old, *recent] == history


def test_20_pipecat_5595_a_developer_head_is_protected_and_counted():
    rules = {"role": "developer", "content": [{"type": "input_text", "text": "rules " * 40}]}
    history = load_messages([rules, *dump_messages(talk(25))])
    sent = keep(4, history)
    assert sent[0] is history[0]
    assert len(sent) == 5
    assert count_tokens(history[0]) > 40


def test_21_telegram_workers_71_a_custom_system_prompt_stays_byte_for_byte():
    history = [S("custom é\r\n  "), *talk(50)]
    sent = run(KeepWithinTokens(60)(history))
    assert sent[0] is history[0]
    assert count_tokens(sent) <= 60


def test_21_chatgpt_983_a_system_prompt_over_the_limit_is_an_error_at_once():
    with pytest.raises(BudgetImpossible) as caught:
        run(KeepWithinTokens(100)([S("rule " * 500), U()]))
    assert caught.value.required == [0, 1]


@pytest.mark.parametrize("length", range(1, 7))
def test_22_ai_agent_book_190_a_window_that_is_not_full_sends_all(length):
    history = [*talk(3)][:length]
    assert keep(6, history) == history


def test_23_litellm_4931_the_pending_results_stay_last():
    history = [S(), *(U(f"question {i} " + "word " * 30) for i in range(20)), C("a", "b"), T("a"), T("b")]
    sent = run(KeepWithinTokens(120)(history))
    assert shape(sent) == "SUCTT"
    assert sent[-1] is history[-1]


def test_24_litellm_3329_a_list_may_mix_dicts_and_client_objects():
    @dataclasses.dataclass
    class Theirs:
        role: str
        content: str

    from ollama import Message as OllamaMessage

    mixed = [
        {"role": "user", "content": "1"},
        Theirs("assistant", "2"),
        OllamaMessage(role="user", content="3"),
        A("4"),
    ]
    assert [m.content for m in load_messages(mixed)] == ["1", "2", "3", "4"]
    with pytest.raises(TypeError, match=r"messages\[1\].*object"):
        load_messages([{"role": "user", "content": "1"}, object()])


def test_25_kern_ai_295_trimming_in_steps():
    history = [S(), *talk(20, "word " * 20)]
    stepped, first = KeepWithinTokens(600, low_water=300), []
    for i in range(10):
        history += [U(f"new {i} " + "word " * 20), A("word " * 20)]
        first.append(run(stepped.apply(history)).sources[1])
    assert len(set(first)) <= 3


def test_26_stcli_13_the_count_is_of_the_list_that_is_sent():
    history = [S(), *talk(10), U("last")]
    sent = run(KeepRecentMessages(3)(history))
    assert ContextWindow(1000).measure(sent).total == count_tokens(sent)
    assert json.dumps(dump_messages(sent))


def test_a_history_of_orphans_is_checked_and_mended():
    orphans = [U(), *(T(f"x{i}") for i in range(10_000))]
    assert len(check(orphans)) == 10_000
    assert repair(orphans) == orphans[:1]


def test_a_note_that_comes_to_stand_first_is_no_head():
    """A system note from mid-conversation that a first stage leaves at the front may be dropped later."""
    history = [U("1"), A("2"), S("note " * 100), U("3"), A("4"), U("5")]
    assert shape(keep(4, history)) == "SUAU"
    pipeline = Pipeline([KeepRecentMessages(4), KeepWithinTokens(60)])
    assert run(pipeline(history)) == history[3:]
    with pytest.raises(BudgetImpossible):
        run(pipeline(history[2:]))


def test_heads_are_the_leading_system_and_developer_messages():
    assert head([S(), D(), U(), S()]) == [S(), D()]
