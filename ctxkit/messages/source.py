"""The JSON behind a transcript: text, lines or a file, with errors that name line and column.

Contract: gives back what stands there, as JSON values; JSON lines as a list. An empty text, and one that is
no JSON at all, are called so, since "line 1, column 1" would send somebody to look for a slip there. A file
that cannot be read is an `UnreadableFile`, with what the system or the decoder said as its cause.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

BLANKS = "\ufeff \t\r\n"


class UnreadableFile(OSError, ValueError):
    """The file of a conversation cannot be read: a folder, no permission, no text.

    It is a FileNotFoundError too where a path leads to no file, and a PermissionError where the file may not
    be read. `filename` is its path; `errno` and `strerror` are the system's, None where the system had no
    objection: to a file that is no text.
    """

    def __str__(self) -> str:
        return ValueError.__str__(self)  # without "[Errno 2]" in front


class NoSuchFile(UnreadableFile, FileNotFoundError):
    """There is no file of this name."""


class ClosedFile(UnreadableFile, PermissionError):
    """The file is there, and may not be read."""


def read_source(source: str | bytes | os.PathLike[str]) -> Any:
    """Read JSON from text, bytes or a file.

    >>> read_source('{"role": "user", "content": "Hi"}')
    {'role': 'user', 'content': 'Hi'}
    >>> read_source('[{"role": "user"')
    Traceback (most recent call last):
    ValueError: messages: broken JSON at line 1, column 17: Expecting ',' delimiter
    """
    if isinstance(source, os.PathLike):
        data = _read_file(Path(source))
    elif isinstance(source, str) and source.strip(BLANKS) and (not _is_json(source) or _is_file(source)):
        data = _read_named(source)
    elif isinstance(source, bytes):
        try:
            data = source.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(f"messages: {_no_text(error)}") from error
    else:
        data = source
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


def _read_file(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: no text, or a null character in the path
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError | ValueError) -> UnreadableFile:
    """What to say of a file that cannot be read, with what the system said of it."""
    kind, name = UnreadableFile, str(path) if len(str(path)) <= 60 else f"…{str(path)[-60:]}"
    if isinstance(error, UnicodeDecodeError):
        why = f"is {_no_text(error)}"
    elif os.path.isdir(path):  # which raises nothing
        why = "is a folder; name the file in it that holds the conversation"
    elif isinstance(error, FileNotFoundError):
        kind, why = NoSuchFile, "is not there; look at the name and at the folder"
    elif isinstance(error, PermissionError):
        kind, why = ClosedFile, "may not be read; ask for permission, or use a copy of your own"
    else:
        why = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    unreadable = kind(f"messages: {name!r} {why}")
    if isinstance(error, OSError):
        unreadable.errno, unreadable.strerror = error.errno, error.strerror
    unreadable.filename = str(path)
    return unreadable


def _read_named(source: str) -> str:
    """The text of a file, or why this is no name of one."""
    try:
        return _read_file(Path(source))
    except UnreadableFile as error:
        shown = source if len(source) <= 60 else source[:60] + "…"
        if os.path.exists(source) or isinstance(error, ClosedFile):
            raise
        raise ValueError(
            f"messages: {shown!r} is neither JSON text (it would start with [ or {{) nor a file"
        ) from None


def _no_text(error: UnicodeDecodeError) -> str:
    at, found = error.start, error.object[error.start]
    return f"not UTF-8 text (byte {at:,} is {found:#04x}); save the conversation as JSON in UTF-8"


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
