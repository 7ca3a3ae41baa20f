"""A lesson open in JupyterLab, worked by its menus and its keyboard as a learner works it."""

from __future__ import annotations

import re

from playwright.sync_api import ConsoleMessage, Dialog, Locator, Page, Request, expect

from .kernel_traffic import KernelMessage, KernelTraffic
from .lab_server import LabServer
from .lab_view import LabView

DARK, LIGHT = "JupyterLab Dark", "JupyterLab Light"


class LessonPage:
    """One notebook in one browser page.

    `complaints` collects what must not happen: errors on the console, uncaught exceptions, dialogs that a
    script opened, and requests to any other host.
    """

    def __init__(self, page: Page, server: LabServer, name: str) -> None:
        self.page = page
        self.name = name
        self.traffic = KernelTraffic(page)
        self.complaints: list[str] = []
        self._server = server
        page.on("console", self._keep_error)
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        page.on("dialog", self._refuse)
        page.on("request", self._keep_foreign)

    def open(self) -> None:
        """Open the lesson and wait for its idle kernel: asked to run before that, JupyterLab asks for one."""
        self.page.goto(self._server.lesson_url(self.name))
        self._wait_until_ready()

    def reload(self) -> None:
        """Save the notebook, as the autosave does, and load the page again with the kernel alive."""
        self.save()
        self.page.reload()
        self._wait_until_ready()

    def save(self) -> None:
        self.menu("File", "Save Notebook")
        expect(self.page.locator(".jp-mod-current.jp-mod-dirty")).to_have_count(0)

    def menu(self, *path: str) -> None:
        """Choose an entry of the menu bar: `menu("Settings", "Theme", "JupyterLab Dark")`."""
        first, *rest = path
        self.page.get_by_role("menubar").get_by_role("menuitem", name=first, exact=True).click()
        for name in rest:
            self.page.locator(".lm-Menu-item", has=self.page.get_by_text(name, exact=True)).click()

    def run_all(self) -> None:
        """Run all cells and wait until the last one is done; fails when one of them raised."""
        mark = self.traffic.mark()
        self.menu("Run", "Run All Cells")
        self._must_succeed(self.traffic.wait_for_replies(mark, "execute_reply", self._code_cells_with_text()))
        expect(self.page.locator(".jp-InputPrompt", has_text="*")).to_have_count(0)

    def restart_kernel(self) -> None:
        """Restart the kernel by the menu and the question that follows, and wait until it is idle again."""
        mark = self.traffic.mark()
        self.menu("Kernel", "Restart Kernel…")
        self.page.get_by_role("dialog").get_by_role("button", name="Confirm Kernel Restart").click()
        self.traffic.wait_for_replies(mark, "kernel_info_reply", 1)
        self._expect_idle()

    def cell(self, source: str) -> Locator:
        """The one code cell that contains `source`, held by its place so that its text may be edited.

        `source` stands on one line. Cells out of sight are laid out only when scrolled to: until then they
        have a text content but no inner text.
        """
        cells = self.page.locator(".jp-NotebookPanel .jp-CodeCell")
        sources = cells.locator(".cm-content").all_text_contents()
        places = [place for place, text in enumerate(sources) if source in text]
        assert len(places) == 1, f"{self.name}: {len(places)} code cells hold {source!r}"
        return cells.nth(places[0])

    def run_cell(self, cell: Locator, source: str | None = None) -> str:
        """Type `source` in place of what stands in a cell, run it by Ctrl+Enter, and give its output."""
        editor = cell.locator(".cm-content")
        editor.click()
        if source is not None:
            editor.press("Control+a")
            self.page.keyboard.insert_text(source)
        mark = self.traffic.mark()
        self.page.keyboard.press("Control+Enter")
        self._must_succeed(self.traffic.wait_for_replies(mark, "execute_reply", 1))
        expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"))
        return self.output_text(cell)

    def output(self, cell: Locator) -> Locator:
        """All that a cell has put out."""
        return cell.locator(".jp-Cell-outputArea")

    def output_text(self, cell: Locator) -> str:
        """What a cell has put out as text, without the numbers beside it."""
        return "".join(self.output(cell).locator(".jp-OutputArea-output").all_text_contents())

    def lab(self, index: int = 0) -> LabView:
        """The lab that comes at this place in the lesson, from 0."""
        has_status = self.page.locator("[role=status]")
        return LabView(self.page.locator(".jp-OutputArea-output", has=has_status).nth(index), self.traffic)

    def set_theme(self, name: str) -> None:
        """Choose a theme in the menu and wait until the page wears it."""
        self.menu("Settings", "Theme", name)
        expect(self.page.locator("body")).to_have_attribute("data-jp-theme-name", name)

    def _wait_until_ready(self) -> None:
        expect(self.page.locator(".jp-NotebookPanel .jp-Cell").first).to_be_visible()
        self.traffic.wait_until_ready()
        self._expect_idle()

    def _expect_idle(self) -> None:
        expect(self.page.locator(".jp-Notebook-ExecutionIndicator")).to_have_attribute("data-status", "idle")

    def _code_cells_with_text(self) -> int:
        editors = self.page.locator(".jp-NotebookPanel .jp-CodeCell .cm-content")
        return sum(1 for text in editors.all_text_contents() if text.strip())

    def _must_succeed(self, replies: list[KernelMessage]) -> None:
        for reply in replies:
            content = reply.content
            assert content["status"] == "ok", f"{self.name}: {content.get('ename')}: {content.get('evalue')}"

    def _keep_error(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _refuse(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _keep_foreign(self, request: Request) -> None:
        if not request.url.startswith((self._server.address, "data:", "blob:")):
            self.complaints.append(f"request to another host: {request.url}")
