"""Facts asked of a real `OllamaModel`, whose server answers from what it was sent."""

from __future__ import annotations

import pytest

from ctxkit import (
    Fact,
    KeepRecentMessages,
    KeepWithinTokens,
    OllamaModel,
    Quiz,
    Strategy,
    SummarizeOldMessages,
    run,
    simulate,
)
from ctxkit.models import errors
from tests.fakes import FakeModel
from tests.histories import A, C, S, T, U
from tests.servers.ollama import OllamaServer
from tests.servers.script import Page, error, says

QUESTION = "How many hens does Ada keep?"
QUIZ = Quiz([Fact(QUESTION, ["12|twelve"], [1]), Fact("What did the tide table say?", ["14:20"], [5])])
TALK = [
    S(),
    U("Ada keeps 12 hens."),
    A("Noted."),
    U("When is high tide?"),
    C("t1", name="tide_table"),
    T("t1", "High tide at 14:20."),
    A("In the afternoon."),
    U("It rains."),
    A("So it does."),
    U("And now?"),
]


class ReadingServer(OllamaServer):
    """Says again whatever it has read that holds a figure. failing: requests that are refused before that."""

    failing = 0

    def _reply(self, body, prompt, read):
        if self.failing:
            self.failing -= 1
            return error(500, "the model runner has stopped")
        read_texts = [m.get("content", "") for m in prompt]
        figures = [text for text in read_texts if any(letter.isdigit() for letter in text)]
        return says(" ".join(figures) or "Nobody said.", prompt_eval_count=read, eval_count=4)


@pytest.fixture
def server():
    with ReadingServer() as running:
        yield running


def asked(server, *strategies, num_ctx=4096):
    model = OllamaModel("llama3.2", host=server.url, num_ctx=num_ctx)
    return run(simulate(TALK, strategies, 4_096, quiz=QUIZ, reader=model))


def test_it_knows_what_it_is_sent_and_is_asked_no_more_than_needed(server):
    simulation = asked(server, Strategy("all"), Strategy("last", [KeepRecentMessages(2)]))
    assert [turn.known for turn in simulation["all"].turns] == [
        (True, None),
        (True, None),
        (True, True),
        (True, True),
        (True, True),
    ]
    assert simulation["last"].turns[-1].known == (False, False)
    last = [chat["messages"][-1] for chat in server.chats]
    assert {m["content"] for m in last} == {fact.question for fact in QUIZ}
    assert {m["role"] for m in last} == {"user"}
    assert len(server.chats) < 2 * 2 * len(simulation["all"].turns)


def test_calls_and_results_go_over_the_wire(server):
    asked(server, Strategy("all"))
    sent = server.chats[-1]["messages"]
    assert [m["role"] for m in sent] == ["system", "user", "assistant", "user", "assistant", "tool", "user"]
    assert sent[4]["tool_calls"][0]["function"]["name"] == "tide_table"
    assert sent[5]["content"] == "High tide at 14:20."


def test_what_the_server_drops_in_silence_is_not_known(server):
    known = asked(server, Strategy("all"), num_ctx=10)["all"].turns[-1].known
    assert known[0] is False and len(server.prompts[-1]) < len(server.chats[-1]["messages"])


def test_a_summary_of_a_fake_is_read_by_the_server(server):
    told = SummarizeOldMessages(FakeModel("12 hens are there."), 4, 2)
    forgot = SummarizeOldMessages(FakeModel("They spoke of animals."), 4, 2)
    simulation = asked(server, Strategy("told", [told]), Strategy("forgot", [forgot]))
    assert [course.turns[-1].known[0] for course in simulation.courses] == [True, False]


def test_a_call_that_is_refused_asks_nobody(server):
    turns = asked(server, Strategy("tiny", [KeepWithinTokens(8)]))["tiny"].turns
    assert {turn.known for turn in turns} <= {(False, None), (False, False)}
    assert server.chats == []


def test_a_server_that_fails_is_named_and_the_simulation_can_be_run_again(server):
    server.failing = 1
    with pytest.raises(errors.ModelError):
        asked(server, Strategy("all"))
    assert asked(server, Strategy("all"))["all"].turns[-1].known == (True, True)


def test_a_model_that_is_not_there_is_named():
    with OllamaServer(models={}) as server, pytest.raises(errors.ModelNotPulled):
        asked(server, Strategy("all"))


def test_a_page_that_is_no_answer_is_named():
    page = Page(200, "<html>", "text/html")
    with OllamaServer(pages={"/api/chat": page}) as server, pytest.raises(errors.ModelError):
        asked(server, Strategy("all"))
