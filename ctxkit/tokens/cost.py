"""What a message is made of, and what each part costs.

Contract: pure; says which texts a vocabulary has to count and adds up all that has a fixed price. Ids cost
nothing: servers don't put them in the prompt. Where the figures come from:

- `MESSAGE`, `ROLE`, `NAME`, `REPLY`: OpenAI's cookbook, "How to count tokens with tiktoken": 3 tokens around
  every message, its role (each role's name is one token), 1 more beside a name, and 3 that open the reply. On
  the cookbook's sample these give the 129 tokens that OpenAI's server reported for gpt-4.
- `TOOL`, `TOOLS`: the same cookbook's tool figures for gpt-4 (10 for each function, 12 after the last), upon
  the schema's JSON.
- `TOOL_CALL`: not published by OpenAI for its API. Its harmony format, which is published, writes a call as
  `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>ARGUMENTS`: 9 or 10 tokens beside those
  of the message, the name and the arguments.
- `PICTURE`: OpenAI's vision guide: 85, and 170 for each tile of 512 pixels; a picture of 1024 x 1024 in high
  detail is scaled to 768 x 768, 4 tiles.
- Sound, film and files have no published flat figure; each is counted as one picture. So is a data URL inside
  a text: read as text, a picture of 1 MB would be 700,000 tokens (openai/codex#11845), and 0 would be as
  wrong (earendil-works/pi#1441).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ctxkit.messages import Message
from ctxkit.messages.parts import part_kind
from ctxkit.messages.plain import readable_json as _json
from ctxkit.messages.plain import tool_schemas

MESSAGE = 3
ROLE = 1
NAME = 1
REPLY = 3
TOOL_CALL = 10
TOOL = 10
TOOLS = 12
PICTURE = 85 + 4 * 170

LONG_DATA_URL = 1_000
"""Characters from which a data URL counts as a picture; a shorter one costs less than that as text."""

# Also inside JSON text, where slashes may be escaped, and in the lines of MIME's base64, escaped or not.
_DATA_URL = re.compile(
    r"""data:(?:[\w.+-]+\\*/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,
    (?:[\w+/-]+ | \\+/ | (?:\r|\\+r)?(?:\n|\\+n)(?=[\w+/-]{60}))+={0,2}""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True)
class Bill:
    """A cost not yet summed: tokens of fixed price, and the texts that are to be counted.

    exact: False when a price is a guess, such as that of a picture.

    >>> Bill.sum([Bill(4, ("Hello world",)), Bill(765, exact=False)])
    Bill(fixed=769, texts=('Hello world',), exact=False)
    """

    fixed: int
    texts: tuple[str, ...] = ()
    exact: bool = True

    @classmethod
    def sum(cls, bills: Iterable[Bill]) -> Bill:
        """One bill for all of them."""
        parts = list(bills)
        texts = tuple(text for part in parts for text in part.texts)
        return cls(sum(part.fixed for part in parts), texts, all(part.exact for part in parts))


def message_bill(message: Message) -> Bill:
    """What a message costs: its frame, name, text parts, pictures, and tool calls with their arguments.

    >>> message_bill(Message.user("Hello world"))
    Bill(fixed=4, texts=('Hello world',), exact=True)
    >>> message_bill(Message.assistant(None))
    Bill(fixed=4, texts=(), exact=True)
    """
    bills = [Bill(MESSAGE + ROLE)]
    if message.name:
        bills.append(Bill(NAME, (message.name,)))
    content = message.content or ()
    for part in [content] if isinstance(content, str) else content:
        bills.append(_text(part) if isinstance(part, str) else _part(part))
    for call in message.tool_calls:
        bills += Bill(TOOL_CALL, (call.name,)), _text(_json(call.arguments))
    return Bill.sum(bills)


def tool_bills(tools: Iterable[Any]) -> list[Bill]:
    """What each tool's schema costs, as JSON text; `TOOLS` comes once on top where there is any.

    tools: dicts, objects with a dict as `.schema`, or pydantic objects. Raises TypeError naming the index of
    any other.

    >>> tool_bills([{"name": "clock"}])
    [Bill(fixed=10, texts=('{"name":"clock"}',), exact=True)]
    """
    return [Bill.sum([Bill(TOOL), _text(_json(schema))]) for schema in tool_schemas(tools)]


def _part(part: Mapping[str, Any]) -> Bill:
    text = _text(part.get("text") or "")
    kind = part_kind(part)
    if kind in ("image", "media"):
        return Bill.sum([text, Bill(PICTURE, exact=False)])
    if kind == "text":
        return text
    # How a server shows a part of unknown kind is unknown too.
    return Bill.sum([_text(_json(part)), Bill(0, exact=False)])


def _text(text: str) -> Bill:
    pictures: list[str] = []

    def take_out(url: re.Match[str]) -> str:
        if len(url[0]) < LONG_DATA_URL:
            return url[0]
        pictures.append(url[0])
        return ""

    if "base64," in text.lower():
        text = _DATA_URL.sub(take_out, text)
    return Bill(PICTURE * len(pictures), (text,) if text else (), exact=not pictures)
