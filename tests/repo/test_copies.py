"""The learner's copies: outputs cleared, made once, never overwritten, set aside on reset."""

import json
from pathlib import Path

import pytest

from ctxkit import lessons
from tests.repo.conftest import notebook


def test_a_copy_holds_the_cells_but_no_output_and_no_widget_state(kit: Path) -> None:
    lessons.make_copies(kit / "my_lessons")
    copy = json.loads((kit / "my_lessons" / "01_roles.ipynb").read_text(encoding="utf-8"))
    text, code = copy["cells"]
    assert text["source"] == ["Größe"]
    assert (code["source"], code["outputs"], code["execution_count"]) == (["print()"], [], None)
    assert "widgets" not in copy["metadata"]


def test_the_shipped_lesson_stays_as_it_was(kit: Path) -> None:
    shipped = kit / "notebooks" / "01_roles.ipynb"
    before = shipped.read_bytes()
    lessons.make_copies(kit / "my_lessons")
    assert shipped.read_bytes() == before


def test_a_copy_is_never_overwritten_even_if_it_is_no_notebook_any_more(kit: Path) -> None:
    folder = kit / "my_lessons"
    lessons.make_copies(folder)
    (folder / "00_start_here.ipynb").write_text("my work", encoding="utf-8")
    assert lessons.make_copies(folder) == []
    assert (folder / "00_start_here.ipynb").read_text(encoding="utf-8") == "my work"


def test_a_newer_kit_adds_only_its_new_lesson(kit: Path) -> None:
    folder = kit / "my_lessons"
    lessons.make_copies(folder)
    (kit / "notebooks" / "02_tokens.ipynb").write_text(notebook("Tokens"), encoding="utf-8")
    assert [lesson.name for lesson in lessons.make_copies(folder)] == ["02_tokens.ipynb"]


def test_a_failed_copy_leaves_nothing_that_looks_like_a_lesson(
    kit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(path: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full_disk)
        with pytest.raises(OSError, match="No space left"):
            lessons.make_copies(kit / "my_lessons")
    assert list((kit / "my_lessons").glob("*.ipynb")) == []
    assert len(lessons.make_copies(kit / "my_lessons")) == 2


def test_each_reset_sets_the_old_copy_aside_under_a_new_name(kit: Path) -> None:
    folder = kit / "my_lessons"
    lesson = lessons.find_lesson("1")
    assert lessons.reset(lesson, folder) is None
    for number, work in ((1, "first try"), (2, "second try")):
        (folder / lesson.name).write_text(work, encoding="utf-8")
        aside = lessons.reset(lesson, folder)
        assert aside is not None
        assert aside.name == f"01_roles (old {number}).ipynb"
    old = [(folder / f"01_roles (old {number}).ipynb").read_text(encoding="utf-8") for number in (1, 2)]
    assert old == ["first try", "second try"]
    assert lessons.copy_state(lesson, folder) == "not started"


def test_the_state_of_a_copy(kit: Path) -> None:
    folder = kit / "my_lessons"
    lesson = lessons.find_lesson("01")
    assert lessons.copy_state(lesson, folder) == "not copied"
    lessons.make_copies(folder)
    assert lessons.copy_state(lesson, folder) == "not started"
    copy = folder / lesson.name
    copy.write_text(copy.read_text(encoding="utf-8").replace("print()", "print(1)"), encoding="utf-8")
    assert lessons.copy_state(lesson, folder) == "in progress"


def test_a_copy_that_cannot_be_read_is_a_state_of_its_own_and_loses_nothing_on_reset(kit: Path) -> None:
    folder = kit / "my_lessons"
    folder.mkdir()
    text, directory = lessons.find_lessons()
    (folder / text.name).write_bytes(b"\xff\xfe my work")
    (folder / directory.name).mkdir()
    assert lessons.make_copies(folder) == []
    for lesson in (text, directory):
        assert lessons.copy_state(lesson, folder) == "can't be read"
        assert lessons.reset(lesson, folder) is not None
        assert lessons.copy_state(lesson, folder) == "not started"
    assert (folder / "00_start_here (old 1).ipynb").read_bytes() == b"\xff\xfe my work"
    assert (folder / "01_roles (old 1).ipynb").is_dir()


def test_a_link_to_a_copy_elsewhere_is_kept_even_while_its_target_is_away(kit: Path, tmp_path: Path) -> None:
    folder = kit / "my_lessons"
    folder.mkdir()
    lesson = lessons.find_lesson("01")
    link = folder / lesson.name
    link.symlink_to(tmp_path / "drive" / "01_roles.ipynb")
    assert [new.number for new in lessons.make_copies(folder)] == ["00"]
    assert link.is_symlink()
    assert lessons.copy_state(lesson, folder) == "can't be read"
    for number in (1, 2):
        aside = lessons.reset(lesson, folder)
        assert aside is not None
        assert aside.name == f"01_roles (old {number}).ipynb"
    assert (folder / "01_roles (old 1).ipynb").is_symlink()


@pytest.mark.parametrize("number", ["1", "01", " 1 ", "01_roles", "01_roles.ipynb"])
def test_a_lesson_is_found_by_number_or_name(kit: Path, number: str) -> None:
    assert lessons.find_lesson(number).name == "01_roles.ipynb"


@pytest.mark.parametrize("number", ["", "7", "roles", "../01", "1x"])
def test_an_unknown_lesson_is_an_error_that_lists_those_there_are(kit: Path, number: str) -> None:
    with pytest.raises(lessons.UnknownLesson, match="there are 00, 01"):
        lessons.find_lesson(number)


@pytest.mark.parametrize("metadata", [{}, {"ctxkit": {"title": "Bad"}}, {"ctxkit": "Bad"}, []])
def test_a_lesson_without_title_is_named(kit: Path, metadata: object) -> None:
    bad = json.dumps({"cells": [], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
    (kit / "notebooks" / "02_bad.ipynb").write_text(bad, encoding="utf-8")
    with pytest.raises(lessons.BrokenLesson, match=r"02_bad\.ipynb: title and minutes are missing"):
        lessons.find_lessons()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b'"cells metadata"', b'{"metadata": {}}'])
def test_a_lesson_that_is_no_notebook_is_named(kit: Path, content: bytes) -> None:
    (kit / "notebooks" / "02_bad.ipynb").write_bytes(content)
    with pytest.raises(lessons.BrokenLesson, match=r"02_bad\.ipynb .* install the kit again"):
        lessons.find_lessons()


def test_outside_a_checkout_the_copies_go_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lessons, "checkout", lambda: None)
    monkeypatch.chdir(tmp_path)
    assert lessons.copies_folder() == tmp_path / "my_lessons"
    (tmp_path / "my_lessons").mkdir()
    monkeypatch.chdir(tmp_path / "my_lessons")
    assert lessons.copies_folder() == tmp_path / "my_lessons"
