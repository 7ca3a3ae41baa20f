"""Questions to the window lab: each answer stands under its own question, with the window that gave it."""

from __future__ import annotations

from ctxkit import WindowLab
from tests.fakes import FakeModel
from tests.histories import A, U
from tests.window_labs import enter, long_talk


def test_the_same_question_beside_another_strategy():
    lab = WindowLab(strategy="Summarise old")
    ours, beside = lab.asking.as_text().splitlines()
    assert ours.startswith("With Summarise old (20, 5): ✓ Found in the summary.")
    assert beside.startswith("With Keep recent 10: ✕ Not found in this window.")
    lab.asking.beside.value = "Send everything"
    assert "Nobody to ask: the call is refused." in lab.asking.as_text().splitlines()[1]
    lab.settings.window.value = 4_000
    assert "With Send everything: ✓ Found in message 1." in lab.asking.as_text()
    lab.strategy = "Send everything"
    assert len(lab.asking.as_text().splitlines()) == 1


def test_an_answer_that_is_not_sure_is_shown_as_one():
    lab = WindowLab([U("The bus leaves at 10:15."), A("Good.")], strategy="Send everything")
    enter(lab.asking, "When does the morning bus leave?")
    assert lab.asking.page.state["answers"][0] == [
        "unsure",
        "With Send everything",
        "? Perhaps in message 0.",
        '"The bus leaves at 10:15."',
    ]


def test_what_is_no_question_gets_no_verdict():
    lab = WindowLab(strategy="Keep recent")
    enter(lab.asking, "Hello")
    kind, _, lead, quote = lab.asking.page.state["answers"][0]
    assert (kind, lead) == ("none", "") and quote.startswith("I have read this.")


def test_an_answer_of_two_parts_is_sure_only_of_both():
    lab = WindowLab(
        [U("The bus leaves at 10:15. The boat costs 7 euros."), A("Good.")], strategy="Send everything"
    )
    for question, kind in (
        ("When does the bus leave, and what does the boat cost?", "found"),
        ("When does the morning bus leave, and what does the boat cost?", "unsure"),
        ("When does the morning bus leave, and who steers it?", "unsure"),
    ):
        enter(lab.asking, question)
        assert lab.asking.page.state["answers"][0][0] == kind, question


def test_an_answer_does_not_stay_under_another_question():
    lab = WindowLab(strategy="Summarise old")
    first = lab.asking.as_text()
    question = lab.asking.box.value
    lab.asking.box.value = "What do many kinds hunt for after dark?"
    changed = [["none", "", "The question has changed: press Enter or Ask.", ""]]
    assert lab.asking.page.state == {"answers": changed}
    assert lab.asking.as_text() == changed[0][2]
    lab.asking.box.value = question + " "
    assert lab.asking.as_text() == first, "the same question again: its answers are there"
    enter(lab.asking, "What do many kinds hunt for after dark?")
    assert "crabs" in lab.asking.as_text()
    lab.asking.box.set_state(
        {"value": "What do many kinds hunt for after dark?"}
    )  # what was typed comes late
    assert "crabs" in lab.asking.as_text()


def test_no_question_is_told_as_such():
    lab = WindowLab(strategy="Summarise old")
    for ask in (lab.asking.button.click, lambda: enter(lab.asking, lab.asking.box.value)):
        lab.asking.box.value = "  "
        ask()
        assert lab.asking.as_text() == "Type a question first."
        lab.asking.box.value = "What do many kinds hunt for after dark?"
        assert lab.asking.as_text() == "The question has changed: press Enter or Ask."
        ask()
        assert "crabs" in lab.asking.as_text()
        lab.asking.box.value = ""
    untouched = WindowLab([A("Hello.")])
    assert untouched.asking.as_text().startswith("Press Ask")
    untouched.asking.box.value = "Who?"
    assert untouched.asking.as_text().startswith("Press Ask")


def test_other_words_of_a_page_are_no_enter():
    lab = WindowLab(long_talk())
    for content in ({}, {"text": 5}, {"event": "submit"}, "text", None):
        lab.asking.enter._handle_custom_msg(content, [])
    assert lab.asking.as_text().startswith("Press Ask")


def test_a_long_window_is_read_when_asked_and_not_at_each_step():
    talk = [*long_talk(), U("The ferry leaves at ten past nine."), A("Fine.")]
    lab = WindowLab(talk, window=9_000)
    assert lab.asking.as_text().startswith("Press Ask")
    lab.asking.box.value = "When does the ferry leave?"
    lab.asking.button.click()
    assert lab.wait(60)
    assert "With Send everything: ✓ Found in message 260." in lab.asking.as_text()
    lab.stepper.go(250)
    assert lab.wait(60) and lab.asking.as_text() == "The window has changed since: press Ask again."


def test_a_real_model_is_asked_on_its_button_only():
    model = FakeModel("A sponge <b>.")
    lab = WindowLab(strategy="Keep recent", model=model)
    for at in (30, 20, 40):
        lab.stepper.go(at)
    lab.asking.beside.value = "Summarise old"
    assert model.requests == []
    lab.asking.job.start()
    assert lab.asking.job.wait(60) == "done"
    assert [len(request) for request in model.requests] == [11, 11]
    assert all(request[-1].content == lab.asking.question for request in model.requests)
    assert lab.asking.job.status == (
        f"Done. Asked “{lab.asking.question}”. "
        "With Keep recent 10: “A sponge <b>.” With Summarise old (20, 5): “A sponge <b>.”"
    )
