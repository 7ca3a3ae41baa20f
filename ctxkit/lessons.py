"""Where the lessons are, and the learner's own copy of them in `my_lessons/`.

Contract: the lessons that the kit ships are only read. A copy has no outputs, so that a prediction stays a
prediction; it is made once and never overwritten, and a newer kit adds only the lessons that are not there
yet. `reset` sets an old copy aside under another name. Solutions are never copied. Only the standard library
is needed, so this works before JupyterLab is installed.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

COPIES = "my_lessons"
FIRST = "00_start_here.ipynb"


class UnknownLesson(LookupError):
    """There is no lesson with the number that was asked for; the text lists those that there are."""


class BrokenLesson(ValueError):
    """A lesson that the kit ships can't be read; the text names its file."""


class NoCopiesFolder(OSError):
    """There is no place for the learner's copies; the text says why and what to do."""


@dataclass(frozen=True)
class Lesson:
    """A lesson as the kit ships it: its notebook, its title and the minutes it takes alone."""

    path: Path
    title: str
    minutes: int

    @property
    def name(self) -> str:
        """The file's name, the same in a learner's copy: `03_discarding_old_messages.ipynb`."""
        return self.path.name

    @property
    def number(self) -> str:
        """The two digits that the file's name starts with."""
        return self.name[:2]


def checkout() -> Path | None:
    """The root of the repository when the package runs from one, None when it was installed from a wheel."""
    root = Path(__file__).resolve().parents[1]
    is_checkout = (root / "pyproject.toml").is_file() and (root / "notebooks").is_dir()
    return root if is_checkout else None


def find_lessons() -> list[Lesson]:
    """The lessons in reading order, from `notebooks/` of a checkout or from the installed package.

    Raises FileNotFoundError when there are none, BrokenLesson when one can't be read.

    >>> [lesson.number for lesson in find_lessons()][:2]
    ['00', '01']
    """
    root = checkout()
    folder = root / "notebooks" if root else Path(__file__).with_name("_notebooks")
    paths = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    if not paths:
        raise FileNotFoundError("this copy of ctxkit holds no lessons; install it again")
    return [_lesson(path) for path in paths]


def find_lesson(number: str) -> Lesson:
    """The lesson called `number`: "3", "03" or the name of its file. Raises UnknownLesson.

    >>> find_lesson("1").name
    '01_messages_and_roles.ipynb'
    """
    lessons = find_lessons()
    wanted = number.strip().split("_")[0]
    for lesson in lessons:
        if wanted and lesson.number == wanted.zfill(2):
            return lesson
    known = ", ".join(lesson.number for lesson in lessons)
    raise UnknownLesson(f"there is no lesson {number!r}; there are {known}")


def copies_folder() -> Path:
    """The folder of the learner's copies: in the root of a checkout, else in (or as) the current folder.

    It need not be there yet. Raises NoCopiesFolder when it can't be made.
    """
    try:
        base = checkout() or Path.cwd()
    except OSError:
        raise NoCopiesFolder("your current folder is gone: change (cd) into one that is there") from None
    folder = base if base.name == COPIES else base / COPIES
    if os.path.lexists(folder) and not folder.is_dir():
        raise NoCopiesFolder(f"{COPIES} is there but is no folder: give it another name ({folder})")
    return folder


def make_copies(folder: Path) -> list[Lesson]:
    """Copy each lesson that `folder` doesn't hold yet, without its outputs; gives back the new ones."""
    folder.mkdir(parents=True, exist_ok=True)
    new = [lesson for lesson in find_lessons() if not os.path.lexists(folder / lesson.name)]
    for lesson in new:
        _write_whole(folder / lesson.name, cleared(lesson.path))
    return new


def reset(lesson: Lesson, folder: Path) -> Path | None:
    """Put a fresh copy of `lesson` in `folder`; gives back where the old one went, None if there was none."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / lesson.name
    aside = _free_name(copy) if os.path.lexists(copy) else None
    if aside:
        copy.rename(aside)
    _write_whole(copy, cleared(lesson.path))
    return aside


def copy_state(lesson: Lesson, folder: Path) -> str:
    """A few words for a learner's copy: "not copied", "not started", "in progress" or "can't be read"."""
    copy = folder / lesson.name
    if not os.path.lexists(copy):
        return "not copied"
    try:
        text = copy.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return "can't be read"
    return "not started" if text == cleared(lesson.path) else "in progress"


def cleared(path: Path) -> str:
    """The text of a notebook without outputs, execution counts and the saved state of widgets."""
    notebook = _read(path)
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _lesson(path: Path) -> Lesson:
    metadata = _read(path)["metadata"]
    try:
        return Lesson(path, title=metadata["ctxkit"]["title"], minutes=metadata["ctxkit"]["minutes"])
    except (KeyError, TypeError):
        lacking = "title and minutes are missing in its metadata, under the key ctxkit"
        raise BrokenLesson(f"{path.name}: {lacking}") from None


def _read(path: Path) -> dict[str, Any]:
    """The notebook in `path`. Raises BrokenLesson when it has no cells or metadata, or is none at all."""
    try:
        notebook: Any = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:  # not JSON, or not UTF-8
        notebook = None
    if not (isinstance(notebook, dict) and {"cells", "metadata"} <= notebook.keys()):
        raise BrokenLesson(f"{path.name} of the kit is no notebook any more: install the kit again")
    return cast("dict[str, Any]", notebook)


def _free_name(copy: Path) -> Path:
    """`03_name (old 1).ipynb`, or the first number that is free."""
    number = 1
    while os.path.lexists(aside := copy.with_name(f"{copy.stem} (old {number}){copy.suffix}")):
        number += 1
    return aside


def _write_whole(path: Path, text: str) -> None:
    """Write by way of a draft: a full disk must not leave half a lesson, which would never be replaced."""
    draft = path.with_name(f".{path.name}.part")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)
