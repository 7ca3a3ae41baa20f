"""A conversation downloaded from ChatGPT: the branch that was shown last, and names for what is not read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import Message, check, load_messages


def node(parent, role=None, *parts, kind="text", recipient="all", name=None):
    message = role and {
        "id": f"id-{role}",
        "author": {"role": role, "name": name, "metadata": {}},
        "content": {"content_type": kind, "parts": [*parts]},
        "recipient": recipient,
        "weight": 1.0,
    }
    return {"message": message, "parent": parent, "children": []}


def hidden(parent, role, **content):
    """A node that the page does not show."""
    shown = node(parent, role)
    shown["message"] |= {
        "content": content,
        "metadata": {"is_visually_hidden_from_conversation": True, "is_user_system_message": role == "user"},
    }
    return shown


def instructed(**content):
    """A talk of somebody who has custom instructions."""
    context = hidden("empty", "user", content_type="user_editable_context", **content)
    return talk(context=context, ask=node("context", "user", "What time is it?")) | {"current_node": "said"}


def talk(**more):
    """A question that was asked anew: nodes `old` and `dead` are on the branch that was left."""
    nodes = {
        "root": node(None),
        "empty": node("root", "system", ""),
        "old": node("empty", "user", "Whats the time"),
        "dead": node("old", "assistant", "Which time?"),
        "ask": node("empty", "user", "What time is it?"),
        "said": node("ask", "assistant", "Noon."),
    }
    return {"title": "Time", "mapping": nodes | more, "current_node": [*{**nodes, **more}][-1]}


SPOKEN = [("user", "What time is it?"), ("assistant", "Noon.")]


def test_the_branch_that_was_shown_last_is_read_in_order_and_whatever_the_order_of_nodes():
    download = talk()
    turned = download | {"mapping": dict(reversed(download["mapping"].items()))}
    for source in (download, turned, [download], json.dumps([download])):
        assert [(m.role, m.content) for m in load_messages(source)] == SPOKEN
    other = load_messages(download | {"current_node": "dead"})
    assert [m.content for m in other] == ["Whats the time", "Which time?"]


def test_an_object_with_messages_is_no_download_whatever_else_it_has():
    own = {"messages": [{"role": "user", "content": "Hi"}], "mapping": {"u1": "Ada"}}
    assert load_messages(own) == [Message.user("Hi")]


def test_a_file_is_read(tmp_path):
    (tmp_path / "conversations.json").write_text(json.dumps([talk()]), encoding="utf-8")
    assert [m.content for m in load_messages(tmp_path / "conversations.json")] == [
        "What time is it?",
        "Noon.",
    ]


def test_texts_in_parts_are_kept():
    question = load_messages(talk(both=node("said", "user", "And", "", "then?", kind="multimodal_text")))[-1]
    assert (question.content, question.id) == (["And", "then?"], "id-user")
    assert isinstance(question, Message)


def test_custom_instructions_were_sent_and_are_a_system_message():
    both = instructed(user_profile="A sailor.", user_instructions="Be brief.")
    messages = load_messages(both)
    assert [(m.role, m.content) for m in messages] == [("system", ["A sailor.", "Be brief."]), *SPOKEN]
    assert messages[0].id == "id-user" and check(messages) == []
    for one in ({"user_instructions": "Be brief."}, {"user_profile": None, "user_instructions": "Be brief."}):
        [first, *rest] = load_messages(instructed(**one))
        assert (first.role, first.content, len(rest)) == ("system", "Be brief.", 2)


@pytest.mark.parametrize(
    "empty",
    [
        instructed(user_profile="", user_instructions=""),
        instructed(),
        talk(x=hidden("said", "system", content_type="text", parts=[])),
        talk(x=hidden("said", "system", content_type="text", parts=[""])),
        talk(x=hidden("said", "system", content_type="text")),
        talk(x=hidden("said", "system", content_type="model_editable_context", model_set_context="")),
    ],
)
def test_what_is_hidden_and_empty_is_left_out(empty):
    assert [(m.role, m.content) for m in load_messages(empty)] == SPOKEN


def test_what_is_hidden_and_holds_text_was_sent_and_is_read():
    note = talk(x=hidden("said", "system", content_type="text", parts=["Answer in French."]))
    assert load_messages(note)[-1].content == "Answer in French."


@pytest.mark.parametrize(
    ("download", "error", "says"),
    [
        ([talk(), talk()], ValueError, r"^messages: a ChatGPT download of 2 conversations; .*json\.load"),
        (talk() | {"current_node": None}, ValueError, "^current_node: missing"),
        (talk() | {"current_node": "gone"}, ValueError, "^mapping: node 'gone' is not there"),
        (talk(last=node("gone", "user", "?")), ValueError, "^mapping: node 'gone' is not there"),
        (talk(last=node(["gone"], "user", "?")), ValueError, "^mapping: node .* is not there"),
        (talk(last=node("last", "user", "?")), ValueError, "^mapping: node 'last' leads back to itself"),
        (talk(x=node("said", "user", {"content_type": "image"})), ValueError, r"parts\[0\]: .* 'image'"),
        (talk(x=node("said", "user", 5)), ValueError, r"parts\[0\]: only text is read, this is 'int'"),
        (talk(x=node("said", "assistant", "a", kind="thoughts")), ValueError, "'thoughts'; take it out"),
        (
            talk(x=node("said", "assistant", "{}", recipient="python")),
            ValueError,
            "calls and results of tools",
        ),
        (talk(x=node("said", "tool", "14:20", name="clock")), ValueError, "calls and results of tools"),
        (instructed(user_profile=5), ValueError, r"context'\]\.message\.content\.user_profile: .* 'int'"),
        (
            instructed(user_profile=0, user_instructions="Be brief."),
            ValueError,
            r"content\.user_profile: only text is read, this is 'int'",
        ),
        (
            instructed(parts=["A sailor."]),
            ValueError,
            r"message\.content\.parts: of custom instructions only",
        ),
        (instructed(about_me="I sail."), ValueError, r"content\.about_me: .* only user_profile and"),
        (instructed(user_profile="A sailor.", about_me="I sail."), ValueError, r"content\.about_me: "),
        (
            talk(x=hidden("said", "assistant", content_type="model_editable_context", model_set_context="a")),
            ValueError,
            "only text is read, this is 'model_editable_context'",
        ),
        (talk(x=hidden("said", "tool", content_type="text", parts=[""])), ValueError, "results of tools"),
        (talk(x=node("said", "critic", "a")), ValueError, r"^mapping\['x'\]\.message\.role: .*'critic'"),
        (talk(x={"message": 5, "parent": "said"}), TypeError, r"^mapping\['x'\]\.message: .* int$"),
        (talk(x={"message": {}, "parent": "said"}), TypeError, r"^mapping\['x'\]\.message\.author: "),
    ],
)
def test_what_is_not_read_is_named(download, error, says):
    with pytest.raises(error, match=says) as caught:
        load_messages(download)
    assert len(str(caught.value)) < 200


def test_a_message_with_a_field_called_mapping_is_a_message():
    assert load_messages({"role": "user", "content": "Hi", "mapping": {}}) == [Message.user("Hi")]


FIELDS = ["message", "parent", "author", "role", "content", "content_type", "parts"]


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c"]),
        st.recursive(
            st.none() | st.integers() | st.sampled_from(["a", "b", "user", "text", "all"]),
            lambda inner: (
                st.lists(inner, max_size=2)
                | st.dictionaries(
                    st.sampled_from(
                        ["message", "parent", "author", "role", "content", "content_type", "parts"]
                    ),
                    inner,
                )
            ),
            max_leaves=12,
        ),
    ),
    st.sampled_from(["a", "b", None, 5]),
)
def test_any_tree_is_read_or_refused_by_name(nodes, last):
    try:
        messages = load_messages({"mapping": nodes, "current_node": last})
    except (TypeError, ValueError) as error:
        assert str(error).startswith(("mapping", "current_node"))
    else:
        assert len(messages) <= len(nodes)
