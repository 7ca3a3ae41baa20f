"""`SummaryThread`: a conversation that summarises itself and survives its kernel.

Guide B's graph (a LangGraph how-to) with its faults mended: model, tools, a condition, and a node that
extends the summary and removes old messages from the state.

Contract:

- Every step is committed before its event is given: the user's message, a call of tools with its results, the
  reply, and the new summary together with the removal it stands for. So the state is sound at any time, and
  stopping, at any await or by `kill -9`, loses at most the step in flight. Tools that were stopped have a
  result that says so.
- A turn that has its reply is never spoiled by its summary: whatever the summariser does wrong becomes an
  "error" event, the state stays as it is, and the next turn tries again.
- When the model itself fails, an "error" event is given and then the exception. The user's message stays, not
  answered, and with it what its tools did; sending the same text again is the second try, which goes on from
  there and stores nothing twice; other text follows it.
- Nothing is sent that is over the model's `num_ctx`, where it has one, in any call of a turn. What came
  before the question is summarised first; if that cannot be enough, WindowExceeded is raised. A message that
  can never fit is not taken in.
- Two writers of one thread, in one process or in several: each builds on the state that it has seen. The one
  that comes late with its messages gets `ThreadConflict` (with the messages, and after that it sees what the
  other wrote). A summary is no conflict: it only takes the oldest, and is merged.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from ctxkit._arguments import counter_or_none, text, whole_number
from ctxkit.agent import Agent
from ctxkit.messages import Message
from ctxkit.models.base import ChatModel, window_of
from ctxkit.stores.base import ThreadStore
from ctxkit.stores.errors import ThreadExists
from ctxkit.stores.values import Checkpoint, Snapshot
from ctxkit.threads.state import ThreadEvent, ThreadState, state_of
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.summaries.summariser import INSTRUCTION, Summariser

if TYPE_CHECKING:
    from ctxkit.threads.graph import Graph


class SummaryThread:
    """A thread in a store: send it messages, it answers, and keeps a running summary.

    model: any `ChatModel`; it answers and it summarises. store: a `MemoryStore` or `SqliteStore`. thread_id:
    the name of the thread there; a new one begins empty. max_messages: more than that many, the head not
    counted, are summarised after the reply (default 6). keep: how many newest stay word for word (default 2;
    more where a call must stay with its results). language: of the summary, such as "French" (default None:
    not said). tools: typed functions or `Tool`s that the model may call. max_tokens: a second trigger, tokens
    of all that is sent (default None). summary_tokens: cap of the summary (default 400; never more than a
    quarter of max_tokens). request_tokens: size of a whole summary request (default the model's `num_ctx`
    where it has one, else 8,192). max_steps: calls of the model in one turn (default 8). instruction: the
    last message of a summary request. counter: default a shared cl100k_base counter. Raises TypeError or
    ValueError for other values, and what the store raises.

    >>> from ctxkit import MemoryStore, OfflineModel, run
    >>> thread = SummaryThread(OfflineModel(), MemoryStore(), "harbour", max_messages=2, keep=0)
    >>> async def say(text):
    ...     return [event.kind async for event in thread.send(text)]
    >>> run(say("Hello, my name is Ada.")), run(say("I work as a lighthouse keeper."))
    (['user', 'reply'], ['user', 'reply', 'removed', 'summary'])
    >>> len(thread.state.messages), "Ada" in thread.state.summary
    (0, True)
    """

    def __init__(
        self,
        model: ChatModel,
        store: ThreadStore,
        thread_id: str,
        max_messages: int = 6,
        keep: int = 2,
        language: str | None = None,
        tools: Sequence[object] = (),
        *,
        max_tokens: int | None = None,
        summary_tokens: int = 400,
        request_tokens: int | None = None,
        max_steps: int = 8,
        instruction: str = INSTRUCTION,
        counter: TokenCounter | None = None,
    ) -> None:
        from ctxkit.threads.condition import Condition  # here and below: late, for the price of the import
        from ctxkit.threads.loop import Loop

        if not isinstance(store, ThreadStore):
            raise TypeError(f"store: expected a MemoryStore or SqliteStore, got {type(store).__name__}")
        self.model, self.store, self.thread_id = model, store, _name(thread_id)
        self.max_messages = whole_number("max_messages", max_messages, minimum=1)
        self.keep = whole_number("keep", keep)
        if self.max_messages <= self.keep:
            raise ValueError(f"max_messages: {max_messages} is not above keep, {keep}")
        self.max_tokens = None if max_tokens is None else whole_number("max_tokens", max_tokens, minimum=1)
        self.max_steps = whole_number("max_steps", max_steps, minimum=1)
        self.language = None if language is None else _language(language)
        self.summary_tokens, self.request_tokens = summary_tokens, request_tokens
        self.instruction, self.counter = text("instruction", instruction), counter_or_none(counter)
        cap = whole_number("summary_tokens", summary_tokens, minimum=16)
        if self.max_tokens is not None:
            cap = min(cap, max(16, self.max_tokens // 4))
        window = window_of(model) if request_tokens is None else request_tokens
        summariser = Summariser(
            model,
            counter or shared_counter(),
            cap,
            whole_number("request_tokens", 8_192 if window is None else window, minimum=1),
            instruction + (f" Write the notes in {self.language}." if self.language else ""),
        )
        agent = Agent(model, tools, max_steps=1)
        self.tools = list(agent.tools)
        schemas = [tool.schema for tool in self.tools]
        condition = Condition(self.max_messages, self.keep, self.max_tokens, cap, summariser.counter, schemas)
        self.loop = Loop(store, self.thread_id, agent, condition, summariser, self.max_steps)

    def __repr__(self) -> str:
        state = state_of(self.loop.seen)
        summary = "and a summary" if state.summary else "no summary"
        return f"SummaryThread({self.thread_id!r}: {len(state.messages)} messages, {summary})"

    @property
    def state(self) -> ThreadState:
        """The state as the store has it now; it can be read at any time, also in the middle of a turn."""
        return state_of(self.loop.look())

    def send(self, text: str) -> AsyncIterator[ThreadEvent]:
        """Send a message; gives events as they happen: "user", "tool" ..., "reply", "removed", "summary".

        The same text again, while it waits for its answer, is a second try and is not stored twice. An
        "error" event says that no summary could be made, or, as the last one, that there is no reply; then
        its exception is raised too: what the model raises, WindowExceeded for what does not fit into its
        window, or NoReply when the calls of tools don't end.
        Raises ThreadConflict when somebody else wrote to the thread, and other StoreErrors.
        """
        if not isinstance(text, str):
            raise TypeError(f"send: expected text, got {type(text).__name__}")
        return self.loop.turn(Message.user(text))

    def history(self) -> list[Checkpoint]:
        """The checkpoints of the thread, oldest first."""
        return self.store.history(self.thread_id)

    def state_at(self, checkpoint: int) -> ThreadState:
        """The state at a checkpoint of the history. Raises UnknownCheckpoint."""
        return state_of(self.store.read_at(self.thread_id, checkpoint))

    def branch(self, checkpoint: int, thread_id: str) -> SummaryThread:
        """Go on from an earlier checkpoint, as a new thread with the same settings; this one stays as it is.

        Raises UnknownCheckpoint, and ThreadExists for a name that is in use.
        """
        self.store.branch(self.thread_id, checkpoint, _name(thread_id))
        other = copy(self)
        other.thread_id, other.loop = thread_id, self.loop.named(thread_id)
        return other

    def transcript(self) -> list[Message]:
        """The whole conversation word for word, what is in the summary too: for a lab, or a transform."""
        return self.store.transcript(self.thread_id)

    def dump(self) -> dict[str, Any]:
        """The thread as data for JSON: the whole conversation, and which part the summary stands for."""
        from ctxkit.threads.transcripts import dump_thread

        at = self.loop.look()
        return dump_thread(at, self.transcript()[: at.end])

    def load(self, source: Any) -> None:
        """Begin this thread with a dump, or with a conversation in any form that `load_messages` reads.

        Leading system messages become the head, which is sent each time and never removed. Raises
        ThreadExists when the thread has begun already, TypeError or ValueError for what cannot be read.
        """
        from ctxkit.threads.transcripts import read_thread

        change = read_thread(source)
        if self.loop.look().checkpoint is not None:
            raise ThreadExists(f"thread {self.thread_id!r} has begun already; load into a new one")
        if change.added or change.summary:
            self.loop.commit(Snapshot(), change)

    def graph(self) -> Graph:
        """The loop of a turn as nodes and edges; `ctxkit.threads.graph.mermaid` draws it, a node lit up."""
        from ctxkit.threads.graph import thread_graph

        names = tuple(tool.name for tool in self.tools)
        return thread_graph(self.max_messages, self.keep, self.max_tokens, names)


def _name(thread_id: object) -> str:
    """A thread's name: text that any store can keep."""
    name = text("thread_id", thread_id)
    if not name.strip():
        raise ValueError("thread_id: expected a name, got none")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ValueError("thread_id: half of a surrogate pair cannot be part of a name") from None
    return name


def _language(language: object) -> str:
    name = text("language", language).strip()
    if not name or "\n" in name:
        raise ValueError(f"language: expected the name of a language, such as 'French', got {language!r}")
    return name
