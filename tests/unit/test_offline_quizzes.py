"""The offline reader judged by quizzes: what stands in the window is found, what doesn't is never claimed."""

from __future__ import annotations

import pytest

from ctxkit import Message, repair, run
from ctxkit.messages.text import content_text
from ctxkit.models.offline import OfflineModel
from tests.quizzes import over_new_conversations, over_samples, over_unseen_conversations

IN_OTHER_WORDS = {
    "beehive": 9,
    "bicycle_tour": 8,
    "campervan_repair": 3,
    "camping": 6,
    "clinic": 8,
    "delivery": 8,
    "film_shoot": 8,
    "greenhouse": 4,
    "language_course": 8,
    "library": 6,
    "move_bergen": 3,
    "museum": 6,
    "rowing": 8,
    "theatre_play": 8,
    "vet_migration": 3,
    "web_shop": 6,
    "wedding_barn": 2,
    "farewell": 4,
    "sheep": 4,
    "foodbank": 3,
    "loft": 4,
    "ancestry": 3,
    "pipeline": 7,
    "puppy": 5,
    "chess_club": 6,
    "mountains": 7,
    "washing_machine": 6,
}
"""Quizzes that ask in words of their own, with the number of answers, out of nine or ten each, that are
found: the reader is made to refuse rather than to guess. How it does where nobody looked is in
`test_unseen_conversations`."""
SAMPLES, EVERY = over_samples(), over_new_conversations()
NEW = [quiz for quiz in EVERY if quiz.name not in IN_OTHER_WORDS]
OWN_WORDS = [quiz for quiz in EVERY if quiz.name in IN_OTHER_WORDS]
QUIZZES = [*SAMPLES, *EVERY]
UNSEEN = over_unseen_conversations()
ASKS_WHAT_IS_THERE = {
    *((name, "What is my sister called?") for name in ("ancestry", "loft", "mountains", "puppy")),
    ("farewell", "Who can't eat peanuts?"),
    ("farewell", "Which guest must not eat peanuts?"),
    ("farewell", "Who uses a wheelchair?"),
    ("greenhouse", "Who is our treasurer?"),
    ("bakery", "What is my name?"),
    ("radio", "What is my name?"),
    ("museum", "What is my name?"),
    ("dolphins", "Who will be taking the pictures?"),
    ("phrasebook", "What is my name?"),
    ("harbour", "How many degrees will it be on Saturday?"),
    ("harbour", "Which shop is sold out?"),
    ("vet_migration", "What is my name?"),
    ("vet_migration", "What is my cat called?"),
    ("vet_migration", "How much do the training sessions cost?"),
    ("move_bergen", "What is my cat called?"),
    ("move_bergen", "How much is the rent?"),
    ("move_bergen", "On which day will I drive there?"),
    ("wedding_barn", "What is my sister called?"),
    ("wedding_barn", "Who is allergic to nuts?"),
    ("campervan_repair", "With whom do I book the workshop?"),
    ("camping", "What is my sister called?"),
    ("greenhouse", "How many litres may a barrel have?"),
    ("growing_log", "Which credentials are missing?"),
    ("bicycle_tour", "What is my sister called?"),
    ("clinic", "When is the second test?"),
    ("theatre_play", "What is my name?"),
    ("web_shop", "Until when is the voucher valid?"),
}
"""Questions about one conversation that another answers as well."""
WRONGLY_CLAIMED = {
    ("pipeline", "Where did Tomasz go after he left?"),
    ("chess_club", "What does Dr Hollis do in Lisbon?"),
}
"""What the reader claims though the talk has no answer: nearly every word stands in what it quotes."""
STILL_CLAIMED = {
    ("sheep", "What colour spray are the triplets getting?"),
    ("ancestry", "What did Loveday's father do?"),
}
"""What it claims once the answer is gone: what was said before a change, and a father's deed near by."""
STEP = 7
"""One in so many questions of the other conversations is asked: all of them would take a minute."""
REFUSAL = "The answer is not in the messages I was sent."


def ask(window, question):
    return content_text(run(OfflineModel().chat([*window, Message.user(question)])).message)


def named(quizzes):
    return pytest.mark.parametrize("quiz", quizzes, ids=lambda quiz: quiz.name)


def test_the_quizzes_are_large_enough_and_a_fair_share_has_no_answer():
    asked = [question for quiz in SAMPLES for question in quiz.questions]
    assert len(asked) >= 40 and all(question.messages for question in asked)
    for quiz in EVERY:
        unanswerable = sum(not question.messages for question in quiz.questions)
        assert unanswerable / len(quiz.questions) >= 0.2
    assert sum(len(quiz.questions) for quiz in NEW) >= 40


@named(QUIZZES)
def test_every_quiz_tells_the_truth_about_its_conversation(quiz):
    for question in quiz.questions:
        assert bool(question.messages) == bool(question.expected)
        for index in question.messages:
            text = content_text(quiz.conversation[index]).lower()
            assert all(
                any(s in text for s in expected.lower().split("|")) for expected in question.expected
            ), question


@pytest.mark.parametrize("quizzes", [SAMPLES, NEW], ids=["samples", "new conversations"])
def test_nine_of_ten_answers_in_the_window_are_found(quizzes):
    asked = [(quiz, question) for quiz in quizzes for question in quiz.questions if question.messages]
    missed = [q.text for quiz, q in asked if not q.found_in(ask(quiz.conversation, q.text))]
    assert len(missed) <= len(asked) // 10, missed


@named(OWN_WORDS)
def test_answers_are_found_in_other_words_than_the_message_has(quiz):
    asked = [question for question in quiz.questions if question.messages]
    found = sum(q.found_in(ask(quiz.conversation, q.text)) for q in asked)
    assert len(asked) in (9, 10) and found >= IN_OTHER_WORDS[quiz.name]


@named(EVERY)
def test_no_question_without_an_answer_is_answered(quiz):
    asked = [q.text for q in quiz.questions if not q.messages]
    claimed = {(quiz.name, text) for text in asked if ask(quiz.conversation, text) != REFUSAL}
    assert claimed <= WRONGLY_CLAIMED


@named(QUIZZES)
def test_nothing_is_claimed_once_the_message_with_the_answer_is_gone(quiz):
    for question in quiz.questions:
        window = [message for i, message in enumerate(quiz.conversation) if i not in question.messages]
        assert (
            ask(window, question.text) == REFUSAL
            or (quiz.name, question.text) in STILL_CLAIMED | WRONGLY_CLAIMED
        )


def test_next_to_nothing_is_claimed_about_another_conversation():
    asked = [
        (quiz, question.text)
        for quiz in QUIZZES
        for question in [q for other in QUIZZES if other is not quiz for q in other.questions][::STEP]
    ]
    claimed = {(quiz.name, text) for quiz, text in asked if ask(quiz.conversation, text) != REFUSAL}
    assert len(claimed - ASKS_WHAT_IS_THERE) <= len(asked) / 250


@named(QUIZZES)
def test_what_is_quoted_stands_in_the_message_that_is_named(quiz):
    for question in quiz.questions:
        reply = ask(quiz.conversation, question.text)
        for quotation in reply.partition(" Not in the messages")[0].split("Message ")[1:]:
            index, _, quoted = quotation.strip().partition(" says: ")
            text = content_text(quiz.conversation[int(index)])
            for passage in quoted.strip('"').split('" "'):
                assert passage in text


def test_replies_depend_on_nothing_that_was_asked_before():
    asked = [(quiz, question) for quiz in NEW for question in quiz.questions]
    forwards = [ask(quiz.conversation, question.text) for quiz, question in asked]
    backwards = [ask(quiz.conversation, question.text) for quiz, question in reversed(asked)]
    assert forwards == backwards[::-1]


def test_unseen_conversations():
    """What the reader reaches where nobody looked: more than half of the answers are found, and next to
    nothing is claimed that was never said. These files are for judging; who reads them to mend the reader
    needs new ones.
    """
    asked = [(quiz, question) for quiz in UNSEEN for question in quiz.questions]
    answerable = [(quiz, question) for quiz, question in asked if question.messages]
    open_ones = [(quiz, question) for quiz, question in asked if not question.messages]
    found = sum(q.found_in(ask(quiz.conversation, q.text)) for quiz, q in answerable)
    claimed = sum(ask(quiz.conversation, q.text) != REFUSAL for quiz, q in open_ones)
    lost = sum(
        ask(repair([m for i, m in enumerate(quiz.conversation) if i not in q.messages]), q.text) != REFUSAL
        for quiz, q in answerable
    )
    assert (len(answerable), len(open_ones)) == (40, 20)
    assert found >= 22
    assert claimed <= 1
    assert lost <= 5
