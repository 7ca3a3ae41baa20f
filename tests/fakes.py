"""Fake models for tests: they answer as told, fail as told, and remember what they were sent."""

from __future__ import annotations

import asyncio

from ctxkit import Message, Reply, ToolCall

FAULTS = {
    "raises": ConnectionError("chunked"),
    "times out": TimeoutError("no answer"),
    "empty": "",
    "blank": "  \n",
    "nothing": Message.assistant(None),
    "skeleton": "Summary:",
    "only thinks": "<think>never closed",
    "only thinks in a part": Message.assistant([{"type": "thinking", "thinking": "long"}]),
    "thinks apart": Reply(Message.assistant(""), thinking="long"),
    "calls a tool": Message.assistant(None, [ToolCall("x", "read_logs", {})]),
    "longer than its input": "word " * 3000,
    "was sent a request that the server cut": Reply(Message.assistant("They counted."), prompt_cut=True),
    "ends at a limit": Reply(Message.assistant("They cou"), done_reason="length"),
}
"""What a summariser may do wrong: each must leave history and cache as they were."""


class FakeModel:
    """Answers in turn from `answers`, the last one for ever; an exception among them is raised."""

    name = "fake"

    def __init__(self, *answers):
        self.answers = list(answers) or ["They counted."]
        self.requests = []
        self.offered = []

    async def chat(self, messages, tools=()):
        self.requests.append(list(messages))
        self.offered.append(tuple(tools))
        await asyncio.sleep(0)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = answer(messages)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Reply):
            return answer
        return Reply(answer if isinstance(answer, Message) else Message.assistant(answer))

    @property
    def read(self):
        """All text that it was sent."""
        return "\n".join(str(m.content) for request in self.requests for m in request)
