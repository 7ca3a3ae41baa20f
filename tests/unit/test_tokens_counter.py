"""TokenCounter: additive, counts a message once, works for subclasses, refuses bad input by name."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from ctxkit import Message, ToolCall
from ctxkit.tokens import TextToken, TokenCounter, count_tokens, counter, shared_counter

CALL = ToolCall("call_1", "search", {"query": "dolphins", "limit": 3})
SCHEMA = {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}

MESSAGES = st.one_of(
    st.builds(Message.user, st.text(max_size=30)),
    st.builds(Message.system, st.text(max_size=30)),
    st.builds(Message.tool, st.text(max_size=30), st.just("call_1"), st.one_of(st.none(), st.just("search"))),
    st.sampled_from(
        [
            Message.assistant(None, [CALL]),
            Message.user(
                ["two", {"type": "text", "text": "parts"}, {"type": "image_url", "image_url": {"url": "x"}}]
            ),
        ]
    ),
)
TOOLS = st.lists(
    st.fixed_dictionaries({"name": st.text(max_size=10), "description": st.text(max_size=20)}), max_size=3
)


class Spy(TokenCounter):
    """What somebody's own counter looks like: only `count_text` is overridden."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def count_text(self, text):
        self.seen.append(text)
        return len(text.split())


@given(st.lists(MESSAGES), TOOLS)
def test_a_request_costs_the_sum_of_its_messages(messages, tools):
    """Case 70: the overhead of every message is in, so that budgets can be kept by adding up."""
    for make in (TokenCounter, Spy, lambda: TokenCounter().calibrated([(100, 183), (999, 1352)])):
        new = make()
        alone = [make().count(message) for message in messages]
        assert new.count_all(messages, tools) == new.count_all((), tools) + sum(alone)
        assert new.count_all(messages, tools) == make().count_all(messages, tools)


def test_a_text_message_is_tokenised_once_in_its_life():
    spy = Spy()
    history = [Message.user(f"message number {i}") for i in range(50)]
    assert spy.count_all(history) == 3 + 50 * (4 + 3)
    assert len(spy.seen) == 50
    history.append(Message.assistant("one more"))
    assert spy.count_all(history) == 3 + 50 * 7 + 6
    assert spy.seen[50:] == ["one more"]
    assert spy.count(Message.user("message number 7")) == 7  # equal, another object
    assert spy.exact_for(history)
    assert len(spy.seen) == 51


def test_a_tool_schema_is_tokenised_once():
    spy = Spy()
    first = spy.count_all([], [SCHEMA])
    reordered = dict(reversed(SCHEMA.items()))
    assert spy.count_all([], [reordered]) == first
    assert len(spy.seen) == 1


def test_what_is_remembered_is_bounded_and_never_changes_a_result(monkeypatch):
    monkeypatch.setattr(counter, "MEMORY", 10)
    spy, history = Spy(), [Message.user("word " * i) for i in range(1, 26)]
    for _ in range(2):
        assert [spy.count(message) for message in history] == [4 + i for i in range(1, 26)]
        assert len(spy._memory) <= 10
    spy.seen.clear()
    spy.count(history[-1])
    assert spy.seen == []


def test_threads_that_fill_the_memory_agree(monkeypatch):
    monkeypatch.setattr(counter, "MEMORY", 8)
    shared, history = TokenCounter(), [Message.user(f"word {i}") for i in range(200)]
    expected = TokenCounter().count_all(history)
    with ThreadPoolExecutor(8) as pool:
        totals = list(pool.map(lambda _: shared.count_all(history), range(8)))
    assert totals == [expected] * 8


def test_ids_and_marks_cost_nothing():
    plain = TokenCounter().count(Message.tool("30.0", "a"))
    assert TokenCounter().count(Message.tool("30.0", "a-much-longer-identifier-0123456789")) == plain == 4 + 3
    assert TokenCounter().count(Message("user", "Hi", id="id-1", kind="summary")) == TokenCounter().count(
        Message.user("Hi")
    )


def test_a_name_costs_one_token_and_its_own():
    unnamed, named = Message.user("Hello"), Message("user", "Hello", name="maria")
    assert TokenCounter().count(named) - TokenCounter().count(unnamed) == 1 + TokenCounter().count_text(
        "maria"
    )


class WithSchema:
    schema = SCHEMA


class Search(BaseModel):
    name: str = "search"
    parameters: dict = SCHEMA["parameters"]


@pytest.mark.parametrize("tool", [SCHEMA, WithSchema(), Search()], ids=["dict", "schema", "pydantic"])
def test_a_tool_may_be_a_dict_an_object_with_a_schema_or_a_pydantic_object(tool):
    new = TokenCounter()
    schema = '{"name":"search","parameters":{"properties":{"query":{"type":"string"}},"type":"object"}}'
    assert new.count_all([], [tool]) == 3 + 12 + 10 + new.count_text(schema)
    assert new.count_all([], [tool, tool]) == 3 + 12 + 2 * (10 + new.count_text(schema))


@pytest.mark.parametrize(
    ("tools", "place"),
    [
        ([SCHEMA, "search"], r"tools\[1\]"),
        ([len], r"tools\[0\]"),
        ([Search], r"tools\[0\]"),
        (SCHEMA, "tools: "),
        (None, "tools: "),
    ],
)
def test_bad_tools_are_named(tools, place):
    with pytest.raises(TypeError, match=place):
        TokenCounter().count_all([], tools)


def test_a_schema_that_json_cannot_hold_is_named_to_the_field():
    with pytest.raises(TypeError, match=r"tools\[1\]\.run"):
        TokenCounter().count_all([], [SCHEMA, {"name": "x", "run": len}])


@pytest.mark.parametrize(
    "messages", ["Hello", b"Hello", Message.user("Hello"), {"role": "user", "content": "Hello"}, None, 5]
)
def test_one_message_or_a_text_is_no_list_of_messages(messages):
    with pytest.raises(TypeError, match="messages: expected a list"):
        TokenCounter().count_all(messages)


@pytest.mark.parametrize("text", [None, 5, b"bytes", ["list"]])
def test_only_text_is_counted_as_text(text):
    for method in (TokenCounter().count_text, TokenCounter().encode):
        with pytest.raises(TypeError, match="text: expected text"):
            method(text)


def test_a_bad_message_is_named_by_its_index():
    with pytest.raises(TypeError, match=r"messages\[1\]\.content"):
        TokenCounter().count_all([{"role": "user", "content": "fine"}, {"role": "user", "content": 5}])


def test_counters_can_be_copied_and_pickled():
    original, message = TokenCounter("gpt-4o"), Message.user("Hello world")
    expected = original.count(message)
    for other in (copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
        assert (other.encoding, other.count(message)) == ("o200k_base", expected)


def test_count_tokens_takes_text_a_message_or_messages():
    message = {"role": "user", "content": "Hello world"}
    assert count_tokens("Hello world") == count_tokens("Hello world", "o200k_base") == 2
    assert count_tokens(message) == count_tokens(Message.user("Hello world")) == 6
    assert count_tokens([message, message]) == 6 + 6 + 3
    assert count_tokens("") == 0 and count_tokens([]) == 3
    with pytest.raises(TypeError):
        count_tokens(None)


def test_one_counter_is_shared_by_encoding():
    assert shared_counter("gpt-4o") is shared_counter("o200k_base") is not shared_counter()
    assert shared_counter("llama3.2") is shared_counter("llama3.2") is not shared_counter("qwen3")
    assert not shared_counter("llama3.2").exact and shared_counter().exact


def test_tokens_of_one_character_are_shown_together():
    assert TokenCounter().encode("I love 🍕!") == [
        TextToken("I", (40,)),
        TextToken(" love", (3021,)),
        TextToken(" 🍕", (11410, 235, 243)),
        TextToken("!", (0,)),
    ]


@given(st.text())
def test_the_tokens_shown_are_the_text_and_as_many_as_counted(text):
    for new in (TokenCounter(), TokenCounter("o200k_base")):
        shown = new.encode(text)
        assert "".join(token.text for token in shown) == text
        assert sum(len(token.ids) for token in shown) == new.count_text(text)
        assert all(token.text for token in shown)
