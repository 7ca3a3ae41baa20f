"""The window lab where it is not opened in JupyterLab: in Notebook 7, and as a page of Voila.

Both are extensions of the server that serves JupyterLab, so the run's one server shows them too.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .contrast import unreadable
from .lab_server import LabServer
from .layout import faults
from .lesson_page import LessonPage
from .notebooks import write_notebook
from .window_view import CUT, View

NAME = "other_pages.ipynb"
LAB = """\
from ctxkit import WindowLab
WindowLab(strategy="Summarise old", reserve=112)"""


class NotebookPage(LessonPage):
    """A notebook open in Notebook 7.

    `own_faults`: parts of errors that the page raises by itself, with any notebook or none.
    """

    # The first two are raised while Notebook 7.6 starts, with an empty notebook too. The last is the font of
    # icons, refused once JupyterLab has got its own of that name: the server mixes up files of one name.
    own_faults: tuple[str, ...] = (
        "reading 'schema'",
        "'filebrowser:open-path' not registered",
        ".woff2",
    )

    @property
    def of_the_lab(self) -> list[str]:
        """The complaints that are not about the page itself."""
        return [text for text in self.complaints if not any(fault in text for fault in self.own_faults)]

    def open(self) -> None:
        self.page.goto(self._address("notebooks"))
        expect(self.page.locator(".jp-NotebookPanel .jp-Cell").first).to_be_visible()
        self.traffic.wait_until_ready()

    def _address(self, view: str) -> str:
        server = self._server
        return f"{server.address}{view}/{server.folder.name}/{self.name}?token={server.token}"


class VoilaPage(NotebookPage):
    """A notebook shown by Voila, which runs it itself."""

    # Its template loads icons and MathJax from other hosts, which a test cannot reach, and it starts an
    # extension of JupyterLab that Notebook brings and that needs more of JupyterLab than Voila has.
    own_faults = ("cdn.jsdelivr.net/", "cdnjs.cloudflare.com/", "labextensions/@jupyter-notebook/")

    def open(self) -> None:
        self.page.goto(self._address("voila/render"))

    def run_all(self) -> None:
        """Nothing: the page is what came of running all cells."""


@pytest.fixture(scope="module", params=[NotebookPage, VoilaPage], ids=["Notebook 7", "Voila"])
def lab(request: pytest.FixtureRequest, open_lesson: Callable[..., LessonPage], server: LabServer) -> View:
    write_notebook(server.folder / NAME, [LAB])
    lesson = open_lesson(NAME, request.param)
    lesson.run_all()
    view = View(lesson)
    view.expect_drawn()
    return view


def test_it_is_there_and_whole(lab: View) -> None:
    expect(lab.status).to_contain_text("Fits. 41 messages became 10 (1 summary + 9 recent)")
    expect(lab.root.get_by_text("Found in the summary.")).to_be_visible()
    assert faults(lab.root, CUT) == []
    for part in (lab.root, lab.status, lab.table, lab.charts):
        assert unreadable(part) == []


def test_a_slider_by_keyboard_changes_everything(lab: View) -> None:
    before = lab.shown()
    for _ in range(3):
        lab.slider("Summarise above").press("ArrowLeft")
    expect(lab.slider("Summarise above")).to_be_focused()
    lab.expect_all_other_than(before)


def test_nothing_went_wrong_on_the_page(lab: View) -> None:
    assert isinstance(lab.lesson, NotebookPage)
    assert "\n".join(lab.lesson.of_the_lab) == ""
