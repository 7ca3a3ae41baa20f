"""What kind of thing a part of a message's content is: the one place that tells text from pictures and other
media, and finds their data.

Parts come from several clients, with and without a `type`: `{"type": "input_text", "text": ...}`,
`{"image_url": ...}`, `{"inline_data": {"mime_type": "image/png", "data": ...}}`. A part with `text` is text,
whatever its type (pipecat-ai/pipecat#5595).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

PartKind = Literal["text", "image", "media", "other"]

_IMAGES = ("image", "picture", "screenshot")
_MEDIA = ("audio", "video", "file", "document", "media")
_MIME = ("mime_type", "mimeType", "media_type", "mediaType")
_DATA = ("data", "bytes", "blob", "base64")
# Where the fields of a medium may stand.
_HOLDERS = ("inline_data", "inlineData", "source", "resource", "image", "image_url", "document")


def part_kind(part: str | Mapping[str, Any]) -> PartKind:
    """Whether a part is text, a picture, another medium (sound, film, file), or something else.

    >>> part_kind("hello"), part_kind({"image_url": {"url": "data:,"}}), part_kind({"type": "input_audio"})
    ('text', 'image', 'media')
    >>> part_kind({"type": "resource", "resource": {"mimeType": "image/png", "blob": "QUJD"}})
    'image'
    """
    if isinstance(part, str):
        return "text"
    kind = part.get("type")
    marks = [name for name, value in part.items() if value is not None] if kind is None else [str(kind)]
    if any(word in mark for mark in marks for word in _IMAGES):
        return "image"
    is_text = isinstance(part.get("text"), str)
    if not is_text and any(map(_is_written, _levels(part))):
        return "other"
    mime = None if is_text else _mime_of_data(part)
    if mime is not None and mime.startswith("image/"):
        return "image"
    if mime is not None or any(word in mark for mark in marks for word in _MEDIA):
        return "media"
    return "text" if is_text else "other"


def image_source(part: Mapping[str, Any]) -> str | None:
    """What a picture is given as: a data URL or another address, or its bare base64 data; None for neither.

    >>> image_source({"type": "image", "source": {"type": "base64", "data": "QUJD"}})
    'QUJD'
    """
    names = ("image_url", "image", "url", *_DATA)
    found = (fields[name] for fields in _levels(part) for name in names if name in fields)
    return next((value for value in found if isinstance(value, str) and value), None)


def _is_written(fields: Mapping[str, Any]) -> bool:
    """Whether this is a document that comes as its text, in Anthropic's shape or Bedrock's, not as a file."""
    source = fields.get("source")
    return isinstance(source, Mapping) and (
        source.get("type") in ("text", "content") or isinstance(source.get("text"), str)
    )


def _mime_of_data(part: Mapping[str, Any]) -> str | None:
    """What kind of data a part holds: its MIME type in lower case, "" where it does not say; None for none.

    Anything may be called "data": it counts beside a MIME type, and in a source or resource that calls it
    base64 or a blob.
    """
    for fields in _levels(part):
        if any(isinstance(fields.get(name), str) for name in _DATA):
            mime = next((fields[name] for name in _MIME if isinstance(fields.get(name), str)), None)
            inside = fields is not part and (fields.get("type") == "base64" or "blob" in fields)
            if mime is not None or inside:
                return (mime or "").lower()
    return None


def _levels(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A part's own fields, and those of the medium that it holds: Bedrock's stand two levels down."""
    yield part
    for name in _HOLDERS:
        inner = part.get(name)
        if isinstance(inner, Mapping):
            yield from _levels(cast("Mapping[str, Any]", inner))
