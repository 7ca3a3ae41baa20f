"""The starred exercise of lesson 5: which messages go into the next summary."""

from __future__ import annotations

from typing import Any

from ctxkit.exercises.model import Exercise, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, message_list
from ctxkit.samples import load_sample

RAW_LIST = (
    "You fold although little is sent. What is sent is one summary, if there is one, and what comes after "
    "message `done`."
)
NOT_YET = (
    "You fold where exactly `most` messages would be sent, and that is not more than `most`. Is there a "
    "summary to be counted already?"
)
TOO_LATE = "More than `most` messages would be sent, and your function folds nothing."
SUMMARY_COUNTS = "The summary is a message too. Once there is one, it counts."
FOLDED_TWICE = "Your list begins with messages that the summary holds already. They would be paid for twice."
KEEP_ALL = "With keep=0 everything new is to be folded. `messages[:-0]` is an empty list."
WRONG_SLICE = "To fold is what stands between message `done` and the newest `keep`, in its order."


def check_to_fold(answer: Any) -> None:
    talk = load_sample("dolphins")
    cases = (
        (20, 0, 20, 5, "20 messages and no summary yet"),
        (21, 0, 20, 5, "21 messages and no summary yet"),
        (30, 16, 20, 5, "30 messages, of which the summary holds 16"),
        (35, 16, 20, 5, "35 messages, of which the summary holds 16"),
        (36, 16, 20, 5, "36 messages, of which the summary holds 16"),
        (30, 10, 12, 0, "30 messages, of which the summary holds 10, and keep=0"),
    )
    for end, done, most, keep, about in cases:
        history = talk[:end]
        result = message_list(call(answer, history, done, most, keep, about=about))
        sent = end - done + bool(done)
        expected = history[done : end - keep] if sent > most else []
        if result == expected:
            continue
        if not expected:
            raise Wrong(NOT_YET if sent == most else RAW_LIST)
        if not result:
            only_just = sent == most + 1 and done
            raise Wrong(SUMMARY_COUNTS if only_just else TOO_LATE if keep else KEEP_ALL)
        raise Wrong(FOLDED_TWICE if done and result[0] == history[0] else WRONG_SLICE)


TO_FOLD = Exercise(
    id="05-to-fold",
    name="to_fold",
    starter="""\
def to_fold(messages, done, most, keep):
    return ...  # the messages that go into the next summary""",
    check=check_to_fold,
    right="it looks at what is sent, pays for each message once, and keep=0 does what it says.",
    wrong=(
        WrongAnswer(
            """\
def to_fold(messages, done, most, keep):
    return messages[done : len(messages) - keep] if len(messages) > most else []""",
            RAW_LIST,
        ),
        WrongAnswer(
            """\
def to_fold(messages, done, most, keep):
    return messages[done : len(messages) - keep] if len(messages) - done > most else []""",
            SUMMARY_COUNTS,
        ),
        WrongAnswer(
            """\
def to_fold(messages, done, most, keep):
    return messages[done : len(messages) - keep] if 1 + len(messages) - done > most else []""",
            NOT_YET,
        ),
        WrongAnswer(
            """\
def to_fold(messages, done, most, keep):
    return []""",
            TOO_LATE,
        ),
        WrongAnswer(
            """\
def to_fold(messages, done, most, keep):
    sent = (done > 0) + len(messages) - done
    return messages[: len(messages) - keep] if sent > most else []""",
            FOLDED_TWICE,
        ),
        WrongAnswer(
            """\
def to_fold(messages, done, most, keep):
    sent = (done > 0) + len(messages) - done
    return messages[done:-keep] if sent > most else []""",
            KEEP_ALL,
        ),
        WrongAnswer(
            """\
def to_fold(messages, done, most, keep):
    sent = (done > 0) + len(messages) - done
    return messages[done:] if sent > most else []""",
            WRONG_SLICE,
        ),
    ),
    hints=(
        "First count what would be sent now: the messages after `done`, and the summary if there is one.",
        "There is a summary as soon as `done` is above 0. Is that sum above `most`?",
        "If it is, cut from `done` to `keep` before the end, counted from the front. Else nothing.",
    ),
    starred=True,
)
