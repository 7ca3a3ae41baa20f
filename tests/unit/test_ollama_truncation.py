"""`OllamaTruncation`: what it owes (C4, C5, C9), and that it does what the server does."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxkit import BudgetImpossible, Message, Pipeline, TokenCounter, dump_messages, run
from ctxkit.models.ollama import OllamaModel
from ctxkit.transforms.ollama_truncation import OllamaTruncation
from tests.histories import A, C, D, S, T, U, histories
from tests.servers import rule
from tests.servers.ollama import OllamaServer

COUNTER = TokenCounter()
TOOLS = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
windows = st.integers(8, 400)
tool_lists = st.sampled_from([(), TOOLS])


def sent(history, num_ctx, tools=(), **options):
    return run(OllamaTruncation(num_ctx, **options).apply(history, tools=tools))


def cost(*messages, tools=()):
    return COUNTER.count_all(messages, tools)


@given(histories(), windows, tool_lists)
def test_kept_messages_are_the_same_objects_and_the_input_is_unchanged(history, num_ctx, tools):
    before = list(history)
    outcome = sent(history, num_ctx, tools)
    assert all(x is y for x, y in zip(history, before, strict=True))
    assert list(outcome.sources) == sorted(set(outcome.sources))
    for message, source in zip(outcome.messages, outcome.sources, strict=True):
        shortened = outcome.decisions[source].action == "shortened"
        assert (message is history[source]) != shortened


@given(histories(), windows, tool_lists)
def test_applying_it_again_changes_nothing(history, num_ctx, tools):
    once = sent(history, num_ctx, tools).messages
    again = sent(once, num_ctx, tools).messages
    assert len(again) == len(once)
    assert all(x is y for x, y in zip(again, once, strict=True))


@given(histories(), windows, tool_lists)
def test_every_message_is_explained(history, num_ctx, tools):
    transform = OllamaTruncation(num_ctx)
    outcome = run(transform.apply(history, tools=tools))
    decisions = outcome.decisions
    assert transform.plan(history, tools=tools) == decisions
    assert [d.index for d in decisions] == list(range(len(history)))
    assert [d.tokens for d in decisions] == [COUNTER.count(m) for m in history]
    assert [d.index for d in decisions if d.action != "dropped"] == list(outcome.sources)
    assert all(d.reason for d in decisions)


@given(histories(), windows, tool_lists)
@example([S(), U("tide"), A("low"), U("why?")], 25, ())
def test_it_drops_what_the_server_drops(history, num_ctx, tools):
    """Judged by a rule that was written from the server's source and renders anew at each step."""
    wire = [{"role": {"developer": "system"}.get(m.role, m.role), "index": i} for i, m in enumerate(history)]

    def count(messages, tools):
        return cost(*(history[m["index"]] for m in messages), tools=tools)

    left = rule.drop_messages(wire, tools, num_ctx, count)
    tokens = count(left, tools)
    outcome = sent(history, num_ctx, tools)
    if not history or tokens <= num_ctx - 1:
        assert list(outcome.sources) == [m["index"] for m in left]
        return
    assert set(outcome.sources) <= {m["index"] for m in left}
    with pytest.raises(BudgetImpossible) as refused:
        sent(history, num_ctx, tools, shift=False)
    assert refused.value.required == [m["index"] for m in left]
    assert (refused.value.tokens, refused.value.budget) == (tokens, num_ctx - 1)


def test_a_shift_keeps_the_end_down_to_about_half_the_window():
    history = [S("Answer in French."), U("tide " * 300)]
    outcome = sent(history, 200)
    read = rule.shifted(cost(*history), 200)
    assert read == 200 - (200 - 4) // 2
    assert read - rule.NUM_KEEP - 2 <= cost(*outcome.messages) <= read - rule.NUM_KEEP
    assert [d.action for d in outcome.decisions] == ["dropped", "shortened"]
    assert history[1].content.endswith(outcome.messages[0].content)


def test_one_token_too_many_can_cost_half_of_the_prompt():
    history = [S(), *(Message(("user", "assistant")[i % 2], "tide " * 20) for i in range(9))]
    whole = cost(*history)
    assert sent(history, whole + 1).messages == history
    halved = sent(history, whole).messages  # fits, and leaves no place for one more token
    assert cost(*halved) <= whole // 2 + 4
    assert not any(m.role == "system" for m in halved)


def test_the_system_prompt_and_the_last_message_stay_where_they_fit():
    history = [S("first"), D("rules"), *[U("tide " * 30), A("low " * 30)] * 5, S("a note"), U("why?")]
    outcome = sent(history, 45)
    assert outcome.sources == [0, 1, 12, 13]
    assert outcome.messages.head_limit == 2


def test_pairs_are_ignored_and_nothing_is_repaired():
    history = [U("What is the tide?"), C("a", "b"), T("a"), T("b", "low " * 20)]
    assert sent(history, 32).messages == [history[3]]
    orphan = [T("nobody"), U("hello")]
    assert sent(orphan, 100).messages == orphan


def test_tool_schemas_take_room():
    history = [U("tide " * 20), A("low"), U("why?")]
    assert len(sent(history, 60).messages) == 3
    assert len(sent(history, 60, TOOLS).messages) == 2


@pytest.mark.parametrize(
    "content", ["", None, [], ["tide " * 100, "low " * 100], [{"type": "text", "text": "x " * 99}]]
)
def test_the_last_message_stays_whatever_it_holds(content):
    history = [U("hello"), Message.user(content)]
    outcome = sent(history, 12)
    assert outcome.sources == [1]
    assert cost(*outcome.messages) <= 12


def test_parts_are_cut_from_the_front_and_no_character_in_two():
    parts = ["tide " * 40, {"type": "text", "text": "🍕" * 30}]
    [message] = sent([Message.user(parts)], 60).messages
    assert len(message.content) == 1
    assert set(message.content[0]) == {"🍕"}


def test_a_giant_text_is_cut_in_one_go():
    [message] = sent([U("What is the tide? " * 100_000)], 100).messages
    assert "What is the tide?" in message.content
    [blanks] = sent([U(" " * 300_000 + "tide")], 100).messages
    assert blanks.content.endswith("tide")
    assert cost(blanks) < 60


def test_the_empty_history_stays_empty():
    assert sent([], 10).messages == []
    assert sent([S()], 100).messages == [S()]


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"num_ctx": 0}, ValueError),
        ({"num_ctx": 4}, ValueError),
        ({"num_ctx": "4096"}, TypeError),
        ({"num_ctx": 100, "num_keep": -1}, ValueError),
        ({"num_ctx": 100, "shift": 1}, TypeError),
    ],
)
def test_other_values_are_refused(options, kind):
    with pytest.raises(kind):
        OllamaTruncation(**options)


def test_it_works_in_a_pipeline():
    history = [S(), *[U("tide " * 30), A("low " * 30)] * 3, U("why?")]
    assert run(Pipeline([OllamaTruncation(40)])(history)) == [S(), U("why?")]


class Words(TokenCounter):
    """Counts as the test server does, apart from the few tokens of frame."""

    def count_text(self, text):
        return len(text.split())


def test_what_it_shows_is_what_a_server_reads():
    history = [S(), *(Message(("user", "assistant")[i % 2], f"tide {i} " * 20) for i in range(21))]
    counter = Words()

    def count(messages, tools):
        return counter.count_all(messages, tools)

    for num_ctx in (100, 250, 500, 700):
        shown = run(OllamaTruncation(num_ctx, counter=counter)(history))
        with OllamaServer(count=count) as server:
            run(OllamaModel(host=server.url, num_ctx=num_ctx).chat(history))
        assert server.prompts == [dump_messages(shown, style="ollama")]
