"""`python -m ctxkit`, as a learner types it."""

import json
import os
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

from ctxkit.cli import main
from tests.repo.conftest import ROOT

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
    assert main(["lessons"]) == 1
    assert capsys.readouterr().out.startswith("problem: ")
    assert (kit / "my_lessons").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("line", [[], ["nonsense"], ["reset"], ["doctor", "--fast"], ["lessons", "03"]])
def test_a_wrong_command_line_is_refused_with_code_2(
    line: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(line)
    assert stopped.value.code == 2
    assert "usage: python -m ctxkit" in capsys.readouterr().err


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
