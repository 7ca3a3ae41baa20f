"""The loop of a turn: what `SummaryThread` promises is done here, node by node.

Each node commits what it did before anything is told about it. Nothing is held while an event is given, so a
caller may stop listening at any time, or send again in the middle.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress

from ctxkit.agent import Agent, Conversation
from ctxkit.history import repair
from ctxkit.messages import Message
from ctxkit.models.base import window_of
from ctxkit.models.errors import WindowExceeded
from ctxkit.stores.base import ThreadStore
from ctxkit.stores.errors import StoreError, ThreadConflict
from ctxkit.stores.values import Change, Snapshot
from ctxkit.threads.condition import Condition, asked_at
from ctxkit.threads.state import Kind, Node, NoReply, ThreadEvent, prompt_of
from ctxkit.transforms.summaries.folding import fold_messages
from ctxkit.transforms.summaries.locks import KeyedLocks
from ctxkit.transforms.summaries.summariser import Summariser

_REPLY: tuple[Kind, Node] = ("reply", "model")
_TOOL: tuple[Kind, Node] = ("tool", "tools")


class Loop:
    """The nodes of the graph, for one thread.

    store, thread_id: where it is kept. agent: one step of model and tools. condition: when to summarise.
    summariser: how. max_steps: calls of the model in one turn.
    """

    def __init__(
        self,
        store: ThreadStore,
        thread_id: str,
        agent: Agent,
        condition: Condition,
        summariser: Summariser,
        max_steps: int,
    ) -> None:
        self.store, self.thread_id, self.max_steps = store, thread_id, max_steps
        self.agent, self.condition, self.summariser = agent, condition, summariser
        self._summarising = KeyedLocks()
        self.seen = store.read(thread_id)

    def named(self, thread_id: str) -> Loop:
        """The same for another thread of the store."""
        return Loop(self.store, thread_id, self.agent, self.condition, self.summariser, self.max_steps)

    def look(self) -> Snapshot:
        """The thread as the store has it now; what follows builds on that."""
        self.seen = self.store.read(self.thread_id, self.seen)
        return self.seen

    def commit(self, at: Snapshot, change: Change) -> Snapshot:
        """Change the thread that was seen as `at`. After a ThreadConflict it has seen what won."""
        try:
            self.seen = self.store.commit(self.thread_id, at, change)
        except StoreError as error:
            error.unsaved = change.added
            if isinstance(error, ThreadConflict):
                self.look()
            raise
        return self.seen

    async def turn(self, message: Message) -> AsyncIterator[ThreadEvent]:
        """A user's message and all that follows from it."""
        at, window = self.seen, window_of(self.agent.model)
        waits = self._waits(at, message, window)
        if not waits and not self._can_fit(at, window, (message,)):  # stored, it would be in the way for ever
            failure = self._over(at, window, (message,))
            yield ThreadEvent("error", "user", at.checkpoint, error=failure)
            raise failure
        if not waits:
            at = self.commit(at, Change("user", (message,)))
        yield ThreadEvent("user", "user", at.checkpoint, message)
        failure: Exception | None = None
        told: list[ThreadEvent] = []  # of summaries that had to be made before a call of the model
        for _ in range(self.max_steps):
            if self._is_over(at, window) and self._can_fit(at, window) and "error" not in _kinds(told):
                at, events = await self.summarise(at, window)
                told += events
                for event in events:
                    yield event
            if self._is_over(at, window):
                failure = self._over(at, window)
                break
            try:
                at, made = await self._step(at)
            except Exception as error:
                failure = error
                break
            answered = not made[0].tool_calls
            for one in made:
                yield ThreadEvent(*(_REPLY if answered else _TOOL), at.checkpoint, one)
            if answered:
                break
        else:
            failure = NoReply(f"no reply after {self.max_steps} calls of the model; send again to go on")
        if failure is not None:
            yield ThreadEvent("error", "model", at.checkpoint, error=failure)
            raise failure
        if not told:
            for event in (await self.summarise(at))[1]:
                yield event

    def _waits(self, at: Snapshot, message: Message, window: int | None) -> bool:
        """Whether a message waits for its answer already: as the last one, or with what its tools gave."""
        asked = asked_at(at.live)
        if not asked or at.live[asked - 1] != message:
            return False
        # What its tools gave stays with a question. Where that is too much, the question is asked anew, and
        # what came before is summarised first.
        return asked == len(at.live) or self._can_fit(at, window)

    def _is_over(self, at: Snapshot, window: int | None) -> bool:
        return window is not None and self.condition.tokens(at) > window

    def _can_fit(self, at: Snapshot, window: int | None, added: tuple[Message, ...] = ()) -> bool:
        return window is None or self.condition.can_fit(at, window, added)

    def _over(self, at: Snapshot, window: int | None, added: tuple[Message, ...] = ()) -> WindowExceeded:
        """The error for a prompt that does not fit. added: a message that was not stored for that reason."""
        assert window is not None, "where no window is known, nothing is over it"
        tokens, fixed = self.condition.tokens(at, added), self.condition.fixed(at)
        most = f", {fixed:,} of them for system messages and tool schemas" if fixed > window // 2 else ""
        what = (
            "The message was not stored: send a shorter one"
            if added
            else "All that was said and done is stored: send the same text again, and it is summarised first"
        )
        return WindowExceeded(
            f"The prompt has about {tokens:,} tokens{most}, but the model's window {window:,}, so it was not "
            f"sent. {what}, or raise num_ctx.",
            tokens=tokens,
            limit=window,
        )

    async def _step(self, at: Snapshot) -> tuple[Snapshot, list[Message]]:
        """The nodes "model" and "tools": one call of the model, and of the tools that it calls; committed."""
        sent = prompt_of(at)
        talk = Conversation(sent)
        try:
            run = await self.agent.run(talk)
        except BaseException:
            stopped = repair(talk.messages[len(sent) :])
            if stopped:  # in the middle of the tools: what was finished is kept
                with suppress(StoreError):
                    self.commit(at, Change("tool", tuple(stopped)))
            raise
        made = repair(talk.messages[len(sent) :])
        return self.commit(at, Change("reply" if run.finished else "tool", tuple(made))), made

    async def summarise(self, at: Snapshot, window: int | None = None) -> tuple[Snapshot, list[ThreadEvent]]:
        """The nodes "check" and "summarise": the state after them, and what happened.

        window: tokens that must do, where the question is not whether there are too many messages.
        """
        try:
            async with self._summarising.hold(self.thread_id):  # of several tasks, one pays
                now = self.store.read(self.thread_id, at)
                if now.end != at.end:  # the thread went on: whoever did that looks after it
                    return at, []
                cut = (
                    self.condition.cut(now) if window is None else self.condition.cut_for_window(now, window)
                )
                if not cut:
                    return now, []
                removed, calls = now.live[:cut], self.summariser.tally()
                needed = window is not None
                summary = await fold_messages(self.summariser, now.summary, removed, calls, needed=needed)
                after = self.commit(now, Change("summary", removed=cut, summary=summary))
        except Exception as error:
            return at, [ThreadEvent("error", "summarise", at.checkpoint, error=error)]
        return after, [
            ThreadEvent("removed", "summarise", after.checkpoint, removed=removed),
            ThreadEvent("summary", "summarise", after.checkpoint, summary=summary),
        ]


def _kinds(events: list[ThreadEvent]) -> set[Kind]:
    return {event.kind for event in events}
