"""A conversation that was downloaded from ChatGPT, brought into the shape that the loader reads.

There a conversation is a tree: `mapping` holds its nodes by id, each with its message and its parent, and a
question that was edited, or an answer made anew, is another branch. Read is the branch that ends at
`current_node`, which is the one the page showed last.

Contract: each message of that branch becomes one, in order, except those that hold nothing at all, such as
the tree's root and the empty system messages that the page hides. It hides custom instructions too, but the
model was sent them: they become a system message. Read is text; any other content (pictures, code that ran,
a model's thoughts) is an error that names its node and kind, so that nothing is left out in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ctxkit.messages.apart import Placed
from ctxkit.messages.plain import as_mapping

TEXTS = ("text", "multimodal_text")
"""Kinds of content that may hold nothing but text."""
INSTRUCTIONS = "user_editable_context"
"""The kind that holds a user's custom instructions, each of `INSTRUCTED` a text."""
INSTRUCTED = ("user_profile", "user_instructions")
NOTHING: tuple[object, ...] = (None, "", [], [""], {})
"""What the fields of a content hold that was left empty."""
WANTED = 'take it out, or bring the talk as [{"role": "user", "content": "Hi"}, ...]'


def is_download(source: object) -> bool:
    """Whether this is one conversation of a download."""
    other = isinstance(source, Mapping) and ("role" in source or "messages" in source)
    return isinstance(source, Mapping) and isinstance(source.get("mapping"), Mapping) and not other


def only(conversations: Sequence[Any]) -> Any:
    """The one conversation of a download, which is a list of all that the account has."""
    if len(conversations) != 1:
        raise ValueError(
            f"messages: a ChatGPT download of {len(conversations):,} conversations; give one of them, "
            "such as json.load(file)[0]"
        )
    return conversations[0]


def branch(conversation: Mapping[str, Any]) -> list[Placed]:
    """The messages of the branch that ends at the conversation's `current_node`.

    >>> def said(role, text):
    ...     return {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
    >>> nodes = {
    ...     "a": {"message": None, "parent": None},
    ...     "b": {"message": said("user", "Hi"), "parent": "a"},
    ...     "c": {"message": said("assistant", "Hello!"), "parent": "b"},
    ...     "d": {"message": said("assistant", "Good day."), "parent": "b"},
    ... }
    >>> for where, item in branch({"mapping": nodes, "current_node": "c"}):
    ...     print(where, item["role"], item["content"])
    mapping['b'].message user Hi
    mapping['c'].message assistant Hello!
    """
    nodes, name = conversation["mapping"], conversation.get("current_node")
    if not isinstance(name, str):
        raise ValueError("current_node: missing; it names the message that a ChatGPT conversation ends with")
    way: dict[str, Mapping[str, Any]] = {}
    while name is not None:
        node = as_mapping(nodes.get(name)) if isinstance(name, str) else None
        if node is None or name in way:
            fault = "leads back to itself" if isinstance(name, str) and name in way else "is not there"
            raise ValueError(f"mapping: node {str(name)[:40]!r} {fault}; the ChatGPT download is damaged")
        way[name] = node
        name = node.get("parent")
    told = ((f"mapping[{name[:40]!r}].message", node.get("message")) for name, node in reversed(way.items()))
    return [item for where, message in told if message is not None for item in _read(where, message)]


def _read(where: str, message: object) -> Iterator[Placed]:
    fields = _fields(message, where)
    author = _fields(fields.get("author"), f"{where}.author")
    content = _fields(fields.get("content"), f"{where}.content")
    kind, role = content.get("content_type"), author.get("role")
    if fields.get("recipient") not in (None, "all") or role == "tool":
        raise ValueError(
            f"{where}: calls and results of tools are not read from a ChatGPT download; {WANTED}"
        )
    filled = {
        name: value for name, value in content.items() if name != "content_type" and value not in NOTHING
    }
    if not filled:
        return
    if kind == INSTRUCTIONS:
        role, texts = "system", _texts(_instructions(filled, f"{where}.content"))
    elif kind in TEXTS:
        texts = _texts(_parts(content.get("parts"), f"{where}.content.parts"))
    else:
        raise ValueError(f"{where}.content: only text is read, this is {str(kind)[:40]!r}; {WANTED}")
    if texts:
        text = texts[0] if len(texts) == 1 else texts
        yield where, {"role": role, "content": text, "id": fields.get("id")}


def _instructions(filled: Mapping[str, Any], where: str) -> Iterator[tuple[str, object]]:
    """The custom instructions, each with its place; what else a user could have set is named."""
    for name in filled:
        if name not in INSTRUCTED:
            raise ValueError(
                f"{where}.{str(name)[:40]}: of custom instructions only {' and '.join(INSTRUCTED)} are read; "
                f"{WANTED}"
            )
    return ((f"{where}.{name}", filled[name]) for name in INSTRUCTED if name in filled)


def _parts(parts: object, where: str) -> Iterator[tuple[str, object]]:
    if not isinstance(parts, (list, tuple)):
        raise TypeError(f"{where}: expected a list, got {type(parts).__name__}")
    return ((f"{where}[{i}]", part) for i, part in enumerate(parts))


def _texts(parts: Iterable[tuple[str, object]]) -> list[str]:
    texts: list[str] = []
    for where, part in parts:
        if not isinstance(part, str):
            kind = (as_mapping(part) or {}).get("content_type", type(part).__name__)
            raise ValueError(f"{where}: only text is read, this is {str(kind)[:40]!r}; {WANTED}")
        texts += [part] if part else []
    return texts


def _fields(value: object, where: str) -> Mapping[str, Any]:
    fields = as_mapping(value)
    if fields is None:
        raise TypeError(f"{where}: expected an object with names and values, got {type(value).__name__}")
    return fields
