"""Talks with threads for tests: a model whose replies and summaries are told apart, and one way to listen."""

from __future__ import annotations

from ctxkit import run
from ctxkit.transforms.summaries.transcript import BEGIN
from tests.fakes import FakeModel

GUIDE = [
    "Hello! My name is Ada.",
    "What is my name?",
    "I work as a lighthouse keeper.",
    "My hobby is reading research papers.",
]
"""The four messages of guide B's example."""


class Talker:
    """Answers replies from one fake and summary requests from another; `failing` makes either raise."""

    name = "talker"

    def __init__(self, *replies, summaries=()):
        self.talk = FakeModel(*(replies or ("Fine.",)))
        self.notes = FakeModel(*(summaries or ("They spoke.",)))

    async def chat(self, messages, tools=()):
        asked = len(messages) == 2 and str(messages[0].content or "").find(BEGIN) >= 0
        return await (self.notes if asked else self.talk).chat(messages, tools)


async def listen(thread, text):
    """All events of a turn."""
    return [event async for event in thread.send(text)]


def say(thread, *texts):
    """Send texts one after the other; gives the events of the last turn."""
    events = []
    for text in texts:
        events = run(listen(thread, text))
    return events


def kinds(events):
    return [event.kind for event in events]


def texts(messages):
    return [message.content for message in messages]
