"""The JSON behind a transcript: text, lines or a file, with errors that name line and column.

Contract: gives back what stands there, as JSON values; JSON lines as a list. An empty text, and one that is
no JSON at all, are called so, since "line 1, column 1" would send somebody to look for a slip there.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

BLANKS = "\ufeff \t\r\n"


def read_source(source: str | bytes | os.PathLike[str]) -> Any:
    """Read JSON from text, bytes or a file.

    >>> read_source('{"role": "user", "content": "Hi"}')
    {'role': 'user', 'content': 'Hi'}
    >>> read_source('[{"role": "user"')
    Traceback (most recent call last):
    ValueError: messages: broken JSON at line 1, column 17: Expecting ',' delimiter
    """
    if isinstance(source, os.PathLike):
        data: str | bytes = Path(source).read_bytes()
    elif isinstance(source, str) and source.strip(BLANKS) and (not _is_json(source) or _is_file(source)):
        data = _read_path(source)
    else:
        data = source
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"messages: not UTF-8 text (byte {error.start} is {data[error.start]:#04x})"
            ) from None
    if not data.strip(BLANKS):
        raise ValueError("messages: there is nothing to read, the text or file is empty")
    return _parse(data.lstrip("\ufeff"))


def _is_json(text: str) -> bool:
    """Whether a conversation may stand here: it is a list or an object."""
    return text.lstrip(BLANKS)[:1] in ("[", "{")


def _is_file(source: str) -> bool:
    try:
        return len(source) < 256 and Path(source).is_file()
    except ValueError:  # a null character
        return False


def _read_path(source: str) -> bytes:
    shown = source if len(source) <= 60 else source[:60] + "…"
    try:
        return Path(source).read_bytes()
    except PermissionError:
        raise
    except (OSError, ValueError):  # no such file, a folder, a name too long or with a null character
        raise ValueError(
            f"messages: {shown!r} is neither JSON text (it would start with [ or {{) nor a file"
        ) from None


def _parse(text: str) -> Any:
    try:
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            if error.msg != "Extra data":
                raise
            data = [
                _parse_line(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()
            ]
    except json.JSONDecodeError as error:
        if not _is_json(text):
            raise ValueError(
                "messages: this is plain text, no JSON; a conversation is written like this: "
                '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]'
            ) from None
        raise ValueError(
            f"messages: broken JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except ValueError as error:
        raise ValueError(f"messages: JSON that cannot be read: {str(error)[:200]}") from None
    except RecursionError:
        raise ValueError("messages: JSON nested too deeply to read") from None
    return data


def _parse_line(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise json.JSONDecodeError(error.msg, "\n" * (number - 1) + line, number - 1 + error.pos) from None
