"""The table of everyday words: usable in every line, and no way to tell the reader about a sample."""

from __future__ import annotations

import pytest

from ctxkit import Message, run
from ctxkit.messages.text import content_text
from ctxkit.models.offline import OfflineModel, everyday, meanings
from ctxkit.models.offline.words import is_function, keys
from tests.quizzes import over_samples

TABLE = everyday.TABLE.read_text(encoding="utf-8")
LINES = [line for line in TABLE.splitlines() if line and line[0] not in "#["]
SECTIONS = {
    "verbs",
    "nouns",
    "qualities",
    "persons",
    "organisations",
    "sites",
    "troubles",
    "kin",
    "jobs",
    "kinds",
    "general",
    "wanted",
    "closed",
}


def reply(window, question):
    return content_text(run(OfflineModel().chat([*window, Message.user(question)])).message)


def test_every_section_is_one_that_is_read():
    assert {line.strip("[]") for line in TABLE.splitlines() if line.startswith("[")} == SECTIONS


def test_every_phrase_is_a_verb_with_a_particle_as_passages_have_them():
    for phrase in (word for line in LINES for word in line.replace(":", " ").split() if "_" in word):
        verb, _, particle = phrase.partition("_")
        assert is_function(particle) and not is_function(verb), phrase


def test_it_covers_everyday_english_rather_than_a_few_subjects():
    assert len({word for line in LINES for word in line.replace(":", " ").split()}) > 2_000


@pytest.mark.parametrize(
    "asked, said",
    [
        ("mend", "repaired"),
        ("photograph", "pictures"),
        ("lorry", "truck"),
        ("wages", "salary"),
        ("buy", "bought"),
    ],
)
def test_words_of_one_meaning_agree(asked, said):
    assert meanings.near(keys(asked)).within(keys(said))


@pytest.fixture
def without_table(monkeypatch, tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text("", encoding="utf-8")
    monkeypatch.setattr(everyday, "TABLE", empty)
    everyday.table.cache_clear()
    yield
    everyday.table.cache_clear()


def test_nine_of_ten_questions_about_the_samples_need_no_table(without_table):
    assert not meanings.is_person("nurs")
    asked = [(quiz, q) for quiz in over_samples() for q in quiz.questions]
    found = sum(q.found_in(reply(quiz.conversation, q.text)) for quiz, q in asked)
    assert found >= 0.9 * len(asked)
