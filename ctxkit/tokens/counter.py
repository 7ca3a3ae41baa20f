"""Counting tokens: of a text, of a message, of a whole request.

Contract: `count_all` is additive, `count_all(ms, tools) == count_all((), tools) + sum(count(m) for m in ms)`,
so that a history can be counted message by message. A message is counted once in its life: counts are
remembered by `Message.digest`, in a bounded table that never changes a result. Estimates made for want of a
vocabulary are not remembered. Nothing is read before the first count. A subclass with a tokeniser of its own
overrides `count_text` alone, and `exact` where that is none of tiktoken's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import Any

from ctxkit import _arguments
from ctxkit.messages import Message, load_messages
from ctxkit.tokens import pieces
from ctxkit.tokens.cost import REPLY, TOOLS, Bill, message_bill, tool_bills
from ctxkit.tokens.estimate import estimate_tokens, estimated_pieces
from ctxkit.tokens.truncate import truncate_text
from ctxkit.tokens.view import TextToken, text_tokens
from ctxkit.tokens.vocabulary import STAND_IN, resolve, unavailable, vocabulary

MEMORY = 65_536
"""Messages whose count a counter remembers: some 20 MB when full."""

_lock = Lock()  # one for all counters, so that a counter can be copied and pickled
_shared: dict[str, TokenCounter] = {}


class TokenCounter:
    """Counts tokens with one vocabulary.

    encoding: an encoding ("cl100k_base", the default; "o200k_base") or a model that tiktoken knows
    ("gpt-4o"). Anything else, such as "llama3.2", is counted with cl100k_base as a stand-in, and `exact` is
    False. `.encoding` is the name really used.

    >>> counter = TokenCounter()
    >>> counter.count_text("Hello world"), counter.count(Message.user("Hello world")), counter.exact
    (2, 6, True)
    >>> TokenCounter("llama3.2")
    TokenCounter('llama3.2': estimated with cl100k_base)
    """

    def __init__(self, encoding: str = "cl100k_base") -> None:
        self._asked: object = encoding
        self.encoding, self._known = resolve(encoding)
        self._memory: dict[str, tuple[int, bool]] = {}
        self._estimates = 0
        self._panicked: set[int] = set()

    @property
    def exact(self) -> bool:
        """Whether texts are counted by the vocabulary that was asked for; reads it if need be."""
        return self._known and self.has_vocabulary

    @property
    def has_vocabulary(self) -> bool:
        """Whether the vocabulary that counts, perhaps a stand-in, is at hand; reads it if need be."""
        return vocabulary(self.encoding) is not None

    def count_text(self, text: str) -> int:
        """Count the tokens of a text; what looks like a special token is text too.

        Raises TypeError for anything but a str.

        >>> TokenCounter().count_text("What is 15% of 200?")
        9
        """
        _arguments.text("text", text)
        encoding = vocabulary(self.encoding)
        if encoding is None:
            with _lock:
                self._estimates += 1
            return estimate_tokens(text)
        tokens = 0
        for piece in pieces.split(text)[0]:
            ids = pieces.token_ids(encoding, piece)
            if ids is None:
                self._panicked.add(hash(text))
            tokens += estimate_tokens(piece) if ids is None else len(ids)
        return tokens

    def count(self, message: Any) -> int:
        """Count a message with its frame, name, pictures and tool calls, by the figures in `cost`.

        message: a Message, or a dict or client object as `load_messages` reads them, with its errors.

        >>> TokenCounter().count({"role": "user", "content": "What is 15% of 200?"})
        13
        """
        if not isinstance(message, Message):
            [message] = self._loaded([message])
        return self._message(message)[0]

    def count_all(self, messages: Iterable[Any], tools: Sequence[Any] = ()) -> int:
        """Count a request: messages, tool schemas, and the start of the reply.

        tools: dicts, objects with a dict as `.schema`, or pydantic objects. Raises TypeError or ValueError
        naming the index.

        >>> TokenCounter().count_all([Message.user("Hello world")])
        9
        """
        history = self._loaded(messages)
        schemas = tool_bills(tools)
        before = self._estimates
        total = self._sum(history, schemas)
        if self._estimates > before and self.exact:
            total = self._sum(history, schemas)  # the vocabulary came half-way: no sum of both kinds
        return total

    def exact_for(self, messages: Iterable[Any]) -> bool:
        """Whether the count of these messages is no estimate: no picture or file, no long text cut blindly.

        Ask it before counting: then the counts are at least as good as the answer, also when a vocabulary
        arrives between.

        >>> TokenCounter().exact_for([Message.user("Hello")]), TokenCounter("llama3.2").exact_for([])
        (True, False)
        """
        return self.exact and all(self._message(message)[1] for message in self._loaded(messages))

    def encode(self, text: str) -> list[TextToken]:
        """The text as its tokens, characters kept whole.

        Where the vocabulary cannot be read, the stand-in shows how such a text falls into tokens.

        >>> TokenCounter().encode("Hi 🍕")
        [TextToken(text='Hi', ids=(13347,)), TextToken(text=' 🍕', ids=(11410, 235, 243))]
        """
        _arguments.text("text", text)
        encoding = vocabulary(self.encoding) or vocabulary(STAND_IN)
        tokens: list[TextToken] = []
        for piece in pieces.split(text)[0]:
            ids = pieces.token_ids(encoding, piece) if encoding else None
            if encoding is None or ids is None:
                tokens += (TextToken(shown, ()) for shown in estimated_pieces(piece))
            else:
                tokens += text_tokens(encoding, ids)
        return tokens

    def truncate(self, text: str, max_tokens: int) -> str:
        """The beginning of a text that counts at most `max_tokens` tokens, cut between whole characters.

        Raises ValueError for a negative limit.

        >>> TokenCounter().truncate("The quick brown fox", 3)
        'The quick brown'
        """
        return truncate_text(_arguments.text("text", text), max_tokens, self.count_text)

    def calibrated(self, pairs: Iterable[tuple[int, int]]) -> TokenCounter:
        """A new counter fitted to measured requests: (counted by `count_all`, reported by the server) pairs.

        One pair gives a factor, more give a factor and a base that are never below a pair;
        `ctxkit.tokens.calibrate.fit` says how. The result is an estimate. Raises ValueError without pairs and
        for numbers below 1.

        >>> TokenCounter().calibrated([(100, 182), (1000, 1352)])
        <TokenCounter('cl100k_base') calibrated: times 1.3, plus 52 a request>
        """
        from ctxkit.tokens.calibrate import CalibratedCounter, fit

        return CalibratedCounter(self, *fit(pairs))

    def _sum(self, history: list[Message], schemas: list[Bill]) -> int:
        tools = sum(self._schema(bill) for bill in schemas) + (TOOLS if schemas else 0)
        return REPLY + tools + sum(self._message(message)[0] for message in history)

    def _message(self, message: Message) -> tuple[int, bool]:
        return self._remembered(message.digest, lambda: message_bill(message))

    def _schema(self, bill: Bill) -> int:
        key = hashlib.sha256("".join(bill.texts).encode("utf-8", "surrogatepass")).hexdigest()
        return self._remembered(f"schema {key}", lambda: bill)[0]

    def _remembered(self, key: str, make_bill: Callable[[], Bill]) -> tuple[int, bool]:
        """Tokens, and whether they are exact as far as the text goes; from memory or counted now."""
        entry = self._memory.get(key)
        if entry is None:
            bill, before = make_bill(), self._estimates
            tokens = bill.fixed + sum(map(self.count_text, bill.texts))
            entry = tokens, bill.exact and all(map(self._cut_safely, bill.texts))
            if self._estimates == before:
                self._remember(key, entry)
        return entry

    def _remember(self, key: str, entry: tuple[int, bool]) -> None:
        with _lock:
            if len(self._memory) >= MEMORY:
                for oldest in list(islice(self._memory, MEMORY // 2)):
                    del self._memory[oldest]
            self._memory[key] = entry

    def _cut_safely(self, text: str) -> bool:
        return pieces.split(text)[1] and hash(text) not in self._panicked

    @staticmethod
    def _loaded(messages: Iterable[Any]) -> list[Message]:
        if isinstance(messages, (str, bytes, Mapping, Message)):
            raise TypeError(f"messages: expected a list of messages, got {type(messages).__name__}")
        return load_messages(messages)

    def __repr__(self) -> str:
        asked = self._asked if isinstance(self._asked, str) else type(self._asked).__name__
        shown = asked if len(asked) <= 60 else asked[:60] + "…"
        if not self._known:
            how = f": estimated with {self.encoding}"
        elif unavailable(self.encoding):
            how = ": estimated without a vocabulary"
        else:
            how = "" if asked == self.encoding else f": {self.encoding}"
        return f"{type(self).__name__}({shown!r}{how})"


def shared_counter(encoding: str = "cl100k_base") -> TokenCounter:
    """The counter that all parts of the kit share for an encoding, so that a message is counted once.

    >>> shared_counter() is shared_counter("gpt-4")
    True
    """
    name, known = resolve(encoding)
    key = name if known else f"not known: {encoding!r:.80}"
    return _shared.get(key) or _shared.setdefault(key, TokenCounter(name if known else encoding))


def count_tokens(text_or_messages: Any, encoding: str = "cl100k_base") -> int:
    """Count a text, one message, or a list of messages (with the 3 tokens that open the reply).

    encoding: as for `TokenCounter`.

    >>> count_tokens("Hello world"), count_tokens([{"role": "user", "content": "Hello world"}])
    (2, 9)
    """
    counter = shared_counter(encoding)
    if isinstance(text_or_messages, str):
        return counter.count_text(text_or_messages)
    if isinstance(text_or_messages, (Message, Mapping)):
        return counter.count(text_or_messages)
    return counter.count_all(text_or_messages)
