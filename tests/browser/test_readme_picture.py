"""The picture in the README: the lab of lesson 3 as a learner sees it.

It is kept only when asked for, so that a run of the tests changes no file of the repository:
`CTXKIT_README_PICTURE=1 python -m pytest tests/browser/test_readme_picture.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from .lab_server import REPOSITORY
from .lesson_page import LessonPage

KEPT = REPOSITORY / "docs" / "images" / "discarding_lab.png"
PNG = b"\x89PNG\r\n\x1a\n"


def test_picture_shows_the_whole_lab(open_lesson: Callable[[str], LessonPage], tmp_path: Path) -> None:
    path = KEPT if os.environ.get("CTXKIT_README_PICTURE") else tmp_path / KEPT.name
    lesson = open_lesson("03_discarding_old_messages.ipynb")
    lesson.run_all()
    lesson.page.set_viewport_size({"width": 1280, "height": 1400})
    lab = lesson.lab()
    lab.set("Keep", 12)
    lab.set("budget", 800)
    lab.expect_nothing_cut_off()
    lab.status.click()  # so that nothing in the picture has the focus
    lesson.page.mouse.move(0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    lab.root.screenshot(path=path)
    picture = path.read_bytes()
    width, height = (int.from_bytes(picture[start : start + 4], "big") for start in (16, 20))
    assert picture.startswith(PNG)
    assert width > 700
    assert height > 700
