"""Exercises of lesson 0: warm-ups, to learn how the lessons work."""

from __future__ import annotations

from typing import Any

from ctxkit._sync import run
from ctxkit.exercises.model import Exercise, Lesson, Question, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, message_list, text, whole_number
from ctxkit.messages import Message
from ctxkit.samples import load_sample
from ctxkit.transforms import KeepRecentMessages

OTHER_ROLE = "Look at the list again: who wrote the message with index 1?"
NO_ROLE = "That is none of the four roles. Copy the word that stands after the index."


def check_author(answer: Any) -> None:
    role = text(answer).lower()
    if role not in ("system", "user", "assistant", "tool"):
        raise Wrong(NO_ROLE)
    if role != load_sample("dolphins")[1].role:
        raise Wrong(OTHER_ROLE)


AUTHOR = Exercise(
    id="00-author",
    name="role",
    starter="""\
role = ...  # a word in quotes""",
    check=check_author,
    right="the model wrote it. Now you know how an exercise is answered.",
    wrong=(
        WrongAnswer('role = "user"', OTHER_ROLE),
        WrongAnswer('role = "dolphin"', NO_ROLE),
    ),
    hints=(
        "Every message says who wrote it: `chat[1].role`.",
        "Run `chat[1].role` in the playground and copy what it shows.",
    ),
)

TOO_SMALL = "With that `keep`, message 1 is not sent. Move the slider up until it is."
TOO_LARGE = "Message 1 is sent, but a smaller `keep` would send it too."


def check_keep(answer: Any) -> None:
    keep = whole_number(answer)
    if keep < 1:
        raise Wrong(TOO_SMALL)
    if not _sends_message_1(keep):
        raise Wrong(TOO_SMALL)
    if _sends_message_1(keep - 1):
        raise Wrong(TOO_LARGE)


def _sends_message_1(keep: int) -> bool:
    chat = load_sample("dolphins")
    return any(message is chat[1] for message in run(KeepRecentMessages(keep=keep)(chat)))


KEEP = Exercise(
    id="00-keep",
    name="keep",
    starter="""\
keep = ...  # a whole number""",
    check=check_keep,
    right="that is nearly the whole conversation, for one old sentence. There are cheaper ways.",
    wrong=(
        WrongAnswer("keep = 10", TOO_SMALL),
        WrongAnswer("keep = len(chat)", TOO_LARGE),
    ),
    hints=(
        "`keep` counts from the end. How many messages are there from message 1 to the last one?",
        "Only message 0 may be left out. How many messages remain of all?",
    ),
)

SENT_INSTEAD = "Those are messages that were sent. The others are wanted: stored, and not sent."
MISSING = "Some message that was not sent is missing from your list, or one too many is in it."


def check_not_sent(answer: Any) -> None:
    talk = [
        Message.user("Hi"),
        Message.assistant("Hello!"),
        Message.user("Who are you?"),
        Message.assistant("A model."),
        Message.user("Bye"),
    ]
    for sent, about in (
        (talk[2:], "a talk of five messages"),
        (talk, "a talk that is sent whole"),
        ([talk[0], *talk[3:]], "a talk whose first message is always sent"),
        ([], "an empty prompt"),
    ):
        result = message_list(call(answer, list(talk), list(sent), about=about))
        left_out = [message for message in talk if message not in sent]
        if result == left_out:
            continue
        raise Wrong(SENT_INSTEAD if result and all(message in sent for message in result) else MISSING)


NOT_SENT = Exercise(
    id="00-not-sent",
    name="not_sent",
    starter="""\
def not_sent(stored, sent):
    return ...  # a list""",
    check=check_not_sent,
    right="stored and not sent: that difference is what this whole kit is about.",
    wrong=(
        WrongAnswer(
            """\
def not_sent(stored, sent):
    return [message for message in stored if message in sent]""",
            SENT_INSTEAD,
        ),
        WrongAnswer(
            """\
def not_sent(stored, sent):
    return stored[:1]""",
            MISSING,
        ),
    ),
    hints=(
        "Go through `stored` and take a message only if it is not among the sent ones.",
        "A list with a condition does it in one line: `[x for x in numbers if x not in others]`.",
    ),
    starred=True,
)

LESSON = Lesson("00", exercises=(AUTHOR, KEEP, NOT_SENT), questions=(Question("00-sponge"),))
