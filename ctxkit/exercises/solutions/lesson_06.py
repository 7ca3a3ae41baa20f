"""Solutions of lesson 6."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "06-third": Solution(
        code="""\
third = 6 + 4 + 4""",
        why="12 messages after exchange 6 are over 10, and 4 stay; four exchanges later there are 12 again.",
    ),
    "06-condition": Solution(
        code="""\
def too_much(messages, most, max_tokens):
    counted = sum(message.role != "system" for message in messages)
    tokens_over = max_tokens is not None and count_tokens(messages) > max_tokens
    return counted > most or tokens_over""",
        why="the head is never removed, so it does not count as a message, but it is sent and paid for.",
    ),
    "06-cut": Solution(
        code="""\
def divide(messages, keep):
    cut = max(0, len(messages) - keep)
    while 0 < cut < len(messages) and messages[cut].role == "tool":
        cut -= 1
    return messages[:cut], messages[cut:]""",
        why="before a result stands another result or the call itself, so the cut stops at the call.",
    ),
    "06-merge": Solution(
        code="""\
def commit(stored, seen, added):
    gone = len(seen) - len(stored)
    if gone < 0 or seen[gone:] != stored:
        return stored, False
    return [*stored, *added], True""",
        why="what is stored must be the end of what was seen: then only a summary can have come between.",
    ),
}
