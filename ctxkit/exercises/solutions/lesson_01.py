"""Solutions of lesson 1."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "01-result-id": Solution(
        code="""\
call = ToolCall("call_7", "calculator", {"expression": "0.2 * 80"})
result_id = call.id""",
        why="the first part of a ToolCall is its id, and a result names the id of the call that it answers.",
    ),
    "01-build": Solution(
        code="""\
history = [
    Message.user("What is 20% of 80?"),
    Message.assistant("", [ToolCall("call_1", "calculator", {"expression": "0.2 * 80"})]),
    Message.tool("16.0", "call_1"),
    Message.assistant("20% of 80 is 16."),
]""",
        why="the call, directly after it the result with the same id, then the answer in words.",
    ),
    "01-open-calls": Solution(
        code="""\
def open_calls(messages):
    answered = {message.tool_call_id for message in messages}
    return [call.id for message in messages for call in message.tool_calls if call.id not in answered]""",
        why="the results name the calls they answer; whatever call is named by none is open.",
    ),
    "01-first-orphan": Solution(
        code="""\
def first_orphan(messages):
    seen = set()
    for index, message in enumerate(messages):
        if message.role == "tool" and message.tool_call_id not in seen:
            return index
        seen |= {call.id for call in message.tool_calls}
    return -1""",
        why=(
            "the set holds only calls that stand before the present message, so a call further down "
            "can't excuse a result."
        ),
    ),
}
