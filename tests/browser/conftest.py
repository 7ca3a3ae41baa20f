"""One JupyterLab, one browser and a page per test module; pictures of the open pages when a test fails."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, expect, sync_playwright

from ctxkit.lessons import COPIES, make_copies

from .lab_server import REPOSITORY, LabServer, lab_server
from .lesson_page import LessonPage

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT_MILLISECONDS = 60_000
PICTURES = REPOSITORY / "test-results"

_open_lessons: list[LessonPage] = []

expect.set_options(timeout=WAIT_MILLISECONDS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, else Playwright's own; having none is a failure in CI and a skip elsewhere."""
    with sync_playwright() as playwright:
        installed = shutil.which("chromium") or shutil.which("chromium-browser")
        path = installed or playwright.chromium.executable_path
        if not Path(path).is_file():
            missing = "no Chromium: install the package `chromium`, or run `playwright install chromium`"
            if os.environ.get("CI") == "true":
                pytest.fail(missing)
            pytest.skip(missing)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    scratch = tmp_path_factory.mktemp("jupyterlab")
    folder = scratch / "kit" / COPIES
    make_copies(folder)
    with lab_server(folder, scratch) as server:
        yield server


@pytest.fixture(scope="module")
def open_lesson(browser: Browser, server: LabServer) -> Iterator[Callable[..., LessonPage]]:
    """Opens a lesson in a page of its own, which stays until the module's last test is done.

    kind: the class of the page, JupyterLab's by default.
    """
    with ExitStack() as pages:

        def open_in_new_page(name: str, kind: type[LessonPage] = LessonPage) -> LessonPage:
            context = pages.enter_context(browser.new_context(viewport={"width": 1280, "height": 1000}))
            context.set_default_timeout(WAIT_MILLISECONDS)
            lesson = kind(context.new_page(), server, name)
            _open_lessons.append(lesson)
            pages.callback(_open_lessons.remove, lesson)
            lesson.open()
            return lesson

        yield open_in_new_page


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if report.failed:
        PICTURES.mkdir(exist_ok=True)
        for lesson in _open_lessons:
            name = re.sub(r"\W+", "-", f"{item.nodeid} {report.when} {lesson.name}")
            with suppress(Error):  # a page that crashed gives no picture
                lesson.page.screenshot(path=PICTURES / f"{name}.png")
    return report
