"""One more message in a long conversation: `KeepWithinTokens` beside LangChain's `trim_messages`, in one run.

Both keep what fits into 4,000 tokens of 10,000 messages, by the same counts. Shown are the messages that each
asks its counter about when one more arrives (the kit remembers counts; `trim_messages` asks anew), and the
time of the first pass and of one more message, with tiktoken asked each time on the side of `trim_messages`,
which is what its users do.

    python benchmarks/trimming.py
"""

from __future__ import annotations

import time

import tiktoken
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, trim_messages

from ctxkit import KeepWithinTokens, Message, TokenCounter, run
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

    def timed(work, *ends: int) -> tuple[float, int, int]:
        asked = counter.asked, plain.asked
        started = time.perf_counter()
        for end in ends:
            work(end)
        seconds = (time.perf_counter() - started) / len(ends)
        return seconds, (counter.asked - asked[0]) // len(ends), (plain.asked - asked[1]) // len(ends)

    print(f"{MESSAGES:,} messages, budget {BUDGET:,} tokens")
    print(f"{'':28}{'ctxkit':>22}{'trim_messages':>22}{'ratio':>8}")
    more = range(MESSAGES + 1, MESSAGES + TURNS + 1)
    for name, ends in {"first pass": [MESSAGES], "one more message": more}.items():
        a, b = timed(lambda end: run(transform.apply(mine[:end])), *ends), timed(trim, *ends)
        print(f"{name + ', counted':28}{a[1]:>22,}{b[2]:>22,}")
        print(f"{name + ', time':28}{a[0] * 1000:>19,.2f} ms{b[0] * 1000:>19,.2f} ms{b[0] / a[0]:>8,.1f}")
    kept = len(run(transform.apply(mine)).messages), len(trim(len(other)))
    print(f"{'kept in the end':28}{kept[0]:>22,}{kept[1]:>22,}")


if __name__ == "__main__":
    main()
