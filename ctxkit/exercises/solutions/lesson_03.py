"""Solutions of lesson 3."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "03-budget": Solution(
        code="""\
try:
    await KeepWithinTokens(20)(chat)
except BudgetImpossible as problem:
    budget = problem.tokens""",
        why=(
            "the error carries the figure: what must be sent costs `problem.tokens`, and that much is enough."
        ),
    ),
    "03-last": Solution(
        code="""\
def last_messages(messages, keep):
    return messages[max(0, len(messages) - keep) :]""",
        why="counted from the front, keep=0 begins behind the last message, and nothing is left to slip on.",
    ),
    "03-safe-start": Solution(
        code="""\
def safe_start(messages, start):
    while messages[start].role == "tool":
        start -= 1
    return start""",
        why=(
            "the results of a call stand directly behind it, so the first message that is no result is "
            "the call."
        ),
    ),
    "03-drop-loose": Solution(
        code="""\
def drop_loose(messages):
    kept, open_ids = [], set()
    for message in messages:
        if message.role != "tool":
            open_ids = {call.id for call in message.tool_calls}
        elif message.tool_call_id not in open_ids:
            continue
        open_ids = open_ids - {message.tool_call_id}
        kept.append(message)
    return kept""",
        why=(
            "only the calls of the latest message that is no result can be open, and each of them is "
            "answered once."
        ),
    ),
}
