"""A model that is asked each question once: what it remembers, and how much."""

from __future__ import annotations

import asyncio

import pytest

from ctxkit import Message, Reply, run
from ctxkit.models import remembered
from ctxkit.models.remembered import Remembered


class Echo:
    """Says what it was asked last, after others had their turn."""

    name = "echo"

    def __init__(self):
        self.asked = []

    async def chat(self, messages, tools=()):
        self.asked.append(messages[-1].content)
        await asyncio.sleep(0)
        return Reply(Message.assistant(f"{messages[-1].content}, in {messages[0].kind}"))


def ask(model, *texts, kind="message", tools=()):
    return run(model.chat([Message("user", text, kind=kind) for text in texts], tools)).message.content


def test_the_same_request_is_asked_once_and_another_is_not_mistaken_for_it():
    echo = Echo()
    model = Remembered(echo)
    for _ in range(2):
        assert ask(model, "Hi", "Bye") == "Bye, in message"
        assert ask(model, "Bye") == "Bye, in message"
        assert ask(model, "Bye", kind="summary") == "Bye, in summary"
    assert model.asked == len(echo.asked) == 3


def test_a_request_with_tools_is_always_passed_on():
    echo = Echo()
    model = Remembered(echo)
    for _ in range(2):
        ask(model, "Hi", tools=[{"name": "clock"}])
    assert (len(echo.asked), model.asked) == (2, 0)


def test_a_failure_is_not_remembered():
    class Broken:
        def __init__(self):
            self.calls = 0

        async def chat(self, messages, tools=()):
            self.calls += 1
            raise ConnectionError("no")

    broken = Broken()
    model = Remembered(broken)
    for _ in range(2):
        with pytest.raises(ConnectionError):
            ask(model, "Hi")
    assert broken.calls == 2


@pytest.mark.parametrize("limit", ["KEPT_REPLIES", "KEPT_MESSAGES"])
def test_the_request_that_was_not_asked_for_longest_goes_first(monkeypatch, limit):
    monkeypatch.setattr(remembered, limit, 2)
    echo = Echo()
    model = Remembered(echo)
    for text in ("one", "two", "one", "three", "one", "two"):
        ask(model, text)
    assert echo.asked == ["one", "two", "three", "two"]


def test_tasks_that_ask_the_same_at_once_take_the_room_of_one(monkeypatch):
    monkeypatch.setattr(remembered, "KEPT_MESSAGES", 3)
    echo = Echo()
    model = Remembered(echo)

    async def at_once():
        await asyncio.gather(*(model.chat([Message.user("one")]) for _ in range(5)))

    run(at_once())
    before = len(echo.asked)
    for text in ("two", "three", "one", "two", "three"):
        ask(model, text)
    assert echo.asked[before:] == ["two", "three"]
