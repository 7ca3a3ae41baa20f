"""The marks of thinking, and the answer behind them."""

from __future__ import annotations

import pytest

from ctxkit import Message, Reply
from ctxkit.messages.text import answer_text
from ctxkit.messages.thinking import is_thinking, split_thinking
from ctxkit.models.answers import answer_of


@pytest.mark.parametrize(
    "text",
    [
        "<think>plan</think>They spoke.",
        "\n<think>\nplan\n</think>\n\nThey spoke.",
        "<THINK>plan</THINK>They spoke.",
        "<think >plan</think>They spoke.",
        "<seed:think>plan</seed:think>They spoke.",
        "<thinking>plan</thinking>They spoke.",
        "<reasoning>plan</reasoning>They spoke.",
        "<thought>plan</thought>They spoke.",
        "[THINK]plan[/THINK]They spoke.",
        "◁think▷plan◁/think▷They spoke.",
        "<|channel|>analysis<|message|>plan<|channel|>final<|message|>They spoke.",
        "plan</think>\n\nThey spoke.",  # the opening mark stands in the model's prompt
        "<think></think><think>plan</think>They spoke.",
    ],
)
def test_thinking_at_the_start_is_taken_off(text):
    assert split_thinking(text) == ("plan", "They spoke.")


@pytest.mark.parametrize(
    ("text", "thought", "answer"),
    [
        ("<think>a</think><think>b</think>They", "a\nb", "They"),
        ("<think>a<think>b</think>c</think>They", "a<think>b</think>c", "They"),
        ("<think>I write <think> first</think>They", "I write <think> first", "They"),
        ("<think>never closed", "never closed", ""),
        ("plan\n</think>", "plan", ""),
        ("[THINK]never closed", "never closed", ""),
        ("</think>\nThey", "", "They"),
    ],
)
def test_several_nested_and_open_blocks(text, thought, answer):
    assert split_thinking(text) == (thought, answer)


@pytest.mark.parametrize(
    "text",
    [
        "a </think> b",
        "They said <think> is a mark.",
        "Write `</think>` to end it.",
        "Qwen closes its thinking with </think>",
        "To close the block, write:\n\n</thinking>\n\nThen the answer follows.",
        "<reasoning> is a tag.",
        "Like this:\n```\n</think>\n```\nThat is all.",
        "[think] about it",
        "<thinker>Rodin</thinker>",
        "  30",
        "",
    ],
)
def test_marks_elsewhere_are_text(text):
    assert split_thinking(text) == ("", text)


@pytest.mark.parametrize(
    "beside",
    [{"thought": None, "thought_signature": None}, {"thought": False}, {"thoughtSignature": "x"}],
)
def test_a_text_part_with_fields_for_thinking_is_text(beside):
    assert answer_text(Message.assistant([{"text": "30 hens", **beside}])) == "30 hens"


@pytest.mark.parametrize(
    "part",
    [
        {"type": "thinking", "thinking": "plan"},
        {"type": "redacted_thinking", "data": "EmwKAh"},
        {"type": "reasoning", "text": "plan"},
        {"reasoningContent": {"reasoningText": {"text": "plan"}}},
        {"text": "plan", "thought": True},
    ],
)
def test_parts_that_are_thinking_are_no_answer(part):
    assert is_thinking(part)
    message = Message.assistant([part, {"type": "text", "text": "They spoke."}])
    assert answer_text(message) == "They spoke."
    assert answer_of(Reply(message)).content == [{"type": "text", "text": "They spoke."}]


def test_other_parts_are_the_answer():
    assert not is_thinking("thinking") and not is_thinking({"type": "text", "text": "thinking"})
    assert answer_text(Message.assistant(["<think>plan</think>", "They spoke."])) == "They spoke."
    assert answer_text(Message.assistant(None)) == ""
