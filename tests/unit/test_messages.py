"""Messages as values, and reading and writing them in the shapes of clients."""

from __future__ import annotations

import copy
import dataclasses
import enum
import errno
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import Message, ToolCall, check, dump_messages, load_messages
from ctxkit.messages import UnreadableFile
from ctxkit.messages.marks import (
    CLEARED,
    NO_RESULT,
    SHORTENED_END,
    SHORTENED_START,
    STOPPED,
    SUMMARY_END,
    SUMMARY_START,
)
from ctxkit.messages.text import content_text, display_role
from ctxkit.transforms.summaries.frame import unframed
from tests.histories import histories


class TestValues:
    def test_what_is_given_is_copied_in(self):
        parts, arguments = [{"type": "text", "text": "hi"}], {"path": ["a"]}
        message = Message.user(parts)
        call = ToolCall("a", "read", arguments)
        parts[0]["text"] = "changed"
        arguments["path"].append("b")
        assert message.content == [{"type": "text", "text": "hi"}]
        assert call.arguments == {"path": ["a"]}

    def test_content_is_kept_as_given(self):
        for content in ("", None, "text", [], ["text"], [{"type": "text", "text": "a"}]):
            assert Message.user(content).content == content

    def test_nothing_can_be_reassigned(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            Message.user("hi").content = "changed"

    @pytest.mark.parametrize(
        ("arguments", "error", "says"),
        [
            ({"role": "wizard"}, ValueError, "role"),
            ({"role": 5}, ValueError, "role"),
            ({"role": "user", "content": 5}, TypeError, "content"),
            ({"role": "user", "content": [5]}, TypeError, r"content\[0\]"),
            ({"role": "user", "content": [{"type": "text", "text": 5}]}, TypeError, r"content\[0\].text"),
            ({"role": "user", "content": [{"type": "x", "data": b"raw"}]}, TypeError, r"content\[0\].data"),
            ({"role": "user", "name": 5}, TypeError, "name"),
            ({"role": "user", "kind": "poem"}, ValueError, "kind"),
            ({"role": "user", "tool_calls": [ToolCall("a", "f", {})]}, ValueError, "tool_calls"),
            ({"role": "user", "tool_call_id": "a"}, ValueError, "tool_call_id"),
            ({"role": "assistant", "tool_calls": [{"id": "a"}]}, TypeError, r"tool_calls\[0\]"),
            ({"role": "assistant", "tool_calls": "a"}, TypeError, "tool_calls"),
        ],
    )
    def test_bad_values_are_refused_by_name(self, arguments, error, says):
        with pytest.raises(error, match=says):
            Message(**arguments)

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ("not json", ValueError),
            ("[1]", TypeError),
            (5, TypeError),
            ({1: 2}, TypeError),
            ('{"a":' * 2000, ValueError),
        ],
    )
    def test_bad_arguments_name_the_call(self, arguments, error):
        with pytest.raises(error, match="call_7"):
            ToolCall("call_7", "search", arguments)

    def test_a_role_from_an_enumeration(self):
        class Role(enum.Enum):
            USER = "user"

        assert Message(Role.USER, "hi") == Message.user("hi")
        assert Message(Role.USER, "hi").role == "user"


class TestDigest:
    """Cases G2 48 and G3 61: the same in any process, for anything that can be sent."""

    def test_covers_what_is_sent_and_nothing_else(self):
        base = Message.tool("14:20", "a", "clock")
        assert dataclasses.replace(base, id="m1", kind="placeholder").digest == base.digest
        others = [
            Message.tool("14:21", "a", "clock"),
            Message.tool("14:20", "b", "clock"),
            Message.tool("14:20", "a", "watch"),
            Message.assistant("14:20"),
            Message.assistant("14:20", [ToolCall("a", "clock", {})]),
        ]
        assert len({m.digest for m in [base, *others]}) == 6

    def test_order_of_keys_and_json_text_do_not_matter(self):
        calls = [
            ToolCall("a", "f", {"x": 1, "y": 2}),
            ToolCall("a", "f", {"y": 2, "x": 1}),
            ToolCall("a", "f", '{"y":2,"x":1}'),
        ]
        assert len({Message.assistant("", [call]).digest for call in calls}) == 1
        assert calls[0] == calls[1] == calls[2]

    def test_volatile_fields_of_a_transcript_do_not_matter(self):
        one = {
            "role": "assistant",
            "content": "hi",
            "id": "1",
            "created_at": "10:00:01",
            "usage": {"total": 5},
        }
        two = {
            "usage": {"total": 9},
            "created_at": "10:00:02",
            "content": "hi",
            "id": "2",
            "role": "assistant",
        }
        assert load_messages([one])[0].digest == load_messages([two])[0].digest

    def test_is_the_same_in_another_process(self):
        code = "from ctxkit import Message; print(Message.user('What is 15% of 200?').digest)"
        other = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        assert other == Message.user("What is 15% of 200?").digest

    @pytest.mark.parametrize("text", ["\ud83d", "\ud83d\udc4d", "ok \udbc0 end"])
    def test_lone_surrogates(self, text):
        message = Message.assistant(text, [ToolCall("a", "f", {"q": text})])
        assert len(message.digest) == 64
        assert load_messages(json.loads(json.dumps(dump_messages([message]))))[0].digest == message.digest

    @given(history=histories())
    def test_values_can_be_copied_hashed_and_pickled(self, history):
        again = copy.deepcopy(history)
        assert again == history
        assert pickle.loads(pickle.dumps(history)) == history
        assert [hash(m) for m in again] == [hash(m) for m in history]


class TestRoundTrip:
    @given(history=histories())
    def test_openai_shape(self, history):
        again = load_messages(json.loads(json.dumps(dump_messages(history))))
        assert [m.digest for m in again] == [m.digest for m in history]

    @given(history=histories())
    def test_ollama_shape_keeps_every_message(self, history):
        plain = [m for m in history if not isinstance(m.content, list)]
        again = load_messages(json.loads(json.dumps(dump_messages(plain, style="ollama"))))
        assert [content_text(m) for m in again] == [content_text(m) for m in plain]
        assert [len(m.tool_calls) for m in again] == [len(m.tool_calls) for m in plain]

    def test_arguments_are_written_as_they_are_counted(self):
        """Escapes would cost the model four times the tokens of the characters themselves."""
        [message] = dump_messages([Message.assistant("", [ToolCall("a", "search", {"q": "你好"})])])
        assert message["tool_calls"][0]["function"]["arguments"] == '{"q": "你好"}'

    def test_messages_come_back_as_the_same_objects(self):
        history = [Message.user("hi"), Message.assistant("hello")]
        assert all(a is b for a, b in zip(load_messages(history), history, strict=True))

    def test_ollama_dicts_are_what_the_client_takes(self):
        from ollama import Message as OllamaMessage

        history = [
            Message("developer", "rules"),
            Message.user(["look", {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}]),
            Message.assistant(None, [ToolCall("a", "zoom", {"by": 2})]),
            Message.tool("done", "a"),
        ]
        dicts = dump_messages(history, style="ollama")
        assert dicts[1] == {"role": "user", "content": "look", "images": ["QUJD"]}
        without_images = [{key: fields[key] for key in fields if key != "images"} for fields in dicts]
        assert [OllamaMessage(**f).role for f in without_images] == ["system", "user", "assistant", "tool"]
        assert dicts[3] == {"role": "tool", "content": "done", "tool_name": "zoom"}
        back = load_messages(dicts)
        assert back[1].content == [
            "look",
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
        ]

    def test_a_picture_behind_an_address_cannot_go_to_ollama(self):
        far = Message.user([{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}])
        with pytest.raises(ValueError, match=r"messages\[1\]\.content\[0\]"):
            dump_messages([Message.user("hi"), far], style="ollama")

    def test_another_style_is_refused(self):
        with pytest.raises(ValueError, match="style"):
            dump_messages([], style="morse")


class TestIds:
    """Cases G4 77 and design 1C: Ollama has no ids on the wire."""

    SEARCHES = (
        {"role": "user", "content": "Two searches, please."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"function": {"name": "search", "arguments": {"q": "tide"}}},
                {"function": {"name": "search", "arguments": {"q": "moon"}}},
            ],
        },
        {"role": "tool", "tool_name": "search", "content": "14:20"},
        {"role": "tool", "tool_name": "search", "content": "full"},
    )

    def test_made_up_ids_are_unique_and_stable(self):
        first, second = load_messages(self.SEARCHES), load_messages(self.SEARCHES)
        assert first == second
        assert len({call.id for call in first[1].tool_calls}) == 2
        assert check(first) == []

    def test_a_made_up_id_never_meets_a_given_one(self):
        taken = {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_1_0", "function": {"name": "f"}}],
        }
        history = load_messages([*self.SEARCHES, taken])
        ids = [call.id for m in history for call in m.tool_calls]
        assert len(set(ids)) == len(ids) == 3

    def test_a_result_without_an_open_call_is_kept_as_an_orphan(self):
        history = load_messages([*self.SEARCHES, {"role": "tool", "content": "late"}])
        assert history[-1].content == "late"
        assert [v.code for v in check(history)] == ["orphan_result"]

    def test_results_find_their_call_by_name(self):
        calls = [{"function": {"name": name, "arguments": {}}} for name in ("tide", "moon")]
        history = load_messages(
            [
                {"role": "assistant", "tool_calls": calls},
                {"role": "tool", "tool_name": "moon", "content": "full"},
                {"role": "tool", "tool_name": "tide", "content": "14:20"},
            ]
        )
        assert [m.tool_call_id for m in history[1:]] == [call.id for call in reversed(history[0].tool_calls)]


class TestMarks:
    def test_a_summary_and_a_placeholder_are_known_again(self):
        history = [
            Message.user(f"{SUMMARY_START}\nThey spoke of dolphins.\n{SUMMARY_END}"),
            Message.assistant("", [ToolCall("a", "f", {})]),
            Message.tool(NO_RESULT, "a"),
        ]
        assert [m.kind for m in load_messages(dump_messages(history))] == [
            "summary",
            "message",
            "placeholder",
        ]

    def test_a_user_who_quotes_a_mark_stays_a_user(self):
        quotes = [f"What does {SUMMARY_START!r} mean?", f"{SUMMARY_START} is odd", "[cleared]", NO_RESULT]
        loaded = load_messages([{"role": "user", "content": text} for text in quotes])
        assert [m.kind for m in loaded] == ["message"] * 4

    @pytest.mark.parametrize(
        "kept",
        [
            lambda text: text,
            lambda text: f"{text}\n",
            lambda text: f" {text} ",
            lambda text: text.replace("\n", "\r\n"),
            lambda text: [{"type": "text", "text": text}],
            lambda text: [f"{text}\n"],
        ],
        ids=["as it was", "line end", "blanks", "line ends of Windows", "part", "bare part"],
    )
    def test_marks_outlive_what_clients_do_to_a_text(self, kept):
        """Many clients make each text a part, or end it with a line break."""
        summary = f"{SUMMARY_START}\nThey spoke of dolphins.\n{SUMMARY_END}"
        [loaded] = load_messages([{"role": "user", "content": kept(summary)}])
        assert loaded.kind == "summary"
        assert loaded.content == kept(summary)
        assert unframed(loaded) == "They spoke of dolphins."
        shortened = f"{SHORTENED_START} of 900 tokens]\n14:20\n{SHORTENED_END}"
        results = [NO_RESULT, STOPPED, CLEARED, shortened]
        loaded = load_messages([{"role": "tool", "content": kept(text)} for text in results])
        assert [message.kind for message in loaded] == ["placeholder"] * 4

    def test_a_summary_beside_what_a_user_says_is_no_summary(self):
        framed = {"type": "text", "text": f"{SUMMARY_START}\nThey spoke.\n{SUMMARY_END}"}
        said = [{"role": "user", "content": [framed, "And then?"]}, {"role": "user", "content": []}]
        assert [message.kind for message in load_messages(said)] == ["message", "message"]

    def test_a_transcript_cannot_name_its_own_kind(self):
        assert load_messages([{"role": "user", "content": "obey", "kind": "summary"}])[0].kind == "message"

    def test_display_roles(self):
        shown = [Message("developer", "x"), Message("user", "x", kind="summary"), Message.tool("x", "a")]
        assert [display_role(m) for m in shown] == ["system", "summary", "tool"]


class TestSources:
    def test_json_text_lines_path_and_request(self, tmp_path):
        dicts = [{"role": "user", "content": "Grüezi"}, {"role": "assistant", "content": "Hello"}]
        text = json.dumps(dicts)
        lines = "\n".join(json.dumps(d) for d in dicts)
        file = tmp_path / "talk.json"
        file.write_text("\ufeff" + text, encoding="utf-8")
        expected = load_messages(dicts)
        for source in (
            text,
            "\ufeff" + text,
            text.encode(),
            lines,
            file,
            str(file),
            {"messages": dicts},
            iter(dicts),
        ):
            assert load_messages(source) == expected
        assert load_messages(json.dumps({"model": "m", "messages": dicts})) == expected
        assert load_messages(dicts[0]) == expected[:1]

    @pytest.mark.parametrize(
        ("source", "error", "says"),
        [
            (None, TypeError, "NoneType"),
            (5, TypeError, "int"),
            ("", ValueError, "messages: there is nothing to read"),
            ("\ufeff \n", ValueError, "messages: there is nothing to read"),
            (b"", ValueError, "messages: there is nothing to read"),
            (b"User: Hi\nBot: Hello!", ValueError, "messages: this is plain text, no JSON; .* like this"),
            (b"12:30 Hi", ValueError, "messages: this is plain text"),
            ("hello", ValueError, "'hello'"),
            ("x" * 5000, ValueError, "neither JSON text"),
            ("a\0b", ValueError, "neither JSON text"),
            ('[{"role": "user",\n "content": }]', ValueError, "line 2, column 13"),
            ('{"role": "user", "content": "a"}\n{"role": }', ValueError, "line 2"),
            ("[" * 100_000, ValueError, "nested too deeply"),
            (b"\xff\xfe", ValueError, "UTF-8"),
            ("[1, 2]", TypeError, r"messages\[0\].*int"),
            ("[null]", TypeError, r"messages\[0\].*NoneType"),
            ('{"messages": 5}', TypeError, "int"),
            ([{}], ValueError, r"messages\[0\]\.role: missing"),
            ([{"role": None, "content": "a"}], ValueError, r"messages\[0\]\.role"),
            ([{"role": 1, "content": "a"}], TypeError, r"messages\[0\]\.role"),
            ([{"role": "human", "content": "a"}], ValueError, "did you mean 'user'"),
            ([{"role": "user"}], ValueError, r"messages\[0\]\.content: missing"),
            ([{"role": "assistant", "body": "a"}], ValueError, r"messages\[0\]\.content: missing"),
            (
                [{"role": "assistant", "parts": [{"type": "text", "text": "Hi"}]}],
                ValueError,
                r"messages\[0\]\.content: missing",
            ),
            ([{"role": "user", "content": 5}], TypeError, r"messages\[0\]\.content"),
            ([{"role": "user", "content": [None]}], TypeError, r"messages\[0\]\.content\[0\]"),
            (
                [{"role": "user", "content": [{"text": None}]}],
                TypeError,
                r"messages\[0\]\.content\[0\]\.text",
            ),
            (
                [{"role": "user", "content": "a", "tool_calls": [{}]}],
                ValueError,
                r"messages\[0\]\.tool_calls",
            ),
            (
                [{"role": "user", "content": "a", "tool_call_id": "x"}],
                ValueError,
                r"messages\[0\]\.tool_call_id",
            ),
            ([{"role": "user", "content": "a", "name": 3}], TypeError, r"messages\[0\]\.name"),
            ([{"role": "assistant", "tool_calls": {}}, 7], TypeError, r"messages\[1\]"),
            ([{"role": "assistant", "tool_calls": "f"}], TypeError, r"messages\[0\]\.tool_calls"),
            ([{"role": "assistant", "tool_calls": [None]}], TypeError, r"messages\[0\]\.tool_calls\[0\]"),
            (
                [{"role": "assistant", "tool_calls": [{"function": None}]}],
                TypeError,
                r"tool_calls\[0\]\.function",
            ),
            ([{"role": "assistant", "tool_calls": [{"id": "a"}]}], ValueError, r"tool_calls\[0\]\.name"),
            (
                [{"role": "assistant", "tool_calls": [{"id": 4, "function": {"name": "f"}}]}],
                TypeError,
                r"\.id",
            ),
            (
                [
                    {
                        "role": "assistant",
                        "tool_calls": [{"id": "a9", "function": {"name": "f", "arguments": "{"}}],
                    }
                ],
                ValueError,
                r"messages\[0\]\.tool_calls\[0\]\.function\.arguments of call 'a9'",
            ),
            (
                [{"role": "assistant", "function_call": {"name": "f"}}],
                ValueError,
                r"messages\[0\]\.function_call",
            ),
            (
                [{"role": "assistant", "content": "", "toolInvocations": [{"toolName": "f"}]}],
                ValueError,
                r"messages\[0\]\.toolInvocations",
            ),
            ([{"role": "user", "content": "a", "images": "x"}], TypeError, r"messages\[0\]\.images"),
            ([{"role": "user", "content": "a", "images": [b"x"]}], TypeError, r"messages\[0\]\.images\[0\]"),
        ],
    )
    def test_bad_input_is_one_clear_error(self, source, error, says):
        with pytest.raises(error, match=says) as caught:
            load_messages(source)
        assert len(str(caught.value)) < 400

    def test_a_file_that_is_not_there_is_named(self, tmp_path):
        path = tmp_path / "no.json"
        with pytest.raises(
            FileNotFoundError, match=r"^messages: .*no\.json' is not there; look at"
        ) as caught:
            load_messages(path)
        assert isinstance(caught.value, UnreadableFile)
        assert type(caught.value.__cause__) is FileNotFoundError
        told = caught.value.errno, caught.value.strerror, caught.value.filename
        assert told == (errno.ENOENT, os.strerror(errno.ENOENT), str(path))

    def test_a_file_that_cannot_be_read_is_named_with_what_the_system_said(self, tmp_path):
        picture = tmp_path / "talk.png"
        picture.write_bytes(b"\x89PNG\r\n")
        for source, says, cause in (
            (tmp_path, " is a folder; name the file in it", OSError),
            (str(tmp_path), " is a folder; name the file in it", OSError),
            (picture, r"talk\.png' is not UTF-8 text \(byte 0 is 0x89", UnicodeDecodeError),
            (str(picture), r"talk\.png' is not UTF-8 text \(byte 0 is 0x89", UnicodeDecodeError),
            (Path("a\0b"), " cannot be read: .*null", ValueError),
        ):
            with pytest.raises(UnreadableFile, match=f"^messages: .*{says}") as caught:
                load_messages(source)
            assert isinstance(caught.value.__cause__, cause)
            assert caught.value.filename == str(source)

    @pytest.mark.parametrize(
        ("error", "says"),
        [
            (PermissionError(13, "Permission denied"), "may not be read; ask for permission"),
            (OSError(5, "Input/output error"), "cannot be read: Input/output error$"),
        ],
    )
    def test_what_the_system_said_is_caught_as_what_it_was(self, tmp_path, monkeypatch, error, says):
        path = tmp_path / "talk.json"
        path.touch()
        monkeypatch.setattr(Path, "read_bytes", Mock(side_effect=error))
        for source in (path, str(path)):
            with pytest.raises(type(error), match=f"^messages: .*talk.json' {says}") as caught:
                load_messages(source)
            assert isinstance(caught.value, UnreadableFile) and caught.value.__cause__ is error
            told = caught.value.errno, caught.value.strerror, caught.value.filename
            assert told == (error.errno, error.strerror, str(path))

    def test_a_name_in_a_folder_that_is_closed_is_no_broken_json(self, monkeypatch):
        monkeypatch.setattr(Path, "read_bytes", Mock(side_effect=PermissionError(13, "Permission denied")))
        with pytest.raises(UnreadableFile, match=r"closed/talk\.json' may not be read"):
            load_messages("closed/talk.json")

    @pytest.mark.parametrize(
        ("content", "says"), [("", "there is nothing to read"), ("User: Hi", "this is plain text, no JSON")]
    )
    def test_a_file_that_holds_no_json_is_called_so(self, tmp_path, content, says):
        file = tmp_path / "talk.json"
        file.write_text(content, encoding="utf-8")
        for source in (file, str(file)):
            with pytest.raises(ValueError, match=says):
                load_messages(source)

    def test_nested_nulls_are_read(self):
        dicts = [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": None,
                "name": None,
                "id": None,
                "images": None,
            },
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": None, "function": {"name": "f", "arguments": None}}],
            },
            {"role": "tool", "content": None, "tool_call_id": None, "tool_name": None},
        ]
        history = load_messages(dicts)
        assert [m.content for m in history] == [None, "", None]
        assert history[1].tool_calls[0].arguments == {}
        assert history[2].tool_call_id == history[1].tool_calls[0].id

    def test_fifty_megabytes(self):
        big = json.dumps(
            [{"role": "user", "content": "word " * 10_000_000}, {"role": "assistant", "content": "ok"}]
        )
        assert [len(m.content) for m in load_messages(big)] == [50_000_000, 2]

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        [
                            "role",
                            "content",
                            "tool_calls",
                            "function",
                            "name",
                            "arguments",
                            "id",
                            "text",
                            "type",
                            "choices",
                            "message",
                        ]
                    ),
                    inner | st.sampled_from(["user", "assistant", "tool", "{}"]),
                    max_size=5,
                )
            ),
            max_leaves=20,
        )
    )
    def test_any_json_is_read_whole_or_refused_by_name(self, data):
        try:
            history = load_messages([data] if isinstance(data, dict) else json.dumps(data))
        except (TypeError, ValueError) as error:
            assert str(error).startswith("messages")
        else:
            expected = data if isinstance(data, list) else [data]
            assert len(history) == len(expected)


class TestClientObjects:
    """Case G4 90: objects of a client become plain values on the way in."""

    def test_ollama(self):
        from ollama import Message as OllamaMessage

        reply = OllamaMessage(
            role="assistant",
            tool_calls=[
                OllamaMessage.ToolCall(function=OllamaMessage.ToolCall.Function(name="f", arguments={"x": 1}))
            ],
        )
        [message] = load_messages([reply])
        assert message.tool_calls[0].arguments == {"x": 1}
        assert json.dumps(dump_messages([message]))
        assert copy.deepcopy(message) == message

    def test_a_message_of_a_reloaded_module(self):
        """Case G5 118: after a reload the old class is another class."""

        @dataclasses.dataclass(frozen=True)
        class ToolCallBefore:
            id: str
            name: str
            arguments: dict

        @dataclasses.dataclass(frozen=True)
        class MessageBefore:
            role: str
            content: object
            tool_calls: tuple = ()
            tool_call_id: object = None
            name: object = None
            id: object = None
            kind: str = "message"

        old = MessageBefore("assistant", None, (ToolCallBefore("a", "f", {"x": 1}),))
        assert load_messages([old]) == [Message.assistant(None, [ToolCall("a", "f", {"x": 1})])]


class TestFoundByTryingHard:
    """Faults that only odd inputs showed."""

    @pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0c", "\x1c"])
    def test_json_lines_end_at_line_feeds_only(self, separator):
        lines = [json.dumps({"role": "user", "content": f"a{separator}b"}, ensure_ascii=False)] * 2
        if separator in "\x0c\x1c":
            lines = [line.replace(f"\\u{ord(separator):04x}", "b") for line in lines]
        assert len(load_messages("\r\n".join(lines))) == 2
        assert len(load_messages("\n".join(lines))) == 2

    @pytest.mark.parametrize(
        "number", [float("nan"), float("inf"), 10**5000], ids=["nan", "inf", "5,000 digits"]
    )
    def test_numbers_that_json_cannot_hold(self, number):
        with pytest.raises(ValueError, match="tool call 'a'"):
            ToolCall("a", "f", {"x": [number]})
        with pytest.raises(ValueError, match=r"content\[0\]\.x"):
            Message.user([{"type": "data", "x": number}])

    def test_numbers_in_the_text_of_a_transcript(self):
        call = '{"function": {"name": "f", "arguments": "{\\"x\\": 1e999}"}}'
        text = f'[{{"role": "assistant", "tool_calls": [{call}]}}]'
        with pytest.raises(ValueError, match=r"messages\[0\]\.tool_calls\[0\]"):
            load_messages(text)
        with pytest.raises(ValueError, match="messages: JSON that cannot be read"):
            load_messages('[{"role": "user", "content": "a", "n": ' + "1" * 5000 + "}]")

    def test_a_call_is_never_a_summary(self):
        framed = f"{SUMMARY_START} talk {SUMMARY_END}"
        call = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
        loaded = load_messages([{"role": "assistant", "content": framed, "tool_calls": [call]}])
        assert loaded[0].kind == "message"
        with pytest.raises(ValueError, match="summary"):
            Message("assistant", framed, tool_calls=[ToolCall("a", "f", {})], kind="summary")
        with pytest.raises(ValueError, match="summary"):
            Message("tool", "r", tool_call_id="a", kind="summary")

    def test_a_file_whose_name_looks_like_json(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "[chat] one.json").write_text('[{"role": "user", "content": "Hi"}]')
        assert load_messages("[chat] one.json") == [Message.user("Hi")]

    def test_a_refusal_is_what_the_assistant_said(self):
        said = {"role": "assistant", "content": None, "refusal": "I can't."}
        assert load_messages([said])[0].content == "I can't."
        assert load_messages([said | {"content": "Hm."}])[0].content == ["Hm.", "I can't."]

    def test_what_was_spoken_is_what_the_assistant_said(self):
        audio = {"id": "audio_1", "data": "QUJD", "transcript": "It is noon.", "expires_at": 1}
        said = {"role": "assistant", "content": None, "audio": audio}
        assert load_messages([said])[0].content == "It is noon."
        assert load_messages([{"role": "assistant", "audio": audio}])[0].content == "It is noon."
        assert load_messages([said | {"content": "Hm."}])[0].content == ["Hm.", "It is noon."]
        with pytest.raises(TypeError, match=r"messages\[0\]\.audio\.transcript: expected text"):
            load_messages([said | {"audio": {"transcript": 5}}])

    def test_a_part_that_ollama_cannot_take_is_named(self):
        picture = Message.user([{"image_url": {"url": "data:image/png;base64,QUJD"}}])
        assert dump_messages([picture], style="ollama")[0]["images"] == ["QUJD"]
        for part in (
            {"type": "input_audio", "input_audio": {}},
            {"type": "file"},
            {"type": "strange", "x": 1},
        ):
            with pytest.raises(ValueError, match=r"messages\[0\]\.content\[1\]"):
                dump_messages([Message.user(["hear", part])], style="ollama")

    @pytest.mark.parametrize("calls", [0, {}, ""])
    def test_calls_that_are_no_list(self, calls):
        with pytest.raises(TypeError, match=r"messages\[0\]\.tool_calls"):
            load_messages([{"role": "assistant", "content": "a", "tool_calls": calls}])

    def test_an_empty_name_or_id_is_none(self):
        assert Message.tool("r", "") == Message.tool("r", None)
        assert Message("user", "a", name="") == Message.user("a")

    def test_a_client_object_with_an_unset_field(self):
        @dataclasses.dataclass
        class Theirs:
            role: str
            content: str = dataclasses.field(init=False)

        with pytest.raises(ValueError, match=r"messages\[0\]\.content: missing"):
            load_messages([Theirs("user")])

    def test_five_thousand_parallel_calls(self):
        ids = [f"c{i}" for i in range(5000)]
        history = [Message.user("go"), Message.assistant("", [ToolCall(i, "f", {}) for i in ids])]
        history += [Message.tool("r", i) for i in ids[:-1]]
        assert [v.code for v in check(history)] == ["unanswered_call"]
        assert len(load_messages(dump_messages(history, style="ollama"))) == len(history)
