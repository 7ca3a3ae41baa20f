"""What the command line says about the learner's copies; `ctxkit.lessons` makes them."""

from __future__ import annotations

from pathlib import Path

from ctxkit.lessons import copies_folder, copy_state, find_lesson, find_lessons, make_copies, reset


def prepare_copies(folder: Path) -> None:
    """Make the copies that are missing and say so in one line."""
    new = make_copies(folder)
    if new:
        names = ", ".join(lesson.number for lesson in new)
        print(f"Copied into {folder.name}: {names}. Work there; a copy is never overwritten.")


def show_lessons() -> int:
    """List all lessons in reading order with the state of the learner's copy."""
    folder = copies_folder()
    prepare_copies(folder)
    for lesson in find_lessons():
        print(f"{lesson.number}  {copy_state(lesson, folder):<13} {lesson.minutes:>2} min  {lesson.title}")
    print(f"\nYour copies are in {folder}")
    print("A fresh copy of one lesson, the old one set aside: python -m ctxkit reset 03")
    return 0


def reset_lesson(number: str) -> int:
    """Give the learner a fresh copy of one lesson and say where the old one went."""
    lesson = find_lesson(number)
    aside = reset(lesson, copies_folder())
    print(f"Fresh copy: {lesson.name}")
    if aside:
        print(f"Your old copy is now: {aside.name}")
        print("If the lesson is open in JupyterLab: File > Reload Notebook from Disk.")
        print("What you predicted and solved is still remembered, until you answer anew.")
    return 0
