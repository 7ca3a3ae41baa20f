"""Pictures and other media in the shapes of several clients: what they cost, and that Ollama is sent them."""

from __future__ import annotations

import json

import pytest

from ctxkit import Message, TokenCounter, dump_messages, load_messages
from ctxkit.messages.parts import part_kind
from ctxkit.messages.text import content_text
from ctxkit.models.ollama.wire import wire_messages
from ctxkit.tokens.cost import PICTURE

DATA = "iVBORw0KGgo" + "A" * 399_993 + "QUJD" + "AA=="  # 400 kB
URL = f"data:image/png;base64,{DATA}"

PICTURES = {
    "OpenAI": {"type": "image_url", "image_url": {"url": URL}},
    "OpenAI, address alone": {"type": "image_url", "image_url": URL},
    "Responses": {"type": "input_image", "image_url": URL},
    "computer use": {"type": "computer_screenshot", "image_url": URL},
    "Anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}},
    "MCP": {"type": "image", "data": DATA, "mimeType": "image/png"},
    "MCP resource": {"type": "resource", "resource": {"uri": "a", "mimeType": "image/png", "blob": DATA}},
    "Gemini": {"inline_data": {"mime_type": "image/png", "data": DATA}},
    "Gemini, camel case": {"inlineData": {"mimeType": "image/png", "data": DATA}},
    "LangChain": {"type": "image", "source_type": "base64", "mime_type": "image/png", "data": DATA},
    "LangChain 1": {"type": "image", "base64": DATA, "mime_type": "image/png"},
    "LangChain for Gemini": {"type": "media", "mime_type": "IMAGE/PNG", "data": DATA},
    "Bedrock": {"image": {"format": "png", "source": {"bytes": DATA}}},
    "Vercel": {"type": "image", "image": DATA},
    "Vercel file": {"type": "file", "mediaType": "image/png", "data": DATA},
    "text beside it": {"type": "image_url", "text": None, "image_url": {"url": URL}},
}
MEDIA = {
    "Gemini sound": {"inline_data": {"mime_type": "audio/wav", "data": DATA}},
    "LangChain film": {"type": "media", "mime_type": "video/mp4", "data": DATA},
    "MCP sound": {"type": "audio", "data": DATA, "mimeType": "audio/wav"},
    "MCP resource, unnamed": {"type": "resource", "resource": {"uri": "a", "blob": DATA}},
    "some base64": {"type": "container", "source": {"type": "base64", "data": DATA}},
}


@pytest.mark.parametrize("name", [*PICTURES, *MEDIA])
def test_each_costs_one_picture(name):
    """Case 66: read as text, such a picture was 50,000 tokens."""
    message = Message.user([(PICTURES | MEDIA)[name]])
    assert TokenCounter().count(message) == 4 + PICTURE
    assert not TokenCounter().exact_for([message])


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_sent_to_ollama_as_its_data(name):
    """Case 79: it is data, whatever the client that wrote it calls it."""
    [message] = load_messages([{"role": "user", "content": ["Look:", PICTURES[name]]}])
    assert content_text(message) == "Look:\n[image]"
    [sent] = wire_messages([message])
    assert sent["content"] == "Look:" and len(sent["images"]) == 1
    assert sent["images"][0].startswith(b"\x89PNG") and len(sent["images"][0]) > 290_000


@pytest.mark.parametrize("name", MEDIA)
def test_sound_and_film_are_refused_by_name(name):
    with pytest.raises(ValueError, match=r"messages\[0\]\.content\[0\]: Ollama takes text and pictures only"):
        dump_messages([Message.user([MEDIA[name]])], style="ollama")


@pytest.mark.parametrize(
    "picture",
    [
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "image", "image": "https://example.org/a.png"},
        {"type": "image", "image": "shots/a.png"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,a.png"}},
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        {"type": "image", "data": "", "mimeType": "image/png"},
    ],
)
def test_what_is_no_data_is_refused(picture):
    """Ollama's client would look for a file of that name, and send it."""
    with pytest.raises(
        ValueError, match=r"messages\[0\]\.content\[0\]: Ollama takes pictures as base64 data"
    ):
        dump_messages([Message.user([picture])], style="ollama")


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ({"type": "text", "text": "Hi", "mime_type": "image/png", "data": "QUJD"}, "text"),
        ({"type": "text", "text": "Hi", "image_url": None}, "text"),
        ({"text": "Hi", "image": None}, "text"),
        ({"type": "json", "json": {"data": "QUJD", "mimeType": "image/png"}}, "other"),
        ({"type": "resource", "resource": {"uri": "a", "mimeType": "text/plain", "text": "14:20"}}, "other"),
        ({"type": "stored", "data": "QUJD"}, "other"),
        ({"type": None, "level": 1}, "other"),
    ],
)
def test_what_only_looks_like_a_medium_is_none(part, kind):
    assert part_kind(part) == kind


@pytest.mark.parametrize(
    "part",
    [
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "tide " * 5_000}},
        {
            "type": "document",
            "source": {"type": "content", "content": [{"type": "text", "text": "tide " * 5_000}]},
        },
        {"document": {"format": "txt", "name": "tides", "source": {"text": "tide " * 5_000}}},
    ],
    ids=["Anthropic", "Anthropic, blocks", "Bedrock"],
)
def test_a_document_that_comes_as_its_text_costs_what_the_text_costs(part):
    """As a file it would have had the cost of a picture, a sixth of this."""
    assert 5_000 < TokenCounter().count(Message.user([part])) < 5_100
    assert part_kind({"document": {"format": "pdf", "source": {"bytes": "QUJD"}}}) == "media"
    assert part_kind({"type": "document", "source": {"type": "base64", "data": "QUJD"}}) == "media"


def test_a_part_without_a_type_has_no_word_none():
    assert "None" not in content_text(Message.user([{"type": None, "level": 1}]))


@pytest.mark.parametrize(
    "part", [{"type": "text", "text": None}, {"text": None}, {"type": "image", "text": 5}]
)
def test_a_text_that_is_none_is_refused_where_it_is_all_there_is(part):
    with pytest.raises(TypeError, match=r"^content\[0\]\.text: expected text"):
        Message.user([part])


@pytest.mark.parametrize("start", ["DATA:IMAGE/PNG;BASE64,", "data:;base64,", "Data:;charset=utf-8;Base64,"])
def test_a_data_url_in_a_text_is_known_however_it_is_written(start):
    """Case 66, inside a tool result; a data URL may leave out its MIME type (RFC 2397)."""
    bare = TokenCounter().count(Message.tool("See  (end)", "a"))
    text = f"See {start}{DATA} (end)"
    assert TokenCounter().count(Message.tool(text, "a")) == bare + PICTURE
    as_json = TokenCounter().count(Message.tool(json.dumps({"shot": start + DATA}), "a"))
    assert PICTURE < as_json < PICTURE + 20
