"""The conversation of the window lab: what is loaded, added and refused, and that nothing is lost by it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import Message, Quiz, dump_messages, load_sample
from ctxkit.widgets.labs.window.talk import ROLES, Talk, samples
from tests.histories import A, C, T, U, histories

ANTHROPIC = json.dumps(
    {
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "What time?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "clock", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "Noon."}]},
        ],
    }
)
TALK = [U("What time?"), C("a", name="clock"), T("a", "Noon.")]
BAD = {
    "": "messages: there is nothing to read",
    "[]": "there is none in it",
    "{": "line 1, column 2",
    '[{"role": "user",\n "content" "Hi"}]': "line 2, column 12",
    '[{"role": "user", "content": "Hi"}, {"role": "human", "content": "Hi"}]': r"messages\[1\]\.role.*'user'",
    '[{"role": "user", "content": 5}]': r"messages\[0\]\.content",
    '{"role": "user", "content": "Hi"}\n{"role": "user", "content"}': "line 2, column 27",
    '"/etc/hostname"': "expected a list",
    "/etc/hostname": "this is plain text",
    "README.md": "this is plain text",
}


@pytest.mark.parametrize("style", ["openai", "ollama"])
def test_the_shapes_of_openai_and_ollama(style):
    talk = Talk()
    talk.paste(json.dumps(dump_messages(TALK, style)))
    assert [m.role for m in talk.messages] == ["user", "assistant", "tool"]
    assert talk.messages[2].content == "Noon." and talk.messages[1].tool_calls[0].name == "clock"
    assert (talk.sample, talk.quiz) == (None, None)


def test_the_shape_of_anthropic_as_a_file():
    talk = Talk()
    talk.load(ANTHROPIC.encode(), "mine.json")
    assert [m.role for m in talk.messages] == ["system", "user", "assistant", "tool"]
    assert talk.title == "mine.json"


@pytest.mark.parametrize("text", BAD)
def test_what_cannot_be_read_is_named_and_changes_nothing(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text('[{"role": "user", "content": "from a file"}]', encoding="utf-8")
    talk = Talk()
    before = talk.state
    with pytest.raises((TypeError, ValueError), match=BAD[text]):
        talk.paste(text)
    assert talk.state is not before and talk.state == before


def test_halves_of_surrogate_pairs_are_taken():
    talk = Talk()
    talk.paste('[{"role": "user", "content": "a \ud83d b \\ud83d c"}]')
    assert talk.messages[0].content == "a \ud83d b \ud83d c"


def test_a_file_that_is_no_text_is_named():
    with pytest.raises(ValueError, match="not UTF-8 text"):
        Talk().load(b"[\xff]", "mine.json")


@given(history=histories(), role=st.sampled_from(ROLES), text=st.text(min_size=1))
def test_a_message_is_added_at_the_end_or_refused(history, role, text):
    if not history:
        return
    talk = Talk(history)
    if not text.strip():
        with pytest.raises(ValueError, match="empty message"):
            talk.add(role, text)
        assert talk.messages == history
        return
    talk.add(role, text)
    talk.add(role, text)
    assert talk.messages == [*history, Message(role, text), Message(role, text)]
    assert talk.title == "Your conversation, changed"
    talk.reset()
    assert talk.messages == history and not talk.changed


def test_a_tool_result_cannot_be_added_by_hand():
    with pytest.raises(ValueError, match="role"):
        Talk().add("tool", "30.0")


def test_samples_come_with_their_quiz_and_titles():
    titles = samples()
    assert next(iter(titles)) == "dolphins" and not any("broken" in name for name in titles)
    talk = Talk([U("Hi")])
    for name, title in titles.items():
        talk.choose(name)
        assert title == f"{talk.title} ({len(load_sample(name)):,} messages)"
    talk.choose("harbour")
    assert talk.quiz is not None and len(talk.quiz) > 3
    talk.choose("giant")
    assert talk.quiz is None


def test_what_is_suggested_as_a_question():
    assert Talk().question == "What tool do dolphins use on the seafloor, and why?"
    assert Talk([U("One?"), A("1"), U("  Two\nlines? "), A("2")]).question == "Two lines?"
    assert Talk([A("no user")]).question == ""


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="at least one"):
        Talk([])
    with pytest.raises(TypeError, match="quiz: expected a Quiz, got list"):
        Talk(None, [])
    with pytest.raises(ValueError, match=r"quiz\.facts\[0\]: there is no message 3"):
        Talk([U()], Quiz([{"question": "Who?", "expected": ["x"], "messages": [3]}]))
