"""What folding old messages costs: `SummarizeOldMessages` beside LangChain's `SummarizationMiddleware` and
guide A's rule, in one run.

A conversation grows message by message, and before each call of its model the old messages are folded: above
20, all but the last 5. Every summariser is the same recorder, which answers each request with the same 120
words; what it was sent is counted by one `TokenCounter`.

LangChain's has `trim_tokens_to_summarize=None`, because by default it leaves out what is over 4,000 tokens.
It stands here twice: its trigger fires *at* a number of messages, so 21 is the kit's "above 20", and 20 is
the number as it is written. The system prompt is given to the kit in the history, where it never counts;
LangChain's agents keep theirs apart. Not shown: where what is folded at once is over the summariser's
window, the kit asks in several requests, each with the instruction, and LangChain in one that doesn't fit.

    python benchmarks/summarising.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from typing import Any

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from report import Table

from ctxkit import Message, Reply, SummarizeOldMessages, TokenCounter, dump_messages, load_sample, run
from ctxkit.messages.text import content_text

MOST, KEEP = 20, 5
SUMMARY = " ".join(f"They spoke of pier {number}." for number in range(24))
counter = TokenCounter()


class Recorder:
    """The summariser: what it was sent, and the same answer each time."""

    name = "recorder"

    def __init__(self) -> None:
        self.requests: list[list[str]] = []

    async def chat(self, messages: Sequence[Message], tools: Any = ()) -> Reply:
        self.requests.append([content_text(message) for message in messages])
        return Reply(Message.assistant(SUMMARY))

    @property
    def tokens(self) -> int:
        """Tokens of all requests."""
        return sum(counter.count_all(map(Message.user, request)) for request in self.requests)

    def unread(self, messages: list[Message]) -> int:
        """How many of these messages stood in no request."""
        read = unescape("\n".join(text for request in self.requests for text in request))
        return sum(content_text(message) not in read for message in messages)


class LangChainRecorder(BaseChatModel):
    """The recorder as LangChain calls it."""

    recorder: Any

    @property
    def _llm_type(self) -> str:
        return "recorder"

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        self.recorder.requests.append([message.text for message in messages])
        return ChatResult(generations=[ChatGeneration(message=AIMessage(SUMMARY))])


class Ours:
    """The kit: nothing is stored but the conversation itself."""

    def __init__(self, recorder: Recorder) -> None:
        self.transform = SummarizeOldMessages(recorder, MOST, KEEP)

    def send(self, history: list[Message], new: int) -> int:
        """Before a call of the model, with `new` more messages; how many go out word for word."""
        sources = run(self.transform.apply(history)).sources
        return sum(source is not None and history[source].role != "system" for source in sources)


class LangChain:
    """The middleware: what it makes of its state is its state from then on."""

    def __init__(self, recorder: Recorder, trigger: int) -> None:
        self.middleware = SummarizationMiddleware(
            LangChainRecorder(recorder=recorder),
            trigger=("messages", trigger),
            keep=("messages", KEEP),
            trim_tokens_to_summarize=None,
        )
        self.state: list[BaseMessage] = []
        self.folded = False

    def send(self, history: list[Message], new: int) -> int:
        fresh = [message for message in history[len(history) - new :] if message.role != "system"]
        self.state += convert_to_messages(dump_messages(fresh))
        update = self.middleware.before_model({"messages": self.state}, None)  # type: ignore[arg-type]
        if update is not None:
            self.state, self.folded = update["messages"][1:], True  # the first says: remove all
        return len(self.state) - self.folded


class Guide:
    """Guide A's rule: the trigger looks at the stored list; the summary so far and what is new are folded."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder, self.summary, self.seen = recorder, "", 0

    def send(self, history: list[Message], new: int) -> int:
        if len(history) > MOST:
            added = "\n".join(f"{m.role}: {content_text(m)}" for m in history[self.seen : -KEEP])
            prompt = f"Previous summary:\n{self.summary}\n\nAdded messages:\n{added}\n\nSummarize both."
            self.summary = content_text(run(self.recorder.chat([Message.user(prompt)])).message)
            self.seen = len(history) - KEEP
        return len(history) - self.seen


def alternating(length: int) -> list[Message]:
    """Questions and answers of some 30 tokens."""
    said = "The tide turns at {}:{:02d}, so the ferry to pier {} waits until the water is high enough for it."
    return [
        Message(("user", "assistant")[i % 2], f"{i}. " + said.format(i % 24, i % 60, i))
        for i in range(length)
    ]


def with_tools(times: int) -> list[Message]:
    """The sample `harbour` lived through again and again: one system prompt, single and parallel calls."""
    prompt, *turns = load_sample("harbour")
    again = [
        replace(message, content=message.content and f"{message.content} (day {day})")
        for day in range(times)
        for message in turns
    ]
    return [prompt, *again]


def grow(history: list[Message], way: Ours | LangChain | Guide) -> int:
    """Send at each length at which no call waits for its result; how many messages are kept in the end."""
    kept = new = waiting = 0
    for end, message in enumerate(history, start=1):
        new += 1
        waiting += len(message.tool_calls) - (message.role == "tool")
        if waiting == 0:
            kept, new = way.send(history[:end], new), 0
    return kept


def compare(table: Table, history: list[Message], calls: int | None) -> None:
    """All ways on one conversation; `calls` is how many summary calls the kit makes, where that is fixed."""
    recorders = [Recorder() for _ in table.columns]
    ways = [
        Ours(recorders[0]),
        LangChain(recorders[1], MOST + 1),
        LangChain(recorders[2], MOST),
        Guide(recorders[3]),
    ]
    kept = [grow(history, way) for way in ways]
    made = [len(recorder.requests) for recorder in recorders]
    tokens = [recorder.tokens for recorder in recorders]
    spoken = [message for message in history if message.role != "system"]
    folded = [spoken[: len(spoken) - count] for count in kept]
    unread = [recorder.unread(messages) for recorder, messages in zip(recorders, folded, strict=True)]
    if calls is None:
        table.row("summary calls", *made, at_most=min(made[1:3]), because="LangChain's")
    else:
        table.row("summary calls", *made, exactly=calls)
    table.row("input of the summariser, tokens", *tokens, at_most=min(tokens[1:3]), because="LangChain's")
    table.row("folded, and in no request", *unread, exactly=0)
    table.row("kept in the end, word for word", *kept, at_most=MOST - 1, because="with the summary 20")
    grow(history, ways[0])
    table.row("calls when all is sent again", len(recorders[0].requests) - made[0], exactly=0)


def main() -> None:
    table = Table("ctxkit", "LangChain at 21", "LangChain at 20", "guide A", width=40)
    for name, history, calls in (
        ("alternating messages", alternating(200), 12),
        ("messages with tool calls", with_tools(6), None),
    ):
        table.heading(f"{len(history)} {name}, {counter.count_all(history):,} tokens")
        compare(table, history, calls)
    table.finish()


if __name__ == "__main__":
    main()
