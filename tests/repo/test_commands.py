"""`python -m ctxkit`, as a learner types it."""

import ast
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ctxkit import lessons
from ctxkit.cli import copies, main
from tests.repo.conftest import ROOT, notebook

NEWS = "@jupyterlab/apputils-extension:announcements"


def test_lessons_makes_the_copies_and_lists_them_in_reading_order(
    kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lessons"]) == 0
    first = capsys.readouterr().out.splitlines()
    assert first[:3] == [
        "Copied into my_lessons: 00, 01. Work there; a copy is never overwritten.",
        "00  not started   25 min  Start here",
        "01  not started   25 min  Roles",
    ]
    assert main(["lessons"]) == 0
    assert capsys.readouterr().out.splitlines() == first[1:]


def test_reset_says_where_the_old_copy_went(kit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lessons"])
    capsys.readouterr()
    assert main(["reset", "01"]) == 0
    out = capsys.readouterr().out
    assert "Fresh copy: 01_roles.ipynb" in out
    assert "Your old copy is now: 01_roles (old 1).ipynb" in out


def test_an_unknown_lesson_is_one_line_and_exit_code_1(kit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reset", "9"]) == 1
    assert capsys.readouterr().out == "problem: there is no lesson '9'; there are 00, 01\n"


def test_a_file_in_the_way_of_the_copies_is_one_line_and_exit_code_1(
    kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (kit / "my_lessons").write_text("mine", encoding="utf-8")
    for command in (["lessons"], ["reset", "01"], ["lab"]):
        assert main(command) == 1
        line = f"problem: my_lessons is there but is no folder: give it another name ({kit / 'my_lessons'})\n"
        assert capsys.readouterr().out == line
    assert (kit / "my_lessons").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("command", [["lessons"], ["reset", "01"], ["lab"]])
def test_a_removed_current_folder_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.setattr(lessons, "checkout", lambda: None)
    monkeypatch.setattr(copies, "find_lesson", lambda _: None)
    monkeypatch.chdir(tmp_path)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(command) == 1
    out = capsys.readouterr().out
    assert out == "problem: your current folder is gone: change (cd) into one that is there\n"


def test_what_the_system_refuses_is_one_line_that_names_the_place(
    kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = kit / "my_lessons" / ".00_start_here.ipynb.part"
    draft.mkdir(parents=True)
    assert main(["lessons"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"problem: {draft} can't be read or written (")
    assert out.endswith("); to see more: python -m ctxkit doctor\n")


def test_a_broken_lesson_of_the_kit_is_one_line(kit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (kit / "notebooks" / "01_roles.ipynb").write_text("{", encoding="utf-8")
    assert main(["lessons"]) == 1
    line = "problem: 01_roles.ipynb of the kit is no notebook any more: install the kit again\n"
    assert capsys.readouterr().out == line


def test_copies_that_cannot_be_read_are_listed_with_the_rest(
    kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (kit / "notebooks" / "02_tokens.ipynb").write_text(notebook("Tokens"), encoding="utf-8")
    (kit / "my_lessons" / "00_start_here.ipynb").mkdir(parents=True)
    (kit / "my_lessons" / "01_roles.ipynb").write_bytes(b"\xff")
    assert main(["lessons"]) == 0
    assert capsys.readouterr().out.splitlines()[1:4] == [
        "00  can't be read 25 min  Start here",
        "01  can't be read 25 min  Roles",
        "02  not started   25 min  Tokens",
    ]


@pytest.mark.parametrize(
    ("command", "unbuffered"),
    # argparse itself says nothing when it can't write its help at once.
    [("lessons", ""), ("lessons", "1"), ("doctor", ""), ("doctor", "1"), ("--help", "")],
)
def test_a_reader_that_has_gone_means_a_quiet_end(
    installed: Path, tmp_path: Path, command: str, unbuffered: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "ctxkit", command],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(installed), "PYTHONUNBUFFERED": unbuffered},
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (1, "")


def test_a_path_that_the_terminal_has_no_letters_for_is_still_shown(installed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "größe"
    folder.mkdir()
    ended = subprocess.run(
        [sys.executable, "-m", "ctxkit", "lessons"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(installed), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert r"gr\xf6\xdfe" in ended.stdout


@pytest.mark.parametrize("line", [["--fast"], ["nonsense"], ["reset"], ["doctor", "-x"], ["lessons", "03"]])
def test_a_wrong_command_line_is_refused_with_code_2(
    line: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(line)
    assert stopped.value.code == 2
    assert "usage: python -m ctxkit" in capsys.readouterr().err


def test_without_a_command_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = re.findall(r"^ +(\w+) +\w", capsys.readouterr().out, re.MULTILINE)
    assert {"lab", "lessons", "reset", "doctor"} <= {*listed}


def older_pythons() -> list[str]:
    """What this machine has of Pythons that are too old."""
    named = [f"python3.{minor}" for minor in (7, 8, 9)]
    installed = Path.home().glob(".pyenv/versions/3.[789].*/bin/python")
    return [*filter(None, map(shutil.which, named)), *map(str, installed)]


def works(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True).returncode == 0


def test_an_older_python_is_told_at_once() -> None:
    pythons = [python for python in older_pythons() if works(python)]
    if not pythons:
        pytest.skip("there is no older Python here")
    for python in pythons:
        ended = subprocess.run([python, "-m", "ctxkit", "doctor"], cwd=ROOT, capture_output=True, text=True)
        assert ended.returncode == 1
        assert re.fullmatch(r"problem: this is Python 3\.\d, .* 3\.10 to 3\.13\n", ended.stderr)


def test_the_check_for_an_older_python_comes_before_all_else_and_in_old_words() -> None:
    """Says the same where there is no older Python to try."""
    source = (ROOT / "ctxkit" / "__main__.py").read_text(encoding="utf-8")
    code = ast.parse(source, feature_version=(3, 7))
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.version_info = (3, 9, 18)\n{source}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert ended.stderr == "problem: this is Python 3.9, the kit needs one from 3.10 to 3.13\n"
    assert [part.names[0].name for part in code.body if isinstance(part, ast.Import)] == ["sys"]


def is_open(address: str) -> bool:
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname, parts.port), timeout=5):
            return True
    except ConnectionRefusedError:
        return False


@contextmanager
def running_lab(installed: Path, folder: Path, *arguments: str) -> Iterator[str]:
    """`python -m ctxkit lab` of an installation, run in `folder`; gives the address that it prints."""
    own = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    own |= {f"JUPYTERLAB_{name}_DIR": str(folder / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
    process = subprocess.Popen(
        [sys.executable, "-m", "ctxkit", "lab", "--no-browser", *arguments],
        cwd=folder,
        env=os.environ | own | {"PYTHONPATH": str(installed)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    # Ends the waits below if the server neither starts nor stops.
    guard = threading.Timer(90, process.kill)
    guard.start()
    assert process.stderr is not None
    try:
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if "http://127.0.0.1" in line:
                break
        else:
            pytest.fail("JupyterLab did not start:\n" + "".join(lines))
        address = line.split()[-1]
        # The address is printed shortly before the port is open.
        while not is_open(address):
            with suppress(subprocess.TimeoutExpired):
                pytest.fail(f"JupyterLab ended with code {process.wait(timeout=0.05)}")
        yield address
    finally:
        guard.cancel()
        process.kill()
        process.wait()
        process.stderr.close()


def test_lab_serves_the_copies_on_the_first_lesson_with_news_off_and_passes_arguments_on(
    installed: Path, tmp_path: Path
) -> None:
    with running_lab(installed, tmp_path, "--port", "0", "--ServerApp.base_url=/class/") as address:
        server, path = address.split("/class/")
        page, token = path.split("?")
        assert page == "lab/workspaces/ctxkit/tree/my_lessons/00_start_here.ipynb"
        with urllib.request.urlopen(address, timeout=30) as answer:
            html = answer.read().decode()
        with urllib.request.urlopen(f"{server}/class/api/contents/my_lessons?{token}", timeout=30) as answer:
            served = {entry["name"] for entry in json.load(answer)["content"]}
    script = html.split('<script id="jupyter-config-data" type="application/json">')[1].split("</script>")[0]
    assert NEWS in json.loads(script)["disabledExtensions"]
    assert served == {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
