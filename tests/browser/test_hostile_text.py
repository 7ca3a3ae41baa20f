"""Text that attacks the page: whatever a transcript holds is shown as text by every widget, and no more.

Each attack would, if it worked, set `window.attacked`, open a dialog, ask for a missing file, leave an
element behind, or be typeset as math or markup.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from .lab_server import LabServer
from .lesson_page import LessonPage
from .notebooks import write_notebook

ATTACKS = {
    "script": "<script>window.attacked = 1</script>",
    "image": '<img src="missing" onerror="window.attacked = 1">',
    "attribute": '" onmouseover="window.attacked = 1" x="',
    "closing": "</script></td></table></div><svg onload='window.attacked = 1'>",
    "frame": "<iframe srcdoc='<script>parent.attacked = 1</script>'></iframe>",
    "link": "<a href='javascript:window.attacked = 1'>read on</a>",
    "markdown": "[read on](javascript:window.attacked=1) ![](missing)",
    "math": r"costs $5 and $6, $\alpha$ and \(\beta\) and $$\gamma$$",
    "plot": "%{y} %{customdata} <extra>gone</extra> <b>bold</b>",
    "braces": "{0} {role} {{x}} %s %(name)s",
}
ALL = " ".join(ATTACKS.values())

TEXTS = f"attacks, everything = {list(ATTACKS.values())!r}, {ALL!r}"
SETUP = """\
from ctxkit import Message, TokenCounter, ToolCall
from ctxkit import KeepRecentMessages, KeepWithinTokens
from ctxkit.transforms.config import register_transform
from ctxkit.widgets import DiscardingLab, Job, MessageList, OldMessagesLab, PipelineLab
from ctxkit.widgets import TokenUsageChart, TokenView, ToolResultsLab
talk = [Message.system(everything)]
for text in attacks:
    talk.append(Message("user", text, name=text))
    talk.append(Message.assistant(text, [ToolCall(text, text, {text: text})]))
    talk.append(Message.tool(text, text, name=text))
class Failing(TokenCounter):
    fails = False
    def count(self, message):
        if self.fails:
            raise ValueError(everything)
        return super().count(message)"""
LAB = """\
counter = Failing()
DiscardingLab(talk, keep=40, question=everything, answer_in=1, counter=counter)"""
OLD = "OldMessagesLab(talk, max_messages=20, min_messages=16, question=everything, answer_in=30)"
RESULTS = "ToolResultsLab(talk, max_tokens=30, question=everything)"
PIPELINE = """\
stage = register_transform(type(attacks[0], (KeepRecentMessages,), {}))
PipelineLab(talk, [stage(16), KeepWithinTokens(5_000)], question=everything, answer_in=30)"""
JOB = """\
async def fail(progress):
    raise ValueError(everything)
Job(attacks[0], fail)"""
TOKENS = "TokenView(everything)"
CHART = """\
chart = TokenUsageChart(title=everything)
for message in talk:
    chart.append(message)
chart"""
LAST = "counter.fails = True  # from here on, a step of the lab ends in an error"

CELLS = [TEXTS, SETUP, LAB, OLD, RESULTS, PIPELINE, JOB, TOKENS, CHART, LAST]

# What only markup in a message could have left in an output that shows messages.
TRACES = "script, img, iframe, a[href], b:has-text('bold'), mjx-container, .MathJax, [onmouseover], [onload]"


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage], server: LabServer) -> LessonPage:
    write_notebook(server.folder / "hostile_text.ipynb", CELLS)
    lesson = open_lesson("hostile_text.ipynb")
    lesson.run_all()
    return lesson


def harm(lesson: LessonPage, root: Locator) -> list[str]:
    """What the attacks have done: left traces, run a script, upset the page."""
    expect(root.locator(TRACES)).to_have_count(0)
    attacked = lesson.page.evaluate("window.attacked")
    return [*lesson.complaints, *([] if attacked is None else [f"window.attacked is {attacked}"])]


def one_line(root: Locator) -> str:
    return " ".join((root.text_content() or "").split())


@pytest.mark.parametrize("attack", ATTACKS)
def test_table_shows_the_attack_as_text(lesson: LessonPage, attack: str) -> None:
    lab = lesson.lab()
    lab.expect_drawn()
    shown = lab.table.get_by_role("cell", name=ATTACKS[attack], exact=True).first
    shown.hover()
    assert harm(lesson, lab.root) == []


def test_heading_of_a_lab_shows_the_question_as_text(lesson: LessonPage) -> None:
    lab = lesson.lab()
    assert ALL in one_line(lab.root.locator(".ctxkit-heading"))
    assert harm(lesson, lab.root) == []


def test_status_shows_an_error_as_text(lesson: LessonPage) -> None:
    lab = lesson.lab()
    with lab.step():
        lab.slider("Keep").press("ArrowLeft")
        expect(lab.status).to_contain_text(ATTACKS["script"])
    assert harm(lesson, lab.root) == []


@pytest.mark.parametrize("index", [1, 2, 3], ids=["old messages", "tool results", "pipeline"])
def test_a_lab_with_a_reader_shows_question_answer_and_messages_as_text(
    lesson: LessonPage, index: int
) -> None:
    lab = lesson.lab(index)
    lab.expect_drawn()
    assert ALL in one_line(lab.root.locator(".ctxkit-heading"))
    expect(lab.status).to_contain_text("Asked the question, the offline reader")
    for attack in ("math", "plot", "braces"):
        lab.table.get_by_role("cell", name=ATTACKS[attack]).first.hover()
    with lab.step():
        lab.slider("up to message").press("ArrowLeft")
    assert harm(lesson, lab.root) == []


def test_the_name_of_a_stage_is_text(lesson: LessonPage) -> None:
    root = lesson.lab(3).root
    expect(root.get_by_role("checkbox", name=ATTACKS["script"])).to_be_checked()
    with lesson.lab(3).step():
        root.get_by_role("button", name=f"Move {ATTACKS['script']} down").click()
    expect(root.locator("[aria-live]")).to_have_text(f"{ATTACKS['script']}: now 2 of 2.")
    assert harm(lesson, root) == []


def test_label_and_error_of_work_on_a_button_are_text(lesson: LessonPage) -> None:
    root = lesson.output(lesson.cell("Job(attacks[0], fail)"))
    root.get_by_role("button", name=ATTACKS["script"]).click()
    expect(root.get_by_role("status")).to_contain_text(f"Failed. ValueError: {ATTACKS['script']}")
    assert harm(lesson, root) == []


def test_tokens_are_text(lesson: LessonPage) -> None:
    view = lesson.output(lesson.cell(TOKENS))
    tokens = view.get_by_role("option")
    expect(tokens.first).to_be_visible()
    assert "".join(tokens.all_text_contents()) == ALL.replace(" ", "·")
    view.get_by_role("textbox").fill(ATTACKS["image"])
    expect(tokens.last).to_have_text('">')
    tokens.last.hover()
    assert harm(lesson, view) == []


def test_title_of_a_chart_is_text(lesson: LessonPage) -> None:
    chart = lesson.output(lesson.cell("chart = "))
    expect(chart.locator(".gtitle")).to_contain_text(ATTACKS["plot"])
    assert ALL in one_line(chart.locator(".gtitle"))
    chart.locator(".nsewdrag").first.hover()
    assert harm(lesson, chart) == []
