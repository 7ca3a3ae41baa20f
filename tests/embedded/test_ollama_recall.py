"""Facts asked of an Ollama-compatible server with a real model behind it."""

from __future__ import annotations

import pytest

from ctxkit import Fact, KeepRecentMessages, OllamaModel, Quiz, Strategy, run, simulate
from ctxkit.models.embedded.files import model_file
from ctxkit.models.embedded.llama import open_llama
from tests.histories import A, U
from tests.servers.embedded import KEY, EmbeddedOllamaServer

TALK = [
    U("The ferry leaves at 14:20."),
    A("Noted."),
    U("My cat is called Plum."),
    A("A good name."),
    U("It rains."),
]
QUIZ = Quiz(
    [
        Fact("When does the ferry leave?", ["14:20"], [0]),
        Fact("What is my cat called?", ["Plum"], [2]),
    ]
)


@pytest.fixture(scope="module")
def server(available):
    with EmbeddedOllamaServer(open_llama(model_file(), 1024, KEY), num_predict=24) as running:
        yield running


def test_a_real_model_knows_what_it_is_sent_and_nothing_else(server):
    model = OllamaModel("smollm2:135m", host=server.url, num_ctx=1024)
    strategies = [Strategy("all"), Strategy("last", [KeepRecentMessages(1)])]
    simulation = run(simulate(TALK, strategies, 1_024, quiz=QUIZ, reader=model))
    assert [turn.known for turn in simulation["all"].turns] == [(True, None), (True, True), (True, True)]
    assert [turn.known for turn in simulation["last"].turns] == [(True, None), (False, True), (False, False)]
    asked = [chat["messages"][-1]["content"] for chat in server.chats]
    assert {*asked} == {fact.question for fact in QUIZ}
    assert (
        len(asked) == 2 + 4
    )  # as long as all is sent, once for each fact; else with its message and without
