"""What a part of a message's content says, whatever client it comes from.

Contract: text that a part holds is in it; the data of pictures, sound, film and files is not, and neither is
thinking: each is a word in brackets, such as `[image]`. A part without `text` is read as JSON, as it is
counted; what stands under the name of its own type (`{"type": "json", "json": ...}`) is taken out of there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ctxkit.messages.parts import part_kind
from ctxkit.messages.plain import readable_json
from ctxkit.messages.thinking import is_thinking

LONG_DATA = 1_000
"""Characters from which a text that may be base64 is taken for it."""

DATA = "[data]"
"""What stands in the place of base64 and data URLs."""

_URL = re.compile(r"data:[\w.+/-]*(?:;[\w=.+-]+)*,", re.IGNORECASE)
_BASE64 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/_-]+={0,2}")
_DATA = ("data", "bytes", "blob", "file_data", "fileData")
_FORMATS = ("type", "format", "media_type", "mediaType", "mime_type", "mimeType")


def part_text(part: str | Mapping[str, Any]) -> str:
    """The text of one part.

    >>> part_text({"type": "json", "json": {"tide": "14:20"}}), part_text({"type": "image", "data": "iVBO"})
    ('{"tide":"14:20"}', '[image]')
    >>> part_text({"type": "document", "title": "Tides", "source": {"type": "base64", "data": "JVBERi0="}})
    '[document] {"source":{},"title":"Tides"}'
    """
    if isinstance(part, str):
        return part
    if isinstance(part.get("text"), str):
        return part["text"]
    kind, name = part_kind(part), str(part.get("type") or "json")
    label = f"[{str(part.get('type') or 'part').removeprefix('input_')}]"
    if kind == "image" or is_thinking(part):
        return "[image]" if kind == "image" else label
    held = {key: value for key, value in part.items() if key not in ("type", "text")}
    said = _without_data(held, kind == "media")
    if kind == "media":
        return f"{label} {readable_json(said)}" if _says_something(said) else label
    return _written(said[name] if said.keys() == {name} else said) or label


def _written(said: Any) -> str:
    """What a part holds as text; the text of a resource stays as it is, after its address."""
    if isinstance(said, dict) and isinstance(said.get("text"), str):
        others = {key: value for key, value in said.items() if key != "text"}
        return "\n".join(filter(None, [_written(others), said["text"]]))
    return said if isinstance(said, str) else readable_json(said) if said not in ({}, [], None) else ""


def _without_data(value: Any, media: bool) -> Any:
    """A copy without base64 and data URLs; of a medium, also without the names of its formats."""
    if isinstance(value, list):
        return [DATA if _is_data("", item, {}, media) else _without_data(item, media) for item in value]
    if not isinstance(value, dict):
        return value
    fields = {key: item for key, item in value.items() if not (media and key in _FORMATS)}
    hidden = {key for key, item in fields.items() if _is_data(key, item, value, media)}
    if media:  # its label says that there is data
        fields = {key: item for key, item in fields.items() if key not in hidden}
    return {key: DATA if key in hidden else _without_data(item, media) for key, item in fields.items()}


def _is_data(key: str, value: object, beside: Mapping[str, Any], media: bool) -> bool:
    if not isinstance(value, str):
        return False
    if key in _DATA and (beside.get("type") == "base64" or (media and beside.get("type") != "text")):
        return True
    url = _URL.match(value)
    if url and (url[0].lower().endswith(";base64,") or len(value) >= LONG_DATA):
        return True
    return len(value) >= LONG_DATA and bool(_BASE64.fullmatch(value))


def _says_something(said: Any) -> bool:
    if isinstance(said, (dict, list)):
        return any(map(_says_something, said.values() if isinstance(said, dict) else said))
    return isinstance(said, str) and bool(said.strip())
