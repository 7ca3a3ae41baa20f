"""The doctor: one stable line per check, and for each kind of trouble a line that says what to do."""

import json
import os
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxkit import lessons, tokens
from ctxkit.cli import checks, doctor, main
from ctxkit.cli.report import Check, Report
from ctxkit.models.embedded import Availability

Patch = pytest.MonkeyPatch
INSTALL = r"""python -m pip install -e "\.\[lab\]" in the kit's folder"""


def checked(text: object) -> list[str]:
    """The lines of a report, those that go on below in one piece."""
    return str(text).replace("\n    ", " ").splitlines()


def test_a_healthy_environment_gives_only_ok_lines_without_versions_or_paths(kit: Path) -> None:
    report = doctor()
    lines = checked(report)
    assert report.ok, lines
    assert len(lines) == 7
    assert [line for line in lines if not line.startswith("ok: ") or re.search(r"\d|/|\\", line)] == []


def test_the_command_adds_versions_and_paths_and_exits_with_0(
    kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert sys.executable in out
    assert re.search(r"jupyterlab 4\.\d+", out)
    assert checked(out)[-1].startswith("optional: ")
    assert [line for line in out.splitlines() if len(line) > 120] == []
    assert str(kit / "my_lessons") in "\n".join(checked(out))


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (Availability(), "optional: the embedded model works"),
        (Availability("It died: make embedded"), "optional: It died: make embedded"),
        (
            OSError(5, "no"),
            "optional: can't tell whether the embedded model works (OSError: [Errno 5] no): make embedded",
        ),
    ],
)
def test_the_embedded_model_is_no_problem_and_told_only_when_all_is(
    kit: Path, monkeypatch: Patch, found: Availability | Exception, line: str
) -> None:
    def available() -> Availability:
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(checks, "embedded_available", available)
    assert checked(doctor(verbose=True))[7:] == [line]
    assert doctor(verbose=True).ok
    assert len(checked(doctor())) == 7


def old_python(patch: Patch, _: Path) -> None:
    patch.setattr(sys, "version_info", (3, 9, 18))


def kit_not_installed(patch: Patch, _: Path) -> None:
    patch.setattr(checks, "DISTRIBUTION", "no-such-distribution")


def package_missing(patch: Patch, _: Path) -> None:
    patch.setattr(checks.metadata, "requires", lambda _: ['no-such-package>=1; extra == "lab"'])


def packages_of_other_versions(patch: Patch, _: Path) -> None:
    wanted = ["plotly>=999", "regex>=2000", 'nbformat<5; extra == "lab"', 'pytest<1; extra == "test"']
    patch.setattr(checks.metadata, "requires", lambda _: wanted)


def vocabulary_broken(patch: Patch, _: Path) -> None:
    def broken() -> None:
        raise OSError("rank file is cut short")

    patch.setattr(tokens, "TokenCounter", broken)


def folder_taken(patch: Patch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    patch.setattr(lessons, "checkout", lambda: tmp_path / "file")


def file_instead_of_copies(patch: Patch, tmp_path: Path) -> None:
    patch.setattr(lessons, "checkout", lambda: tmp_path)
    (tmp_path / "my_lessons").touch()


def current_folder_removed(patch: Patch, tmp_path: Path) -> None:
    patch.setattr(lessons, "checkout", lambda: None)
    patch.chdir(tmp_path)
    gone = tmp_path / "gone"
    gone.mkdir()
    patch.chdir(gone)
    gone.rmdir()


def loopback_closed(patch: Patch, _: Path) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    patch.setattr(socket, "create_server", refused)


def write_kernel(patch: Patch, tmp_path: Path, content: str) -> None:
    spec = tmp_path / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(content, encoding="latin-1")
    patch.setenv("JUPYTER_PATH", str(tmp_path))


def foreign_kernel(patch: Patch, tmp_path: Path) -> None:
    spec = {"argv": ["/opt/other/bin/python"], "display_name": "", "language": "python"}
    write_kernel(patch, tmp_path, json.dumps(spec))


def kernels_unreadable(patch: Patch, tmp_path: Path) -> None:
    # Not by chmod: root, the usual user in a container, may read everything.
    listdir = os.listdir

    def refused(path: str) -> list[str]:
        if Path(path) == tmp_path / "kernels":
            raise PermissionError(13, "Permission denied", path)
        return listdir(path)

    (tmp_path / "kernels").mkdir()
    patch.setenv("JUPYTER_PATH", str(tmp_path))
    patch.setattr(os, "listdir", refused)


def extensions_unreadable(patch: Patch, tmp_path: Path) -> None:
    is_file = Path.is_file

    def refused(path: Path) -> bool:
        if path.is_relative_to(tmp_path / "labextensions"):
            raise PermissionError(13, "Permission denied", str(path))
        return is_file(path)

    patch.setenv("JUPYTER_PATH", str(tmp_path))
    patch.setattr(Path, "is_file", refused)


def extensions_elsewhere(patch: Patch, tmp_path: Path) -> None:
    patch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    patch.setattr("jupyter_core.paths.ENV_JUPYTER_PATH", [])
    patch.setattr("jupyter_core.paths.SYSTEM_JUPYTER_PATH", [])


@pytest.mark.parametrize(
    ("breakage", "line"),
    [
        (old_python, r"this Python is not supported: use one from 3\.10 to 3\.13"),
        (kit_not_installed, r'kit is not installed in this Python: python -m pip install -e "\.\[lab\]"'),
        (package_missing, rf"packages are missing .*\(no-such-package\): {INSTALL}$"),
        (packages_of_other_versions, rf"do not fit \(plotly and 1 more\): {INSTALL}$"),
        (vocabulary_broken, r"vocabulary can't be read \(OSError\): python -m pip install --force-reinstall"),
        (folder_taken, r"my_lessons can't be written \(.+\): work in a folder of your own"),
        (file_instead_of_copies, r"my_lessons is there but is no folder: give it another name \(.+\)$"),
        (current_folder_removed, r"current folder is gone: change \(cd\) into one that is there$"),
        (loopback_closed, r"can't be reached \(Permission denied\): let it pass your firewall"),
        (
            foreign_kernel,
            r"python3 runs another Python: python -m ipykernel install --sys-prefix;.* away: .+python3$",
        ),
        (kernels_unreadable, r"notebook kernel .*\(PermissionError: .*kernels'\): make .* readable for you"),
        (extensions_unreadable, r"draw the charts .*labextensions.*\): make .* readable for you, or python"),
        (
            extensions_elsewhere,
            r"doesn't find @jupyter-widgets/jupyterlab-manager: .* jupyterlab_widgets,",
        ),
    ],
)
def test_trouble_is_one_line_that_says_what_to_do_and_exit_code_1(
    kit: Path,
    tmp_path: Path,
    monkeypatch: Patch,
    capsys: pytest.CaptureFixture[str],
    breakage: Callable[[Patch, Path], None],
    line: str,
) -> None:
    with monkeypatch.context() as patch:
        breakage(patch, tmp_path)
        code = main(["doctor"])
    *lines, optional = checked(capsys.readouterr().out)
    problems = [text for text in lines if not text.startswith("ok: ")]
    assert code == 1
    assert len(lines) == 7
    assert optional.startswith("optional: ")
    assert len(problems) == 1
    assert re.search(f"^problem: .*{line}", problems[0])


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "",
        "\xff",
        "[]",
        '{"argv": []}',
        '{"argv": 3}',
        '{"argv": [7]}',
        '{"language": "python"}',
        '{"argv": ["python"], "metadata": "\\n"}',
    ],
)
def test_a_broken_kernel_json_is_one_line_that_names_its_folder(
    kit: Path, tmp_path: Path, monkeypatch: Patch, content: str
) -> None:
    write_kernel(monkeypatch, tmp_path, content)
    lines = checked(doctor())
    problems = [text for text in lines if not text.startswith("ok: ")]
    assert len(lines) == 7
    assert len(problems) == 1
    assert problems[0].startswith("problem: the notebook kernel called python3 is broken (")
    assert "python -m ipykernel install --sys-prefix" in problems[0]
    assert problems[0].endswith(str(tmp_path / "kernels" / "python3"))


@pytest.mark.parametrize("broken", range(7))
@pytest.mark.parametrize("error", [KeyError("argv"), OSError(5, "Input/output error"), ValueError("a\n\nb")])
def test_a_check_that_breaks_is_one_problem_line_among_the_others(
    kit: Path, monkeypatch: Patch, broken: int, error: Exception
) -> None:
    healthy = checked(doctor())

    def breaks() -> str:
        raise error

    subject, _, remedy = checks.CHECKS[broken]
    table = list(checks.CHECKS)
    table[broken] = (subject, breaks, remedy)
    monkeypatch.setattr("ctxkit.cli.report.CHECKS", tuple(table))
    report = doctor()
    lines = checked(report)
    assert not report.ok
    assert lines[:broken] + lines[broken + 1 :] == healthy[:broken] + healthy[broken + 1 :]
    told = rf"\({type(error).__name__}: .+\): \w.+"
    assert re.fullmatch(f"problem: can't tell whether {subject} {told}", lines[broken])


def test_without_the_labs_packages_one_command_brings_them_all(kit: Path, monkeypatch: Patch) -> None:
    for name in ("packaging", "jupyter_client", "jupyter_core"):
        for module in [name, *(module for module in sys.modules if module.startswith(f"{name}."))]:
            monkeypatch.setitem(sys.modules, module, None)
    for root, command in ((kit, checks.CHECKOUT), (None, checks.WHEEL)):
        monkeypatch.setattr(checks, "checkout", lambda root=root: root)
        problems = [line for line in str(doctor()).splitlines() if line.startswith("problem: ")]
        assert len(problems) == 3
        assert {line.partition(": python")[2] for line in problems} == {command.removeprefix("python")}
        assert max(map(len, problems)) <= 120


def test_a_long_line_goes_on_below_with_its_command_in_one_piece() -> None:
    command = "python -m pip install --no-deps one==1 two==2"
    found = Check("", trouble="", detail="")
    missing = Check("", trouble=f"{'no model ' * 9}is here; to install it, {command}, then again", detail="")
    first, second = str(Report((found, missing), verbose=False)).splitlines()[1:]
    assert len(first) <= 120
    assert second == f"    {command}, then again"
