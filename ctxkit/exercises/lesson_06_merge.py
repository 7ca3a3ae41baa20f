"""The starred exercise of lesson 6: two writers of one thread, and what a store lets in."""

from __future__ import annotations

from typing import Any

from ctxkit.exercises.feedback import kind, shown
from ctxkit.exercises.model import Exercise, Todo, Wrong, WrongAnswer
from ctxkit.exercises.probe import call
from ctxkit.messages import Message

PAIR = "Give back the messages in the store, and True or False; {} is {}."
SIMPLE = "Nobody else wrote, so what was added belongs at the end, and it went in."
OVERWRITTEN = "Somebody else wrote after this writer had looked. Let nothing in, or their message is lost."
SUMMARISED = "A summary took the oldest messages, and the end is as this writer saw it. That is no conflict."
ALL_TAKEN = "A summary may take all messages. Then nothing is left to compare, and nobody else wrote."
SAME_LENGTH = (
    "The list is as long as it was, but its end is another: a summary took some, and somebody wrote."
)
SAME_END = "Two messages can have the same words. Compare everything that is stored, not its end alone."
REVIVED = (
    "What a summary took must not come back: go on from what the store holds now, not from what was seen."
)
REFUSED = "When nothing is let in, the store holds what it held before."


def check_merge(answer: Any) -> None:
    seen = [Message(("user", "assistant")[i % 2], f"message {i}") for i in range(6)]
    added, other = [Message.user("And now?")], [Message.user("Hello from the other window")]
    repeated = [*seen[4:], *seen[4:]]
    cases = (
        (seen, seen, True, "a store where nothing happened", SIMPLE),
        (seen, [*seen, *other], False, "a store where somebody else wrote", OVERWRITTEN),
        (seen, seen[4:], True, "a store where a summary took four messages", SUMMARISED),
        (seen, [*seen[1:], *other], False, "a store where one was taken, and one written", SAME_LENGTH),
        (seen, [*seen[4:], *other], False, "a store where four were taken, and one written", OVERWRITTEN),
        (seen, [], True, "a store where a summary took all messages", ALL_TAKEN),
        (seen, repeated, False, "a store where somebody else had the last exchange once more", SAME_END),
        ([], [], True, "a store where nobody has written yet", SIMPLE),
        ([], other, False, "a store that was empty, where somebody else wrote", OVERWRITTEN),
    )
    for looked, stored, good, about, fault in cases:
        held, went_in = _pair(call(answer, list(stored), list(looked), list(added), about=about))
        if went_in is not good:
            raise Wrong(fault)
        if held != ([*stored, *added] if good else list(stored)):
            revived = good and held == [*looked, *added]
            raise Wrong(REVIVED if revived else SIMPLE if good else REFUSED)


def _pair(answer: Any) -> tuple[list[Any], bool]:
    if isinstance(answer, (list, tuple)) and any(part is ... for part in answer):
        raise Todo
    if not isinstance(answer, (list, tuple)) or len(answer) != 2:
        raise Wrong(PAIR.format(shown(answer), kind(answer)))
    held, went_in = answer
    if not isinstance(held, (list, tuple)) or not isinstance(went_in, bool):
        raise Wrong(PAIR.format(shown(answer), kind(answer)))
    return list(held), went_in


MERGE = Exercise(
    id="06-merge",
    name="commit",
    starter="""\
def commit(stored, seen, added):
    return ..., ...  # the messages in the store then, whether `added` went in""",
    check=check_merge,
    right="a writer who is late is told, and a summary in between disturbs nobody.",
    wrong=(
        WrongAnswer(
            """\
def commit(stored, seen, added):
    return [*stored, *added], True""",
            OVERWRITTEN,
        ),
        WrongAnswer(
            """\
def commit(stored, seen, added):
    return ([*stored, *added], True) if stored == seen else (stored, False)""",
            SUMMARISED,
        ),
        WrongAnswer(
            """\
def commit(stored, seen, added):
    good = len(stored) <= len(seen)
    return ([*stored, *added], True) if good else (stored, False)""",
            SAME_LENGTH,
        ),
        WrongAnswer(
            """\
def commit(stored, seen, added):
    good = stored == seen[-len(stored) :]
    return ([*stored, *added], True) if good else (stored, False)""",
            ALL_TAKEN,
        ),
        WrongAnswer(
            """\
def commit(stored, seen, added):
    good = not stored or stored[-1:] == seen[-1:]
    return ([*stored, *added], True) if good else (stored, False)""",
            SAME_END,
        ),
        WrongAnswer(
            """\
def commit(stored, seen, added):
    good = stored == seen[max(0, len(seen) - len(stored)) :]
    return ([*seen, *added], True) if good else (stored, False)""",
            REVIVED,
        ),
        WrongAnswer(
            """\
def commit(stored, seen, added):
    good = stored == seen[max(0, len(seen) - len(stored)) :]
    return ([*stored, *added], True) if good else (seen, False)""",
            REFUSED,
        ),
    ),
    hints=(
        "A summary takes messages at the front, another writer adds some at the end. Where do you look?",
        "Compare what is stored with as many of the last messages that were seen.",
        "As in the exercise before, count from the front: `-0` is no place near the end.",
    ),
    starred=True,
)
