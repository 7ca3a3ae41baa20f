"""The answers file: kept over restarts, never lost, never in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from ctxkit.exercises import answers, check_answer, predict, progress
from ctxkit.exercises.answers import AnswersWarning, change_answers, read_answers


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = tmp_path / "answers.json"
    monkeypatch.setenv("CTXKIT_ANSWERS", str(path))
    monkeypatch.setattr(answers, "_unsaved", {})
    monkeypatch.setattr(answers, "_warned", set())
    return path


def test_a_new_process_knows_the_answers(path):
    check_answer("00-author", "assistant")
    predict("00-sponge", 2)
    code = "from ctxkit.exercises import progress; print(progress('00'))"
    shown = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    ).stdout
    assert "Right: 00-author" in shown
    assert "Prediction 00-sponge: 2" in shown


def test_without_the_variable_the_file_is_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("CTXKIT_ANSWERS", raising=False)
    monkeypatch.chdir(tmp_path)
    predict("00-sponge", 2)
    assert json.loads((tmp_path / "ctxkit_answers.json").read_text())["predictions"] == {
        "00-sponge": {"guess": 2}
    }


def test_entries_of_another_notebook_and_unknown_ones_stay(path):
    path.write_text(json.dumps({"exercises": {"09-later": {"status": "right"}}, "note": "mine"}))
    predict("00-sponge", 2)
    kept = json.loads(path.read_text())
    assert kept["note"] == "mine"
    assert kept["exercises"] == {"09-later": {"status": "right"}}
    assert kept["predictions"] == {"00-sponge": {"guess": 2}}


@pytest.mark.parametrize(
    "damaged",
    [
        b"{",
        b"",
        b"[1, 2]",
        b"\xff\xfe",
        b'{"exercises": []}',
        b'{"exercises": {"00-author": 3}}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_set_aside_whole(path, damaged):
    path.write_bytes(damaged)
    with pytest.warns(AnswersWarning, match="kept as answers.damaged-1.json"):
        text = repr(predict("00-sponge", 2))
    assert "You predict 2" in text
    assert (path.parent / "answers.damaged-1.json").read_bytes() == damaged
    assert read_answers()["predictions"] == {"00-sponge": {"guess": 2}}


def test_a_second_damaged_file_gets_another_name(path):
    for number in (1, 2):
        path.write_text(f"damaged {number}")
        with pytest.warns(AnswersWarning):
            predict("00-sponge", number)
    assert (path.parent / "answers.damaged-1.json").read_text() == "damaged 1"
    assert (path.parent / "answers.damaged-2.json").read_text() == "damaged 2"


def test_where_nothing_can_be_written_one_warning_is_given_and_the_lesson_goes_on(tmp_path, monkeypatch):
    # A file in the place of the folder: unwritable for everybody, root included.
    (tmp_path / "folder").write_text("")
    monkeypatch.setenv("CTXKIT_ANSWERS", str(tmp_path / "folder" / "answers.json"))
    monkeypatch.setattr(answers, "_unsaved", {})
    monkeypatch.setattr(answers, "_warned", set())
    with pytest.warns(AnswersWarning, match="Answers last until the kernel restarts") as caught:
        assert "until the kernel restarts" in repr(predict("00-sponge", 2))
        assert check_answer("00-author", "assistant").status == "right"
    assert len(caught) == 1
    assert read_answers()["predictions"] == {"00-sponge": {"guess": 2}}
    assert read_answers()["exercises"]["00-author"]["status"] == "right"


def test_a_folder_in_the_place_of_the_file_is_left_alone(path):
    path.mkdir()
    with pytest.warns(AnswersWarning, match="can't be used here"):
        predict("00-sponge", 2)
    assert path.is_dir()
    assert read_answers()["predictions"] == {"00-sponge": {"guess": 2}}


def test_a_crash_while_writing_leaves_the_old_file(path, monkeypatch):
    predict("00-sponge", 2)
    before = path.read_bytes()

    def crash(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        predict("00-sponge", 3)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_linked_file_stays_a_link(path, tmp_path):
    real = tmp_path / "elsewhere.json"
    real.write_text("{}")
    path.symlink_to(real)
    predict("00-sponge", 2)
    assert path.is_symlink()
    assert "00-sponge" in real.read_text()


def test_a_function_is_kept_as_the_text_it_was_typed_in(path):
    def last_messages(messages, keep):
        return messages[-keep:]

    check_answer("03-last", last_messages)
    assert "return messages[-keep:]" in read_answers()["exercises"]["03-last"]["answer"]


@pytest.mark.parametrize("answer", ["\ud83d", 10**5000, float("nan"), {1, 2}, "x" * 10**6], ids=range(5))
def test_any_answer_can_be_kept(path, answer):
    check_answer("00-keep", answer)
    assert json.loads(path.read_text())["exercises"]["00-keep"]["status"] == "wrong"
    assert path.stat().st_size < 100_000


def test_change_says_whether_it_was_saved(path):
    assert change_answers(lambda kept: kept["predictions"].update(x={"guess": 1}))


def test_a_failed_replace_is_made_up_for_by_the_next(path, monkeypatch):
    real = os.replace

    def refuse(source, target):
        raise PermissionError(13, "in use")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.warns(AnswersWarning, match="in use") as caught:
        assert "until the kernel restarts" in repr(predict("00-sponge", 2))
        check_answer("00-author", "assistant")
    assert len(caught) == 1
    assert read_answers()["predictions"] == {"00-sponge": {"guess": 2}}
    monkeypatch.setattr(os, "replace", real)
    assert "in your answers file" in repr(predict("03-giant", 3))
    kept = json.loads(path.read_text())
    assert kept["predictions"] == {"00-sponge": {"guess": 2}, "03-giant": {"guess": 3}}
    assert kept["exercises"]["00-author"]["status"] == "right"
    assert os.listdir(path.parent) == [path.name]


def test_what_can_be_read_and_not_written_is_damaged(path):
    depth, writable = 100, True
    while writable:  # how deep a writer goes differs between versions of Python
        depth += depth // 10
        text = json.dumps({"note": 0}).replace("0", "[" * depth + "]" * depth)
        try:
            json.dumps(json.loads(text), indent=1)
        except RecursionError:
            writable = False
    path.write_text(text)
    with pytest.warns(AnswersWarning, match="kept as answers.damaged-1.json"):
        predict("00-sponge", 2)
    assert (path.parent / "answers.damaged-1.json").read_text() == text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no folder that somebody is in")
def test_in_a_removed_folder_answers_last_as_long_as_the_kernel(tmp_path, monkeypatch):
    monkeypatch.delenv("CTXKIT_ANSWERS", raising=False)
    monkeypatch.setattr(answers, "_unsaved", {})
    monkeypatch.setattr(answers, "_warned", set())
    folder = tmp_path / "removed"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.warns(AnswersWarning, match="Answers last until the kernel restarts") as caught:
        assert check_answer("00-author", "assistant").status == "right"
        assert "until the kernel restarts" in repr(predict("00-sponge", 2))
        assert check_answer("03-last", lambda messages, keep: 3).status == "wrong"
        assert "Right: 00-author" in repr(progress("00"))
    assert len(caught) == 1
