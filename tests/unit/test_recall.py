"""Facts and quizzes: whether a reader who sees only the window still knows them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctxkit import (
    Fact,
    KeepRecentMessages,
    Message,
    OfflineModel,
    Quiz,
    SummarizeOldMessages,
    ToolCall,
    run,
)
from ctxkit.models import errors
from ctxkit.recall import Finding, Recall
from ctxkit.replay import replay
from ctxkit.transforms.handover import Growing, Prefix
from tests.fakes import FakeModel
from tests.probers import FakeProber

HENS = Fact("How many hens does Ada keep?", ["12|twelve"], [0])
FULL = {"question": "?", "expected": ["x"], "messages": [0]}
TALK = [
    Message.user("Ada keeps 12 hens."),
    Message.assistant("Noted."),
    Message.user("Ada has a cat that is called Plum."),
    Message.assistant("A good name."),
    Message.user("It rains."),
]


@pytest.mark.parametrize(
    ("answer", "stated"),
    [("She keeps TWELVE.", True), ("12 of them", True), ("Some hens", False), ("", False)],
)
def test_an_answer_must_hold_what_is_expected(answer, stated):
    assert HENS.stated_in(answer) is stated


def test_all_of_several_expected_texts_must_be_there():
    fact = Fact("Which tool, and why?", ["sponge", "protect"], [1])
    assert fact.stated_in("A sponge, for protection")
    assert not fact.stated_in("A sponge")


def test_the_offline_reader_is_asked_by_default():
    quiz = Quiz([HENS, Fact("What is Ada's cat called?", ["Plum"], [2])])
    assert run(quiz.known(TALK[:1])) == [True, False]
    assert run(quiz.known(TALK)) == [True, True]


def test_a_fact_is_asked_for_again_only_when_its_window_changed():
    reader = FakeModel("12")
    recall = Recall(Quiz([HENS]), reader)
    talk = [*TALK[:2], Message.user("It rains."), Message.assistant("So it does."), TALK[4]]
    outcomes = run(replay(KeepRecentMessages(3), talk, points=[1, 2, 3, 4, 5]))
    known = [run(recall.at(i + 1, o.messages, o.sources)) for i, o in enumerate(outcomes)]
    assert known == [[Finding(True)]] * 5
    assert len(reader.requests) == 2  # with its message, and without


def test_a_new_summary_is_read_anew():
    reader = FakeModel("12")
    recall = Recall(Quiz([HENS]), reader)
    talk = [*TALK, Message.assistant("Yes."), Message.user("And?")]
    transform = SummarizeOldMessages(FakeModel("first", "second"), 4, 2)
    outcomes = run(replay(transform, talk, points=[5, 7]))
    summaries = {o.messages[0].content for o in outcomes}
    for point, outcome in zip((5, 7), outcomes, strict=True):
        run(recall.at(point, outcome.messages, outcome.sources))
    assert len(reader.requests) == len(summaries)


def test_what_was_not_told_is_not_asked():
    reader = FakeModel("Plum")
    recall = Recall(Quiz([Fact("The cat?", ["Plum"], [2])]), reader)
    assert run(recall.at(1, TALK[:1], [0])) == [Finding(None)]
    assert reader.requests == []


CAT = Fact("The cat?", ["Plum"], [2], sentence="As said above, Ada's cat is called", word="Plum")


def test_a_reader_that_gives_probabilities_is_measured_and_not_asked():
    prober = FakeProber()
    assert run(CAT.find(TALK, prober)) == Finding(True, 0.9)
    assert run(CAT.find(TALK[:2], prober)) == Finding(False, 0.01)
    assert run(HENS.find(TALK, prober)) == Finding(None)
    assert run(Quiz([HENS, CAT]).known(TALK, prober)) == [None, True]
    assert {(sentence, word) for _, sentence, word in prober.probes} == {(CAT.sentence, "Plum")}


def test_blanks_around_a_word_are_no_part_of_it():
    prober = FakeProber()
    assert run(Fact("The cat?", ["Plum"], [2], " It is ", " Plum\n").find(TALK, prober)).known is True
    assert prober.probes == [(TALK, "It is", "Plum")]


def test_a_word_that_wins_is_known_however_unlikely():
    assert run(CAT.find(TALK, FakeProber(inside=0.3, wins=True))) == Finding(True, 0.3)
    assert run(CAT.find(TALK, FakeProber(inside=0.3, wins=False))) == Finding(False, 0.3)


def test_a_probability_is_measured_once_in_each_window():
    prober = FakeProber()
    recall = Recall(Quiz([HENS, CAT]), prober)
    windows = [TALK[:3], TALK[:3], TALK[2:4], TALK, TALK[3:]]
    sources = [[0, 1, 2], [0, 1, 2], [2, 3], [*range(5)], [3, 4]]
    found = [run(recall.at(5, sent, s)) for sent, s in zip(windows, sources, strict=True)]
    assert found == [[Finding(None), Finding(True, 0.9)]] * 4 + [[Finding(None), Finding(False, 0.01)]]
    assert [window for window, *_ in prober.probes] == [TALK[:3], TALK[2:4], TALK, TALK[3:]]
    assert run(recall.at(2, TALK[:2], [0, 1])) == [Finding(None)] * 2
    assert recall.refused(5) == [Finding(None), Finding(False)]


def test_a_reader_that_no_fact_suits_is_named():
    with pytest.raises(ValueError, match=r"FakeProber measures .* no fact of the quiz has a sentence"):
        Recall(Quiz([HENS]), FakeProber())
    with pytest.raises(ValueError, match="no fact of the quiz"):
        run(Quiz([HENS]).known(TALK, FakeProber()))
    for reader in ("llama3.2", OfflineModel):
        with pytest.raises(TypeError, match="reader: expected a model with chat or probe"):
            Recall(Quiz([HENS, CAT]), reader)


def test_what_a_prober_raises_is_raised():
    with pytest.raises(errors.WindowExceeded):
        run(CAT.find(TALK, FakeProber(limit=3)))


@pytest.mark.parametrize(
    ("fact", "error", "where"),
    [
        ({"question": "?", "expected": [], "messages": [0]}, ValueError, r"facts\[0\].expected"),
        ({"question": "?", "expected": "12", "messages": [0]}, TypeError, r"facts\[0\].expected"),
        ({"question": "?", "expected": ["|"], "messages": [0]}, ValueError, r"facts\[0\].expected\[0\]"),
        ({"question": "?", "expected": [3], "messages": [0]}, TypeError, r"facts\[0\].expected\[0\]"),
        ({"question": "?", "expected": ["x"], "messages": [-1]}, ValueError, r"facts\[0\].messages\[0\]"),
        ({"question": "?", "expected": ["x"], "messages": []}, ValueError, r"facts\[0\].messages"),
        ({"question": " ", "expected": ["x"], "messages": [0]}, ValueError, r"facts\[0\].question"),
        ({"question": "?", "expected": ["x"]}, ValueError, r"facts\[0\]: 'messages' is missing"),
        (FULL | {"sentence": "It is"}, ValueError, r"facts\[0\].word: .* there is a sentence"),
        (FULL | {"word": "x"}, ValueError, r"facts\[0\].sentence: .* there is a word"),
        (FULL | {"word": "x", "sentence": " "}, ValueError, r"facts\[0\].sentence: .* blanks"),
        (FULL | {"word": 3, "sentence": "It is"}, TypeError, r"facts\[0\].word"),
        (7, TypeError, r"facts\[0\]"),
    ],
)
def test_a_bad_fact_is_named(fact, error, where):
    with pytest.raises(error, match=where):
        Quiz([fact])


def asks(windows, fact=HENS, **options):
    """How many of these windows (messages and sources) are read anew."""
    reader = FakeModel("12")
    recall = Recall(Quiz([fact]), reader, **options)
    for sent, sources in windows:
        run(recall.at(5, sent, sources))
    return len(reader.requests)


def test_windows_that_tell_a_fact_in_other_words_never_share_an_answer():
    other = [Message.user("Ada keeps no hens."), *TALK[1:]]
    assert asks([(TALK, range(5)), (other, range(5)), (TALK, [*range(5)])]) == 2
    short = replace(TALK[0], content="[cleared]", kind="placeholder")
    assert asks([(TALK, range(5)), ([short, *TALK[1:]], range(5)), (TALK[1:], [1, 2, 3, 4])]) == 3


def test_what_the_kit_added_is_told_apart_by_text_and_order():
    one, two = (Message("user", text, kind="summary") for text in ("Ada spoke.", "She keeps hens."))
    rest, places = TALK[3:], [3, 4]
    windows = [[one], [two], [one, two], [two, one], []]
    assert asks([([*added, *rest], [*[None] * len(added), *places]) for added in windows * 2]) == 5


def test_what_a_fact_answers_belongs_to_it_and_later_small_talk_does_not():
    fact = Fact("The dog?", ["Rex"], [3])
    windows = [(TALK[at:], [*range(at, 5)]) for at in range(5)]
    assert asks(windows, fact) == 4  # two before it, itself, and none
    assert asks([(TALK[:end], range(end)) for end in (4, 5)], fact) == 1


@pytest.mark.parametrize(
    "later",
    [
        [Message.user("Ada keeps 15 hens now.")],
        [Message.user("ADA sold them.")],
        [Message.user("One HEN is ill.")],
        [Message.user("A dozen is right.")],
        [Message.user("12 it is")],
        [Message.system("Hens are birds.")],
        [Message.user(["A picture of a hen", {"type": "image_url", "image_url": {"url": "data:,"}}])],
        [Message.user("Does Ada keep more?"), Message.assistant("15.")],
        [
            Message.assistant("", [ToolCall(name, "count", {"of": "hens"}) for name in "ab"]),
            Message.tool("It is late.", "a"),
            Message.tool("15", "b"),
        ],
    ],
)
def test_a_later_message_about_the_same_thing_is_read(later):
    fact = replace(HENS, expected=["12|dozen|a"])
    ends = range(5, 6 + len(later))
    assert asks([([*TALK, *later][:end], range(end)) for end in ends], fact) == len(ends)


def test_grammar_and_other_numbers_are_no_reason_to_ask_again():
    later = [Message.user("How is the sea, and what does it do?"), Message.assistant("It is 12345 deep.")]
    assert asks([([*TALK, *later][:end], range(end)) for end in (5, 6, 7)]) == 1


def test_scripts_without_spaces_are_read_too():
    fact = Fact("\u8c01\u6709\u732b\uff1f", ["\u5c0f\u6885"], [0])
    assert asks([([*TALK, Message.user("Mei\u6709\u732b")][:end], range(end)) for end in (5, 6)], fact) == 2


def test_role_and_kind_belong_to_a_message():
    text = TALK[0].content
    same = [Message.user(text), Message.assistant(text), Message("user", text, kind="summary")]
    assert asks([([one], [0]) for one in same * 2]) == 3


def test_a_range_of_sources_may_begin_anywhere():
    """As a transform of a user's own may give it, that sends the end of a conversation."""
    talk = [*TALK[1:], TALK[0]]
    fact = replace(HENS, messages=[4])
    windows = [(talk[start:], range(start, 5)) for start in range(5)]
    lists = [(sent, [*sources]) for sent, sources in windows]
    assert asks(windows, fact) == asks(lists, fact) == asks([*windows, *lists], fact) == 5


def test_a_prefix_is_read_like_a_list():
    talk = [*TALK, Message.assistant("How is Ada?"), Message.user("Fine."), Message.assistant("A hen?")]
    grown = Growing(talk)
    prefixes = [(grown.upto(end), range(end)) for end in (3, 1, 8, 5, 6, 7)]
    assert all(isinstance(sent, Prefix) for sent, _ in prefixes)
    lists = [([*sent], [*sources]) for sent, sources in prefixes]
    assert asks(prefixes) == asks(lists) == asks([*lists, *prefixes]) == 5


def test_a_prefix_whose_messages_come_from_elsewhere_than_before_is_read_anew():
    """A result that comes late may be the very message that stood in for it."""
    fact = Fact("The dog?", ["Rex"], [3])
    sent = Growing(TALK).upto(5)
    windows = [(sent, range(5)), (sent, [0, 1, 2, 4, None]), (sent, [0, 1, 2, 4, 5]), (sent, range(5))]
    lists = [([*sent], [*sources]) for sent, sources in windows]
    assert asks(windows, fact) == asks(lists, fact) == asks([*windows, *lists], fact) == 3


def test_what_was_found_is_forgotten_when_there_is_too_much_of_it():
    windows = [([Message.user(f"Ada keeps {n} hens.")], range(1)) for n in range(3)]
    assert asks(windows * 2) == 3
    assert asks(windows * 2, memory=2) == 6
    assert asks([windows[0], windows[1], windows[0], windows[2], windows[0]], memory=2) == 3
    with pytest.raises(ValueError, match="memory"):
        Recall(Quiz([HENS]), FakeModel(), memory=0)
