"""One more message in a long conversation: `KeepWithinTokens` beside LangChain's `trim_messages`, in one run.

Both keep what fits into 4,000 tokens of 10,000 messages, by the same counts. Shown are the messages that each
asks its counter about when one more arrives (the kit remembers counts; `trim_messages` asks anew), and the
time of the first pass and of one more message, with tiktoken asked each time on the side of `trim_messages`,
which is what its users do.

    python benchmarks/trimming.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ceil
from typing import NamedTuple

import tiktoken
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, trim_messages
from report import Table

from ctxkit import KeepWithinTokens, Message, Outcome, TokenCounter, run
from ctxkit.tokens.vocabulary import vocabulary

MESSAGES, BUDGET, TURNS = 10_000, 4_000, 10


class CountingCounter(TokenCounter):
    """The kit's counter, with the number of texts that went to the tokeniser."""

    asked = 0

    def count_text(self, text: str) -> int:
        self.asked += 1
        return super().count_text(text)


class PlainCounter:
    """What `trim_messages` is given: tiktoken on each message, every time."""

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self.encoding, self.asked = encoding, 0

    def __call__(self, messages: list[BaseMessage]) -> int:
        self.asked += len(messages)
        return 3 + sum(4 + len(self.encoding.encode_ordinary(str(m.content))) for m in messages)


class Pass(NamedTuple):
    """A turn: milliseconds, and how often each side asked its counter, rounded up."""

    ms: float
    ours: int
    theirs: int


def texts(start: int, stop: int) -> list[str]:
    return [
        f"message {i}: the ferry leaves at {i % 24}:{i % 60:02d} from pier {i % 7}"
        for i in range(start, stop)
    ]


def ours(history: list[str]) -> list[Message]:
    return [Message(("user", "assistant")[i % 2], text) for i, text in enumerate(history)]


def theirs(history: list[str]) -> list[BaseMessage]:
    return [(HumanMessage, AIMessage)[i % 2](text) for i, text in enumerate(history)]


def main() -> None:
    counter, encoding = CountingCounter(), vocabulary("cl100k_base")
    assert encoding is not None, "the vocabulary could not be read: see `python -m ctxkit doctor`"
    plain = PlainCounter(encoding)
    transform = KeepWithinTokens(BUDGET, counter=counter)
    history = texts(0, MESSAGES + TURNS)
    mine, other = ours(history), theirs(history)

    def trim(end: int) -> list[BaseMessage]:
        return trim_messages(
            other[:end], max_tokens=BUDGET, token_counter=plain, strategy="last", start_on="human"
        )

    def ours_at(end: int) -> Outcome:
        return run(transform.apply(mine[:end]))

    def timed(work: Callable[[int], object], *ends: int) -> Pass:
        asked = counter.asked, plain.asked
        started = time.perf_counter()
        for end in ends:
            work(end)
        taken = time.perf_counter() - started
        turns = len(ends)
        asked = counter.asked - asked[0], plain.asked - asked[1]
        return Pass(1000 * taken / turns, ceil(asked[0] / turns), ceil(asked[1] / turns))

    table = Table("ctxkit", "trim_messages")
    table.heading(f"{MESSAGES:,} messages, {BUDGET:,} tokens")
    more = range(MESSAGES + 1, MESSAGES + TURNS + 1)
    first, other_first = timed(ours_at, MESSAGES), timed(trim, MESSAGES)
    again, other_again = timed(ours_at, *more), timed(trim, *more)
    table.row("first pass, counted", first.ours, other_first.theirs, at_most=MESSAGES)
    table.row(
        "first pass, time", first.ms, other_first.ms, unit=" ms", at_most=other_first.ms, because="theirs"
    )
    table.row("one more message, counted", again.ours, other_again.theirs, exactly=1)
    fifth = other_again.ms / 5
    table.row(
        "one more message, time", again.ms, other_again.ms, unit=" ms", at_most=fifth, because="a fifth"
    )
    kept = len(run(transform.apply(mine)).messages), len(trim(len(other)))
    table.row("kept in the end", *kept, exactly=kept[1], because="theirs")
    table.finish()


if __name__ == "__main__":
    main()
