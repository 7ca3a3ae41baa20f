"""Solutions of lesson 0."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "00-author": Solution(
        code='role = "assistant"',
        why="index 0 is the user's greeting, index 1 the model's answer; in this talk the two take turns.",
    ),
    "00-keep": Solution(
        code="keep = 40",
        why="the indexes go from 0 to 40, so from message 1 to the end there are 40 messages.",
    ),
    "00-not-sent": Solution(
        code="""\
def not_sent(stored, sent):
    return [message for message in stored if message not in sent]""",
        why=(
            "a message is left out when it is stored and not among the sent ones. Messages are values, "
            "so `in` compares them."
        ),
    ),
}
