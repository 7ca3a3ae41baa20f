"""What kind of thing a part of a message's content is: the one place that tells text from pictures and other
media.

Parts come from several clients, with and without a `type`: `{"type": "input_text", "text": ...}`,
`{"image_url": ...}`. A part with `text` is text, whatever its type (pipecat-ai/pipecat#5595).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

PartKind = Literal["text", "image", "media", "other"]

_IMAGES = ("image", "picture")
_MEDIA = ("audio", "video", "file", "document")


def part_kind(part: str | Mapping[str, Any]) -> PartKind:
    """Whether a part is text, a picture, another medium (sound, film, file), or something else.

    >>> part_kind("hello"), part_kind({"image_url": {"url": "data:,"}}), part_kind({"type": "input_audio"})
    ('text', 'image', 'media')
    """
    if isinstance(part, str):
        return "text"
    marks = [str(part["type"])] if "type" in part else list(part)
    if any(word in mark for mark in marks for word in _IMAGES):
        return "image"
    if any(word in mark for mark in marks for word in _MEDIA):
        return "media"
    return "text" if "text" in part else "other"
