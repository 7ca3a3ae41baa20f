"""`simulate` is linear in the conversation: what a message costs in 8,000 messages, and what in 1,000.

Each strategy of `usual_strategies`, and a pipeline of three transforms, replays a conversation with tool
results, call by call from the first message, without a quiz and with one of twelve facts. The window is so
large that no call is refused; the strategies keep to 4,096 tokens. Summaries are the offline reader's; who is
asked for facts looks for the sentence. Shown is the processor's time, so that the machine's other work does
not count, best of two. The garbage collector is off, as it comes in steps: once in 1,000 messages, four times
in 8,000.

    python benchmarks/simulating.py
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Sequence
from math import inf
from typing import Any

from report import Table

from ctxkit import (
    ClearToolResults,
    Fact,
    KeepRecentMessages,
    KeepWithinTokens,
    Message,
    Quiz,
    Reply,
    Strategy,
    TokenCounter,
    ToolCall,
    run,
    simulate,
)
from ctxkit.economy import usual_strategies

SIZES: tuple[int, ...] = (8_000, 1_000)
WINDOW, LARGE, FACTS, RUNS, FLAT = 4_096, 100_000_000, 12, 2, 1.5


def talk(length: int) -> list[Message]:
    """A conversation with answers of different lengths that reads a log of 30 lines now and then."""
    chance, messages = random.Random(1), [Message.system("You are a patient teacher.")]
    while len(messages) < length - 4:
        number = 10_000 + len(messages)  # of equal length
        messages.append(Message.user(f"Question {number}: how does the tide reach pier {number % 7}?"))
        if chance.random() < 0.2:
            call = ToolCall(f"call_{number}", "read_log", {"part": number})
            lines = [f"line {line} of {number}: all is well" for line in range(30)]
            messages.append(Message.assistant("", [call]))
            messages.append(Message.tool("\n".join(lines), call.id))
        words = "The moon pulls the water. " * chance.randint(1, 7)
        messages.append(Message.assistant(f"Answer {number}. {words}"))
    return messages


def quiz(messages: list[Message]) -> Quiz:
    """Facts told by user messages in place of questions; the messages are changed."""
    facts: list[Fact] = []
    for number in range(FACTS):
        place = next(
            i for i in range(number * len(messages) // FACTS + 1, len(messages)) if messages[i].role == "user"
        )
        messages[place] = Message.user(f"The keeper of lighthouse {number} keeps {number + 40} hens.")
        facts.append(
            Fact(f"How many hens does the keeper of lighthouse {number} keep?", [str(number + 40)], [place])
        )
    return Quiz(facts)


class Searcher:
    """Answers with the message that tells what it is asked."""

    async def chat(self, messages: Sequence[Message], tools: Any = ()) -> Reply:
        who = str(messages[-1].content).removeprefix("How many hens does ").removesuffix(" keep?")
        told = f"{who[:1].upper()}{who[1:]} keeps"
        found = (str(m.content) for m in messages if isinstance(m.content, str) and told in m.content)
        return Reply(Message.assistant(next(found, "Nobody said.")))


def strategies(messages: list[Message]) -> list[Strategy]:
    three = [ClearToolResults(3), KeepRecentMessages(40), KeepWithinTokens(WINDOW)]
    return [*usual_strategies(WINDOW, messages), Strategy("three transforms", three)]


def microseconds(messages: list[Message], strategy: Strategy, facts: Quiz | None) -> float:
    """Time for each message, all of them counted before."""
    counter = TokenCounter()
    counter.count_all(messages)
    gc.collect()
    gc.disable()
    started = time.process_time()
    run(simulate(messages, [strategy], LARGE, quiz=facts, reader=Searcher(), counter=counter))
    taken = time.process_time() - started
    gc.enable()
    return 1e6 * taken / len(messages)


def main() -> None:
    conversations = {size: talk(size) for size in SIZES}
    quizzes = {size: quiz(messages) for size, messages in conversations.items()}
    names = [strategy.name for strategy in strategies(conversations[SIZES[-1]])]
    table = Table(*(f"{size:,}" for size in SIZES), width=44)
    for asked in (False, True):
        table.heading(f"{'with' if asked else 'without'} a quiz, a message of")
        for place, name in enumerate(names):
            best = dict.fromkeys(SIZES, inf)
            for _ in range(RUNS):
                for size, messages in conversations.items():
                    facts = quizzes[size] if asked else None
                    taken = microseconds(messages, strategies(messages)[place], facts)
                    best[size] = min(best[size], taken)
            limit = FLAT * best[SIZES[-1]]
            table.row(name, *best.values(), unit=" us", at_most=limit, because=f"{FLAT} x the last")
    table.finish()


if __name__ == "__main__":
    main()
