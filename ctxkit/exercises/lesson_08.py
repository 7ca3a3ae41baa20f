"""Exercises of lesson 8: an agent's tools and loop, the order of a pipeline, what a server drops."""

from __future__ import annotations

from typing import Any

from ctxkit._sync import run
from ctxkit.agent.tools import Tool, tool
from ctxkit.exercises.feedback import error_line
from ctxkit.exercises.lesson_08_loop import LOOP
from ctxkit.exercises.model import Exercise, Lesson, Question, Todo, Wrong, WrongAnswer
from ctxkit.exercises.probe import call, whole_number
from ctxkit.messages.text import content_text
from ctxkit.models.offline import OfflineModel
from ctxkit.replay import replay
from ctxkit.samples import load_sample
from ctxkit.transforms import (
    KeepWithinTokens,
    MessageTransform,
    OllamaTruncation,
    Pipeline,
    SummarizeOldMessages,
    SummarizeToolResults,
)
from ctxkit.window import BudgetImpossible

NO_TYPES = (
    "The model is told the type of each argument. Write it behind the name, as `-> int` does for the result: "
    "`hours: int`."
)
NO_DOCSTRING = "The model reads the docstring to know what the tool is for, and yours is missing."
MUST_GIVE = "A model must give `hours` and may leave out `minutes`. Which of the two needs a default?"
NOT_MINUTES = (
    "The type of both arguments should be a whole number, int: that's what the schema tells the model."
)
OTHER_NAMES = "The model gives arguments by their names: `hours` and `minutes`, these two and no others."
LEFT_OUT = "With three hours alone, without `minutes`, your function gives something else than three hours."
WRONG_SUM = "Two hours and thirty minutes: check what your function makes of them."


def check_tool(answer: Any) -> None:
    given = whole_number(call(answer, 2, 30, about="2 hours and 30 minutes"))
    try:
        made = answer if isinstance(answer, Tool) else tool(answer)
    except TypeError:
        raise Wrong(NO_TYPES) from None
    except Exception as error:
        raise Wrong(f"No tool could be made of your function: {error_line(error)}") from None
    schema = made.schema["function"]
    properties = schema["parameters"]["properties"]
    if {*properties} != {"hours", "minutes"}:
        raise Wrong(OTHER_NAMES)
    if not schema["description"]:
        raise Wrong(NO_DOCSTRING)
    if schema["parameters"].get("required") != ["hours"]:
        raise Wrong(MUST_GIVE)
    if {properties[name].get("type") for name in ("hours", "minutes")} != {"integer"}:
        raise Wrong(NOT_MINUTES)
    if given != 2 * 60 + 30:
        raise Wrong(WRONG_SUM)
    if whole_number(call(answer, 3, about="3 hours")) != 3 * 60:
        raise Wrong(LEFT_OUT)


TOOL = Exercise(
    id="08-tool",
    name="in_minutes",
    starter="""\
def in_minutes(hours, minutes) -> int:
    return ...""",
    check=check_tool,
    right="types, a default and a docstring are all that a model needs to call it.",
    wrong=(
        WrongAnswer(
            '''\
def in_minutes(hours, minutes=0) -> int:
    """How many minutes some hours and minutes are."""
    return 60 * hours + minutes''',
            NO_TYPES,
        ),
        WrongAnswer(
            """\
def in_minutes(hours: int, minutes: int = 0) -> int:
    return 60 * hours + minutes""",
            NO_DOCSTRING,
        ),
        WrongAnswer(
            '''\
def in_minutes(hours: int, minutes: int) -> int:
    """How many minutes some hours and minutes are."""
    return 60 * hours + minutes''',
            MUST_GIVE,
        ),
        WrongAnswer(
            '''\
def in_minutes(hours: str, minutes: int = 0) -> int:
    """How many minutes some hours and minutes are."""
    return 60 * int(hours) + minutes''',
            NOT_MINUTES,
        ),
        WrongAnswer(
            '''\
def in_minutes(h: int, m: int = 0) -> int:
    """How many minutes some hours and minutes are."""
    return 60 * h + m''',
            OTHER_NAMES,
        ),
        WrongAnswer(
            '''\
def in_minutes(hours: int, minutes: int = 30) -> int:
    """How many minutes some hours and minutes are."""
    return 60 * hours + minutes''',
            LEFT_OUT,
        ),
        WrongAnswer(
            '''\
def in_minutes(hours: int, minutes: int = 0) -> int:
    """How many minutes some hours and minutes are."""
    return hours + minutes''',
            WRONG_SUM,
        ),
    ),
    hints=(
        "Look at `calculator` above: what stands in its first line, and what in its second?",
        "`minutes: int = 0` gives an argument a type and a default.",
        "The docstring is a sentence in triple quotes, the first line inside the function.",
    ),
)

STAGES = ("KeepWithinTokens", "SummarizeOldMessages", "SummarizeToolResults")
BUDGET = 600

NOT_A_LIST = "A list with the three names is wanted here, each once, in quotes."
CANNOT_FIT = (
    "With that order a call cannot be made: when a long log comes in, the budget is checked before the log "
    "was shortened."
)
FORGETS = (
    "Every call fits, but the relay is forgotten: old messages were dropped before anybody had summarised "
    "them."
)


def check_order(answer: Any) -> None:
    if not isinstance(answer, (list, tuple)):
        raise Wrong(NOT_A_LIST)
    names = list[Any](answer)
    if any(name is ... for name in names):
        raise Todo
    if not all(isinstance(name, str) for name in names) or sorted(names) != list(STAGES):
        raise Wrong(NOT_A_LIST)
    model, talk = OfflineModel(), load_sample("night_watch")
    stages: dict[str, MessageTransform] = {
        "KeepWithinTokens": KeepWithinTokens(BUDGET),
        "SummarizeOldMessages": SummarizeOldMessages(model, 12, 4, summary_tokens=150),
        "SummarizeToolResults": SummarizeToolResults(model, 120),
    }
    try:
        sent = run(replay(Pipeline([stages[name] for name in names]), talk))[-1].messages
    except BudgetImpossible:
        raise Wrong(CANNOT_FIT) from None
    if not any("relay-3" in content_text(message) for message in sent):
        raise Wrong(FORGETS)


ORDER = Exercise(
    id="08-order",
    name="order",
    starter="""\
order = [...]  # three names in quotes""",
    check=check_order,
    right="what shortens comes before what guards, so every call fits and the relay is still known.",
    wrong=(
        WrongAnswer(
            'order = ["KeepWithinTokens", "SummarizeToolResults", "SummarizeOldMessages"]', CANNOT_FIT
        ),
        WrongAnswer('order = ["SummarizeToolResults", "KeepWithinTokens", "SummarizeOldMessages"]', FORGETS),
        WrongAnswer('order = ["SummarizeToolResults", "KeepWithinTokens"]', NOT_A_LIST),
    ),
    hints=(
        "Try it in the lab: untick ClearToolResults and move the other three.",
        "A guard checks what is really sent. Where does it have to stand?",
    ),
)

THAT_IS_READ = "That is how many the model does read. How many of the messages doesn't it see?"
OTHER_WINDOW = "That would be right for the smaller window above, and this server has a larger one."
COUNT_THEM = "Let the kit count: it says for each message what the server would do with it."


def check_dropped(answer: Any) -> None:
    given = whole_number(answer)
    if given == _dropped(2048):
        return
    if given == len(load_sample("night_watch")) - _dropped(2048):
        raise Wrong(THAT_IS_READ)
    raise Wrong(OTHER_WINDOW if given == _dropped(1024) else COUNT_THEM)


def _dropped(num_ctx: int) -> int:
    plan = OllamaTruncation(num_ctx).plan(load_sample("night_watch"))
    return sum(decision.action == "dropped" for decision in plan)


DROPPED = Exercise(
    id="08-dropped",
    name="dropped",
    starter="""\
dropped = ...  # a whole number""",
    check=check_dropped,
    right="and the reply would not have said a word about them.",
    wrong=(
        WrongAnswer("dropped = 11", THAT_IS_READ),
        WrongAnswer("dropped = 27", OTHER_WINDOW),
        WrongAnswer("dropped = 0", COUNT_THEM),
    ),
    hints=(
        "`OllamaTruncation(...).plan(night)` gives one decision a message. Which argument does it need?",
        "Count the decisions whose `action` is 'dropped'.",
    ),
)

LESSON = Lesson(
    "08",
    exercises=(TOOL, ORDER, DROPPED, LOOP),
    questions=(Question("08-calls"),),
)
