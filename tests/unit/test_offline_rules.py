"""Rules of English and of conversations that the offline reader goes by, one example of each and its
like that must be refused.
"""

from __future__ import annotations

import pytest

from ctxkit import Message, run
from ctxkit.messages.text import content_text
from ctxkit.models.offline import OfflineModel

REFUSAL = "The answer is not in the messages I was sent."
DISKS = "disk    size  used\nnorth   40G   91%\nsouth   80G   35%"


def ask(told, question):
    """The reply to a question after these messages, the user's first."""
    roles = (Message.user, Message.assistant)
    window = [roles[i % 2](text) for i, text in enumerate(told)]
    return content_text(run(OfflineModel().chat([*window, Message.user(question)])).message)


@pytest.mark.parametrize(
    "told, question, answer",
    [
        (["I work as a lighthouse keeper."], "What is my job?", "lighthouse keeper"),
        (["I'm Ada, the new nurse."], "What do I do for work?", "nurse"),
        (["I was a baker for nine years."], "What did I do before?", "baker"),
        ([DISKS], "Which disk is at 91 %?", "north"),
        ([DISKS], "How big is south?", "80G"),
        (["The pilot is Otto Lind, he's 71 and still flies."], "How old is Otto Lind?", "71"),
        (["Otto (9) and Ilse (12) are coming."], "How old is Otto?", "Otto (9)"),
        (["The mason starts on Monday. No, make that Friday."], "When does the mason start?", "Friday"),
        (["The kitten is a male, by the way."], "Is the kitten a male or a female?", "a male"),
        (["There are no kites because of the storks."], "Why are kites not allowed?", "storks"),
        (["Never feed bread, it makes them ill."], "Why should I not feed bread?", "ill"),
        (["We have two racks. B12 is nearly full."], "Which rack is full?", "B12"),
        (["Adults pay 4 euros, pupils 2."], "How much do pupils pay?", "pupils 2"),
        (["Is the pool open?", "Yes, until six."], "Is the pool open?", "until six"),
        (["We meet on Friday. We're now meeting on Sunday."], "When do we meet now?", "Sunday"),
        (["The bell is flat.", "I'd have the bell tuned."], "What did you suggest for the bell?", "tuned"),
        (["A dark green scarf is there."], "What colour scarf is there?", "green"),
        (["The bell is rung every hour."], "How often is the bell rung?", "every hour"),
        (["Which bread would you like?", "Let me see.", "Tell me."], "Which bread is it?", None),
    ],
)
def test_what_is_said_is_found(told, question, answer):
    reply = ask(told, question)
    assert reply == REFUSAL if answer is None else answer in reply


@pytest.mark.parametrize(
    "told, question",
    [
        (["My sister Ada works as a nurse."], "What is my job?"),
        (["I'm a bit late."], "What do I do for work?"),
        ([DISKS], "Which disk is at 92 %?"),
        ([DISKS], "Which of the disks is old?"),
        (["Otto (9) and Ilse (12) are coming with Emma."], "How old is Emma?"),
        (["It rained in 2017, says Otto."], "How old is Otto?"),
        (["We need an insurance of 2 million euros."], "What did the insurance cost us?"),
        (["The goat gave us 19 kg of wool."], "What did I pay for the goat?"),
        (["The fridge is delivered on Friday. The oven is old."], "When is the oven delivered?"),
        (["We caught 2 kilos of crabs."], "How many crabs did we catch?"),
        (["Two pages a day will do."], "How many pages do I have?"),
        (["Ada's aunt is called Ilse."], "What is my aunt called?"),
        (["Our teacher is Mrs Lind, she comes from Oslo."], "What is Mrs Lind's first name?"),
        (["The Upper Hall is open, the porter is your contact."], "Who is the contact at the town hall?"),
        (["Last summer we had 400 guests."], "When is the last day of the season?"),
        (["A cracked mast can be glued."], "What is wrong with the mast?"),
        (["- Day 1: Oslo - Hamar, 42 km"], "How far is it from Oslo to Bergen?"),
        (["I asked Ada whether the pool is open."], "Is the pool open?"),
        (["We meet on Friday."], "When do we meet now?"),
        (["Ada suggests a new bell."], "What did you suggest for the bell?"),
        (["Ada paints the bell."], "What does Ada say about the bell?"),
        (["Upmill has a fee of 9 euros, Eastmill is smaller."], "What is the fee at Eastmill?"),
        (["The walls were done two years ago."], "How long were the walls done?"),
        (["The bell is from 1926."], "How often is the bell rung?"),
        (["Ask him how many litres it holds."], "How many litres does it hold?"),
    ],
)
def test_what_only_looks_like_it_is_refused(told, question):
    assert ask(told, question) == REFUSAL


def test_the_head_of_a_table_is_never_quoted():
    for question in ("Which disk is at 91 %?", "What is the size of south?", "Which disk is used?"):
        assert "size  used" not in ask([DISKS], question)
