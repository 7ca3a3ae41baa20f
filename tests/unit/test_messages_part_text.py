"""What a part says: its text is there, its data is not."""

from __future__ import annotations

import pytest

from ctxkit import Message
from ctxkit.messages.part_text import part_text
from ctxkit.messages.text import content_text

PNG = "iVBORw0KGgo" + "A1b" * 1_000


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("tide", "tide"),
        ({"type": "text", "text": "tide"}, "tide"),
        ({"type": "input_text", "text": ""}, ""),
        ({"type": "json", "json": {"b": ["é", None], "a": 1}}, '{"a":1,"b":["é",null]}'),
        ({"json": {"tide": "14:20"}}, '{"tide":"14:20"}'),
        ({"type": "json", "json": 0}, "0"),
        ({"type": "refusal", "refusal": "I won't."}, "I won't."),
        ({"type": "resource", "resource": {"uri": "log:1", "text": "a\nb"}}, '{"uri":"log:1"}\na\nb'),
        ({"type": "text", "content": "tide"}, '{"content":"tide"}'),
        ({"type": "search_result", "title": "Tides", "content": []}, '{"content":[],"title":"Tides"}'),
        ({"toolUse": {"name": "search"}}, '{"toolUse":{"name":"search"}}'),
        (
            {"type": "document", "source": {"type": "text", "data": "tide"}},
            '[document] {"source":{"data":"tide"}}',
        ),
        (
            {"type": "file", "file": {"filename": "tide.pdf", "file_data": "JVBE"}},
            '[file] {"file":{"filename":"tide.pdf"}}',
        ),
        ({"type": "input_audio", "transcript": "tide"}, '[audio] {"transcript":"tide"}'),
    ],
)
def test_text_that_a_part_holds_is_there(part, said):
    assert part_text(part) == said
    assert content_text(Message.user([part, "."])) == f"{said}\n."


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}, "[image]"),
        ({"type": "image", "source": {"type": "base64", "data": PNG}}, "[image]"),
        ({"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}}, "[audio]"),
        ({"type": "document", "source": {"type": "base64", "data": "JVBE"}}, "[document]"),
        ({"type": "video_url", "video_url": {"url": "data:video/mp4;base64,QUJD"}}, "[video_url]"),
        ({"type": "json", "json": {"shot": PNG, "at": 5}}, '{"at":5,"shot":"[data]"}'),
        (
            {"type": "container", "source": {"type": "base64", "data": "QUJD"}},
            '{"source":{"data":"[data]","type":"base64"}}',
        ),
        ({"type": "thinking", "thinking": "plan"}, "[thinking]"),
        ({"type": "refusal", "refusal": ""}, "[refusal]"),
        ({}, "[part]"),
    ],
)
def test_data_and_thinking_are_a_word(part, said):
    assert part_text(part) == said


def test_a_long_word_is_no_data():
    protein = "MKVLAAGIVG" * 200
    assert protein in part_text({"type": "json", "json": {"sequence": protein}})
