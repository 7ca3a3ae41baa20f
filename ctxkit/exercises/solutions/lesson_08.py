"""Solutions of lesson 8."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "08-tool": Solution(
        code='''\
def in_minutes(hours: int, minutes: int = 0) -> int:
    """How many minutes some hours and minutes are."""
    return 60 * hours + minutes''',
        why=(
            "the schema is read off the function: types become types, a default makes an argument optional, "
            "and the docstring says what the tool is for."
        ),
    ),
    "08-order": Solution(
        code="""\
order = ["SummarizeToolResults", "SummarizeOldMessages", "KeepWithinTokens"]""",
        why=(
            "long results are shortened before they are counted, old messages are summarised before any are "
            "dropped, and the guard checks what is really sent."
        ),
    ),
    "08-dropped": Solution(
        code="""\
plan = OllamaTruncation(2048).plan(night)
dropped = sum(decision.action == "dropped" for decision in plan)""",
        why="the plan holds one decision a message, and 'dropped' are those that the model never reads.",
    ),
    "08-loop": Solution(
        code="""\
def loop(ask, use, messages, max_steps):
    talk = list(messages)
    for _ in range(max_steps):
        said = ask(talk)
        talk.append(said)
        for made in said.tool_calls:
            try:
                text = use(made)
            except Exception as error:
                text = f"Error: {error}"
            talk.append(Message.tool(text, made.id))
        if not said.tool_calls:
            break
    return talk""",
        why=(
            "every call gets a result, be it an error, before the model is asked again, and the turns are "
            "counted."
        ),
    ),
}
