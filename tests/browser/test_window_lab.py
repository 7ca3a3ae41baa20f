"""The window lab as people use it: by keyboard, with a conversation of their own, hostile or very long."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .contrast import unreadable
from .lab_server import REPOSITORY, LabServer
from .lab_view import DRAWING
from .layout import faults
from .lesson_page import DARK, LIGHT, LessonPage
from .notebooks import write_notebook
from .test_hostile_text import ATTACKS, TRACES
from .window_view import CUT, NAMELESS, View

README_PICTURE = REPOSITORY / "docs" / "images" / "window_lab.png"
MINUTE = 120_000

SETUP = f"""\
from ctxkit import Message, ToolCall, WindowLab
attacks = {list(ATTACKS.values())!r} + ["\\u202egnp.exe \\u2066\\x00 \\ud83d", "x" * 1_000_000]
hostile = [Message.system(" ".join(attacks[:-1]))]
for text in attacks:
    hostile.append(Message("user", text, name=text[:99]))
    hostile.append(Message.assistant(text, [ToolCall(text[:99], text[:99], {{text[:99]: text}})]))
    hostile.append(Message.tool(text, text[:99], name=text[:99]))
roles = ("user", "assistant")
long = [Message(roles[i % 2], f"message {{i}}: " + "word " * (i % 40)) for i in range(5_000)]"""
FIRST = 'WindowLab(strategy="Summarise old", reserve=112)'
HOSTILE = 'WindowLab(hostile, window=4_096, strategy="Keep recent")'
LONG = 'WindowLab(long, window=8_192, strategy="Keep recent")'


@pytest.fixture(scope="module")
def lesson(open_lesson: Callable[[str], LessonPage], server: LabServer) -> LessonPage:
    write_notebook(server.folder / "window_lab.ipynb", [SETUP, FIRST, HOSTILE, LONG])
    lesson = open_lesson("window_lab.ipynb")
    lesson.run_all()
    return lesson


@pytest.fixture
def lab(lesson: LessonPage) -> View:
    view = View(lesson, 0)
    view.expect_drawn()
    return view


def test_everything_is_there(lab: View) -> None:
    expect(lab.status).to_contain_text("Fits. 41 messages became 10 (1 summary + 9 recent)")
    expect(lab.cards.first).to_contain_text("Prompt now")
    expect(lab.root.get_by_text("Found in the summary.")).to_be_visible()
    expect(lab.code).to_contain_text("model, max_messages=20, min_messages=5")
    assert lab.root.evaluate(NAMELESS) == []


@pytest.mark.parametrize("label", ["up to message", "Summarise above"])
def test_a_slider_by_keyboard_changes_everything(lab: View, label: str) -> None:
    before = lab.shown()
    for _ in range(3):
        lab.slider(label).press("ArrowLeft")
    expect(lab.slider(label)).to_be_focused()
    lab.expect_all_other_than(before)


def test_tabs_by_keyboard(lab: View) -> None:
    before = lab.shown()
    lab.tab("Summarise old").focus()
    for _ in range(3):
        lab.lesson.page.keyboard.press("Shift+Tab")
    expect(lab.tab("Keep recent")).to_be_focused()
    lab.lesson.page.keyboard.press("Space")
    expect(lab.code).to_contain_text("KeepRecentMessages(keep=10)")
    expect(lab.root.get_by_role("spinbutton", name="Keep (messages)")).to_be_visible()
    expect(lab.root.get_by_role("spinbutton", name="Summarise above")).to_have_count(0)
    lab.expect_all_other_than(before)


def test_arrow_keys_move_among_the_tabs(lab: View) -> None:
    lab.tab("Keep recent").focus()
    for key, goal in (
        ("ArrowRight", "Fit a token budget"),
        ("ArrowDown", "Shorten tool results"),
        ("ArrowLeft", "Fit a token budget"),
        ("ArrowUp", "Keep recent"),
        ("End", "What Ollama does"),
        ("ArrowRight", "Send everything"),
        ("ArrowLeft", "What Ollama does"),
        ("Home", "Send everything"),
    ):
        lab.lesson.page.keyboard.press(key)
        expect(lab.tab(goal)).to_be_focused()
    expect(lab.code).to_contain_text("KeepRecentMessages(keep=10)")  # only Space and Enter choose


def test_the_ends_of_a_slider_whose_range_was_changed(lab: View) -> None:
    keep, said = lab.box("Keep (messages)"), lab.slider("Keep (messages)")
    said.press("End")
    expect(lab.code).to_contain_text("KeepRecentMessages(keep=41)")
    expect(said).to_have_attribute("aria-valuetext", "41")
    said.press("Home")
    expect(lab.code).to_contain_text("KeepRecentMessages(keep=1)")
    said.press("End")
    said.press("ArrowLeft")  # at once: it goes on from the end
    expect(lab.code).to_contain_text("KeepRecentMessages(keep=40)")
    expect(keep).to_have_value("40")
    expect(said).to_be_focused()
    lab.set("Keep (messages)", 10)
    expect(lab.code).to_contain_text("KeepRecentMessages(keep=10)")


def test_a_number_can_be_typed(lab: View) -> None:
    lab.box("Window").fill("900")
    lab.box("Window").press("Enter")
    expect(lab.status).to_contain_text("of the 900-token window")


def test_buttons_step_and_playing_stops_at_the_end(lab: View) -> None:
    lab.box("up to message").fill("37")
    lab.box("up to message").press("Enter")
    expect(lab.status).to_contain_text("38 messages")
    lab.button("One message on").press("Enter")
    expect(lab.box("up to message")).to_have_value("38")
    play = lab.root.get_by_role("button", name="Play")
    play.press("Enter")
    expect(lab.root.get_by_role("button", name="Pause")).to_be_focused()
    expect(lab.box("up to message")).to_have_value("40")
    expect(play).to_be_visible()
    expect(lab.button("One message on")).to_have_attribute("aria-disabled", "true")


def test_a_slider_says_the_number_of_its_box(lab: View) -> None:
    said, box = lab.slider("Window"), lab.box("Window")
    said.focus()
    expect(said).to_have_attribute("aria-valuetext", "900")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        said.press(key)
    expect(box).to_have_value("960")
    expect(said).to_have_attribute("aria-valuetext", "960")
    lab.set("Window", 2_000)
    expect(said).to_have_attribute("aria-valuenow", "31.0")
    said.focus()
    expect(said).to_have_attribute("aria-valuetext", "2000")
    said.press("ArrowRight")
    expect(box).to_have_value("2048")
    expect(said).to_have_attribute("aria-valuetext", "2048")


@pytest.mark.parametrize("ask", ["Enter", "Ask"])
def test_another_question(lab: View, ask: str) -> None:
    question = lab.root.get_by_label("Ask the model with this window")
    answers = lab.root.locator(".ctxkit-answers")
    question.fill("")
    expect(answers).to_have_text("The question has changed: press Enter or Ask.")
    lab.button("Ask").last.press("Enter")
    expect(answers).to_have_text("Type a question first.")
    question.focus()
    # As fast as can be: what is typed must not come after the question.
    lab.lesson.page.keyboard.type("What do many kinds hunt for after dark?", delay=0)
    question.press("Enter") if ask == "Enter" else lab.button("Ask").last.press("Enter")
    expect(answers).to_contain_text("With Keep recent 10")
    expect(answers).to_contain_text("crabs")


def test_an_answer_that_is_not_sure_says_so(lab: View) -> None:
    lab.tab("Summarise old").press("Space")
    expect(lab.code).to_contain_text("SummarizeOldMessages")
    question = lab.root.get_by_label("Ask the model with this window")
    question.fill("When do birds start to sing?")
    question.press("Enter")
    answers = lab.root.locator(".ctxkit-answers > div")
    expect(answers.first).to_contain_text("Perhaps in the summary.")
    expect(answers.first).to_have_attribute("data-kind", "unsure")
    expect(answers.last).to_contain_text("Not found in this window.")


def test_the_code_is_copied_or_selected(lab: View) -> None:
    lab.button("Copy").press("Enter")
    said = lab.root.locator(".ctxkit-code span")
    expect(said).to_have_text(re.compile("Copied|Selected"))
    if "Selected" in said.inner_text():
        assert lab.lesson.page.evaluate("getSelection().toString()").strip() == lab.code.inner_text().strip()


def test_a_page_reload_keeps_it(lab: View) -> None:
    before = lab.shown()
    lab.lesson.reload()
    lab.expect_drawn()
    expect(lab.status).to_have_text(before[0], use_inner_text=True)
    for place in range(2):
        lab.lesson.page.wait_for_function(
            f"([plot, then]) => ({DRAWING})(plot) === then",
            arg=[lab.charts.nth(place).element_handle(), before[4 + place]],
        )
    assert lab.shown() == before


def test_reset_after_the_reload(lab: View) -> None:
    beside, question = lab.root.get_by_label("Compare with"), lab.root.get_by_label("Ask the model")
    beside.select_option("Send everything")
    question.fill("What do many kinds hunt for after dark?")
    lab.button("Reset settings").press("Enter")
    expect(lab.status).to_contain_text("Fits. 41 messages became 10 (1 summary + 9 recent)")
    expect(lab.box("Window")).to_have_value("2048")
    expect(beside).to_have_value("Keep recent")
    expect(question).to_have_value("What tool do dolphins use on the seafloor, and why?")
    expect(lab.root.locator(".ctxkit-answers > div")).to_have_count(2)


def test_a_bad_paste_is_named_and_changes_nothing(lab: View) -> None:
    lab.button("Load or add messages").press("Enter")
    lab.root.get_by_label("Paste JSON").fill('[{"role": "user", "content": 5}]')
    lab.button("Load the pasted text").press("Enter")
    expect(lab.status).to_contain_text("Not loaded. messages[0].content: expected text")
    expect(lab.root.locator(".ctxkit-said")).to_contain_text("messages[0].content: expected text")
    expect(lab.table).to_contain_text("9 of 41 messages are sent")


def test_a_pasted_conversation_takes_over(lab: View) -> None:
    talk = [{"role": "user", "content": f"Question {n}"} for n in range(3)]
    lab.root.get_by_label("Paste JSON").fill(json.dumps(talk))
    lab.button("Load the pasted text").press("Enter")
    expect(lab.status).to_contain_text("All 3 messages are sent")
    expect(lab.table).to_contain_text("Question 2")
    lab.root.get_by_label("Message", exact=True).fill("One <b>more</b>")
    lab.button("Add the message").press("Enter")
    expect(lab.table).to_contain_text("One <b>more</b>")
    expect(lab.status).to_contain_text("All 4 messages")
    lab.root.get_by_label("Message", exact=True).focus()
    lab.lesson.page.keyboard.type("And one by Enter", delay=0)
    lab.lesson.page.keyboard.press("Enter")
    expect(lab.status).to_contain_text("All 5 messages")
    expect(lab.table).to_contain_text("And one by Enter")
    expect(lab.root.get_by_label("Message", exact=True)).to_have_value("")


def test_a_file_takes_over(lab: View, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(
        '{"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}]}', encoding="utf-8"
    )
    with lab.lesson.page.expect_file_chooser() as chooser:
        lab.button("Load a file").click()
    chooser.value.set_files(file)
    expect(lab.table).to_contain_text("Be brief.")
    expect(lab.root.get_by_label("Conversation", exact=True)).to_have_value(re.compile("mine.json"))
    lab.root.get_by_label("Conversation", exact=True).select_option(label="Dolphins to octopus (41 messages)")
    expect(lab.status).to_contain_text("41 messages")
    lab.button("Load or add messages").press("Enter")
    expect(lab.root.get_by_label("Paste JSON")).to_be_hidden()


@pytest.mark.parametrize("width", [760, 1400])
def test_nothing_is_cut(lab: View, width: int) -> None:
    lab.lesson.page.set_viewport_size({"width": width, "height": 1000})
    assert faults(lab.root, CUT) == []


@pytest.mark.parametrize("width", [760, 900, 1280])
def test_there_is_room_for_a_pasted_conversation(lab: View, width: int) -> None:
    lab.lesson.page.set_viewport_size({"width": width, "height": 1000})
    lab.button("Load or add messages").press("Enter")
    paste = lab.root.get_by_label("Paste JSON")
    expect(paste).to_be_visible()
    lab.lesson.page.wait_for_function(
        "text => text.getBoundingClientRect().width >= 250", arg=paste.element_handle()
    )
    assert faults(lab.root, CUT) == []
    lab.button("Load or add messages").press("Enter")
    expect(paste).to_be_hidden()


@pytest.mark.parametrize(("width", "columns"), [(920, 2), (1400, 4)])
def test_no_key_figure_stands_alone(lab: View, width: int, columns: int) -> None:
    lab.lesson.page.set_viewport_size({"width": width, "height": 1000})
    lefts = "new Set(cards.map(card => card.getBoundingClientRect().left)).size"
    lab.lesson.page.wait_for_function(
        f"([cards, columns]) => {lefts} === columns", arg=[lab.cards.element_handles(), columns]
    )
    assert lab.cards.evaluate_all(f"cards => {lefts}") == columns


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_every_text_is_readable(lab: View, theme: str) -> None:
    lab.lesson.set_theme(theme)
    for part in (lab.root, lab.status, lab.table, lab.charts):
        assert unreadable(part) == []
    styles = "lists => lists.map(l => getComputedStyle(l)).map(style => [style.color, style.backgroundImage])"
    lists = lab.root.locator("select:visible").evaluate_all(styles)
    assert lists
    for ink, arrow in lists:
        assert ink in arrow, "the arrow of a list is drawn in another colour than its words"


@pytest.mark.parametrize(
    "name", ["Send everything", "Shorten tool results", "All in a row", "What Ollama does"]
)
def test_hostile_text_is_only_shown(lesson: LessonPage, name: str) -> None:
    lab = View(lesson, 1)
    lab.expect_drawn()
    before = lab.code.inner_text()
    lab.tab(name).click()
    expect(lab.code).not_to_have_text(before, use_inner_text=True)
    for attack in ("script", "image", "closing", "math"):
        expect(lab.table.get_by_text(ATTACKS[attack][:40]).first).to_be_attached()
    expect(lab.table).to_contain_text("⟨U+202E⟩gnp.exe ⟨U+2066⟩␀ ⟨U+D83D⟩")
    expect(lab.root.locator(TRACES)).to_have_count(0)
    assert lesson.page.evaluate("window.attacked") is None


def test_five_thousand_messages(lesson: LessonPage) -> None:
    lab = View(lesson, 2)
    lab.expect_drawn()
    expect(lab.status).to_contain_text("5,000 messages became 10")
    lab.tab("Fit a token budget").click()
    expect(lab.status).to_contain_text("of the 8,192-token window", timeout=MINUTE)
    expect(lab.code).to_contain_text("KeepWithinTokens", timeout=MINUTE)
    lab.tab("Keep recent").click()
    expect(lab.status).to_contain_text("5,000 messages became 10")
    lab.box("up to message").fill("2500")
    lab.box("up to message").press("Enter")
    expect(lab.status).to_contain_text("2,501 messages became 10")


def test_picture_for_the_readme(lab: View, tmp_path: Path) -> None:
    """Kept only when asked for, by `CTXKIT_README_PICTURE=1`, as that of the lab in lesson 3."""
    path = README_PICTURE if os.environ.get("CTXKIT_README_PICTURE") else tmp_path / README_PICTURE.name
    lab.lesson.page.set_viewport_size({"width": 1440, "height": 1900})
    lab.button("Reset settings").press("Enter")
    expect(lab.status).to_contain_text("Fits. 41 messages became 10")
    assert faults(lab.root, CUT) == []
    lab.status.click()  # so that nothing in the picture has the focus
    path.parent.mkdir(parents=True, exist_ok=True)
    lab.root.screenshot(path=path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_nothing_went_wrong_on_the_page(lesson: LessonPage) -> None:
    assert lesson.complaints == []
