"""`Agent`: asks a model, runs the tools it calls, and goes on until it answers.

Contract: transforms are applied to what is stored before each call and never change it; a request over the
window is refused before it is sent, and so is one with nothing to answer; what a model only thought is no
answer and is not stored; parallel calls run at the same time and their results are stored in call
order; every call is recorded with what was sent. It can be stopped at any await: a reply is stored together
with its results, and a result that was not finished says so, so the conversation stays sound and no finished
work is lost. Calls of one reply that share an id are stored with ids of their own: both are run, and each
keeps its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from ctxkit._arguments import chat_model, whole_number
from ctxkit._links import unique_calls
from ctxkit.agent.conversation import Conversation
from ctxkit.agent.tools import Tool, tool
from ctxkit.messages import Message, ToolCall
from ctxkit.messages.marks import STOPPED
from ctxkit.models.answers import answer_of
from ctxkit.models.base import ChatModel, Reply, Usage
from ctxkit.models.requests import check_answerable
from ctxkit.tokens.reuse import prefix_reuse
from ctxkit.transforms.base import MessageTransform, Outcome
from ctxkit.transforms.pipeline import Pipeline
from ctxkit.window import BudgetImpossible, ContextWindow, WindowUsage


@dataclass(frozen=True)
class ModelCall:
    """One call of the model.

    sent: the messages, as sent. reply: what came back. outcome: what the transforms did and why. window: what
    the request took of the window, None without one. reused: prompt tokens that the call before in this run
    had sent already (default 0).
    """

    sent: list[Message]
    reply: Reply
    outcome: Outcome = field(repr=False)
    window: WindowUsage | None = None
    reused: int = 0

    @property
    def usage(self) -> Usage:
        """Tokens that the server reported."""
        return self.reply.usage


@dataclass(frozen=True)
class Run:
    """What a run came to.

    reply: the last assistant message. calls: each call of the model. finished: False when `max_steps` ended
    it.
    """

    reply: Message
    calls: list[ModelCall] = field(repr=False)
    finished: bool = True


class Agent:
    """A model with tools and transforms.

    model: any `ChatModel`. tools: from `tool`, or typed functions. transforms: applied in this order. window:
    a `ContextWindow` that no request may exceed (default None: not checked). max_steps: calls of the model in
    one run (default 8). Raises ValueError for two tools of one name, TypeError for other values.

    >>> from ctxkit import Reply, run
    >>> class Fake:
    ...     async def chat(self, messages, tools=()):
    ...         return Reply(Message.assistant("30.0"))
    >>> talk = Conversation()
    >>> talk.add_user("What is 15% of 200?")
    >>> run(Agent(Fake()).run(talk)).reply.content, len(talk)
    ('30.0', 2)
    """

    def __init__(
        self,
        model: ChatModel,
        tools: Sequence[object] = (),
        transforms: Sequence[MessageTransform] = (),
        window: ContextWindow | None = None,
        max_steps: int = 8,
    ) -> None:
        if window is not None and not isinstance(window, ContextWindow):
            got = f"got {type(window).__name__}; write ContextWindow({window!r})"
            raise TypeError(f"window: expected a ContextWindow, {got}")
        self.model, self.window = chat_model(model), window
        if callable(tools):
            raise TypeError(
                f"tools: expected a list of tools, got {type(tools).__name__}; put it in brackets"
            )
        self.tools = [given if isinstance(given, Tool) else tool(given) for given in tools]  # type: ignore[arg-type]
        names = [t.name for t in self.tools]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"tools: two tools have the name {twice[0]!r}")
        self.pipeline = Pipeline(transforms)
        self.max_steps = whole_number("max_steps", max_steps, minimum=1)

    async def run(self, conversation: Conversation) -> Run:
        """Answer the conversation's last message; replies and results are appended to it.

        A user message that is appended meanwhile stays behind the answer to what came before it. Raises
        RequestRefused when there is nothing to answer, BudgetImpossible for a request over the window,
        EmptyReply for a reply that is no answer, and what the model raises; the conversation then ends with
        what was finished. TypeError for anything but a `Conversation`.
        """
        if not isinstance(conversation, Conversation):
            got = f"got {type(conversation).__name__}; write Conversation(messages)"
            raise TypeError(f"conversation: expected a Conversation, {got}")
        calls: list[ModelCall] = []
        while True:
            asked = conversation.messages
            calls.append(await self._call(asked, calls[-1].sent if calls else []))
            reply = _with_own_ids(answer_of(calls[-1].reply))
            if not reply.tool_calls:
                conversation.append(reply, after=asked)
                return Run(reply, calls)
            await self._answer(conversation, asked, reply)
            if len(calls) == self.max_steps:
                return Run(reply, calls, finished=False)

    async def _call(self, asked: list[Message], before: list[Message]) -> ModelCall:
        schemas = [t.schema for t in self.tools]
        outcome = await self.pipeline.apply(asked, tools=schemas)
        check_answerable(outcome.messages)
        usage = self.window.measure(outcome.messages, schemas) if self.window else None
        if usage is not None and usage.status == "over":
            sent = [source for source in outcome.sources if source is not None]
            raise BudgetImpossible(sent, usage.total, usage.limit - usage.reserve)
        reply = await self.model.chat(outcome.messages.copy(), tools=schemas)  # it may work on what it gets
        return ModelCall(outcome.messages, reply, outcome, usage, prefix_reuse(before, outcome.messages))

    async def _answer(self, conversation: Conversation, asked: list[Message], reply: Message) -> None:
        """Run all calls of a reply at the same time, and store it with its results."""
        import asyncio

        tasks = [asyncio.ensure_future(self._result(call)) for call in reply.tool_calls]
        try:
            await asyncio.gather(*tasks)
        finally:
            conversation.append(reply, after=asked)
            for call, task in zip(reply.tool_calls, tasks, strict=True):
                done = task.done() and not task.cancelled() and task.exception() is None
                result = Message.tool(task.result() if done else STOPPED, call.id, call.name)
                conversation.append(result if done else replace(result, kind="placeholder"), after=asked)
                task.cancel()

    async def _result(self, call: ToolCall) -> str:
        found = next((t for t in self.tools if t.name == call.name), None)
        if found is None:
            there_are = ", ".join(t.name for t in self.tools) or "none"
            return f"Error: there is no tool {call.name!r}. Tools: {there_are}."
        return await found.run(call.arguments)


def _with_own_ids(reply: Message) -> Message:
    """The reply, each of its calls with an id that no other call of it has."""
    if len(unique_calls(reply)) == len(reply.tool_calls):
        return reply
    taken = {call.id for call in reply.tool_calls}
    calls: dict[str, ToolCall] = {}
    for call in reply.tool_calls:
        if call.id in calls:
            own = next(new for number in count(2) if (new := f"{call.id}_{number}") not in taken)
            taken.add(own)
            call = replace(call, id=own)
        calls[call.id] = call
    return replace(reply, tool_calls=tuple(calls.values()))
