"""Hashing the prefixes of a long conversation, by which `SummarizeOldMessages` finds a summary again.

First: all prefixes of 40,000, 10,000 and 1,000 messages side by side, best of five; when that is linear, a
message costs the same in each. Then, with so many messages behind it, 14 more, one by one, and every call of
SHA-256 is counted: a turn costs one digest of a message and one of a prefix, however long the conversation
is. Beside it, what a turn costs where the whole prefix is hashed each time.

    python benchmarks/prefix_hashing.py
"""

from __future__ import annotations

import gc
import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Any

from report import Table

from ctxkit import Message, Reply, SummarizeOldMessages, run
from ctxkit.transforms.summaries.prefixes import Prefixes
from ctxkit.transforms.timeline import Timeline

SIZES, BEST_OF = (40_000, 10_000, 1_000), 5
TURNS = 14  # from 6 messages that are sent (a summary and 5) to 20; one more would be folded
LINEAR = 2


class CountedHashes:
    """Stands in for `hashlib.sha256` and counts its calls."""

    def __init__(self) -> None:
        self.made, self._sha256 = 0, hashlib.sha256

    def __call__(self, *args: Any) -> Any:
        self.made += 1
        return self._sha256(*args)


class Summariser:
    async def chat(self, messages: Sequence[Message], tools: Any = ()) -> Reply:
        return Reply(Message.assistant("They spoke of ferries."))


def talk(length: int) -> list[Message]:
    return [
        Message(("user", "assistant")[i % 2], f"message {i}: the ferry leaves at {i % 24}:{i % 60:02d}")
        for i in range(length)
    ]


def first_pass(length: int) -> float:
    """Microseconds a message takes when all prefixes of new messages are hashed."""
    timeline = Timeline.of(talk(length))
    assert timeline is not None
    gc.collect()
    gc.disable()  # its passes over all messages are not the hashing's own work
    start = time.perf_counter()
    Prefixes("a seed").key(timeline, length)
    taken = time.perf_counter() - start
    gc.enable()
    return taken / length * 1e6


def more(length: int, turn: Callable[[Sequence[Message]], Any], hashes: CountedHashes) -> tuple[float, float]:
    """Hashes, and microseconds, that a turn with one more message takes with so many behind it."""
    history = talk(length + TURNS)
    turn(history[:length])
    before, start = hashes.made, time.perf_counter()
    for end in range(length + 1, length + TURNS + 1):
        turn(history[:end])
    return (hashes.made - before) / TURNS, (time.perf_counter() - start) / TURNS * 1e6


def kit() -> Callable[[Sequence[Message]], Any]:
    """A turn as the kit takes it: the whole transform."""
    transform = SummarizeOldMessages(Summariser())
    return lambda history: run(transform.apply(history))


def whole_prefix(history: Sequence[Message]) -> str:
    """A turn that remembers nothing: the digests of all messages, one after the other."""
    digest = hashlib.sha256()
    for message in history:
        digest = hashlib.sha256(digest.digest() + bytes.fromhex(message.digest))
    return digest.hexdigest()


def main() -> None:
    table = Table(*(f"{size:,}" for size in SIZES), width=44)
    table.heading("messages in the conversation")
    rounds = [
        [first_pass(size) for size in SIZES] for _ in range(BEST_OF)
    ]  # in turns: other work hits all alike
    times = [min(column) for column in zip(*rounds, strict=True)]
    table.row(
        "all prefixes, a message",
        *times,
        unit=" us",
        at_most=LINEAR * times[-1],
        because=f"{LINEAR} x the last",
    )
    hashes = CountedHashes()
    hashlib.sha256 = hashes  # type: ignore[assignment]
    ours = [more(size, kit(), hashes) for size in SIZES]
    whole = [more(size, whole_prefix, hashes) for size in SIZES]
    table.row("one more, hashes", *(made for made, _ in ours), exactly=2, because="its own and its prefix's")
    table.row("one more, hashes, whole prefix each turn", *(made for made, _ in whole))
    table.row("one more, the whole of apply", *(time for _, time in ours), unit=" us")
    table.row("one more, whole prefix each turn", *(time for _, time in whole), unit=" us")
    table.finish()


if __name__ == "__main__":
    main()
