"""Wheels on a USB stick: `make wheelhouse` fills a folder, and `make lab WHEELS=folder` needs nothing else.

The Makefile is the real one. The packages are empty stand-ins, so that no JupyterLab has to travel: the kit's
build backend asks for `hatchling`, and for `editables` when a checkout is installed, as the real one does.
"""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pip
import pytest
from packaging.requirements import Requirement

from tests.repo.conftest import ROOT
from tests.repo.test_environments import project, tomllib

KIT = """
[build-system]
requires = ["hatchling>=1.27,<2"]
build-backend = "backend"
backend-path = ["."]
[project]
name = "ctxkit"
version = "0.1.0"
optional-dependencies = { lab = ["charts"] }
"""
BACKEND = """
import shutil

def get_requires_for_build_editable(config_settings=None):
    return ["editables"]

def build_wheel(folder, config_settings=None, metadata_directory=None):
    shutil.copy("ctxkit-0.1.0-py3-none-any.whl", folder)
    return "ctxkit-0.1.0-py3-none-any.whl"

build_editable = build_wheel
"""
# Stands for uv, which asks an index: notes what it is asked, and resolves it to `charts`.
UV = """#!/bin/sh
cat >>wanted; echo "$@" >>asked
while [ "$1" != --output-file ]; do shift; done
echo charts >"$2"
"""


def write_wheel(folder: Path, file_name: str, metadata: str = "", code: str = "") -> None:
    name, version, *tag = file_name.removesuffix(".whl").split("-")
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}/__main__.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {'-'.join(tag)}\n",
    }
    with zipfile.ZipFile(folder / file_name, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"]))


class Checkout:
    """A checkout of the stand-in kit with the real Makefile, and what `make` says in it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.internet = folder / "Ann's kit", folder / "internet"
        for path in (self.root, self.internet):
            path.mkdir()
        shutil.copy(ROOT / "Makefile", self.root)
        (self.root / "pyproject.toml").write_text(KIT, encoding="utf-8")
        (self.root / "backend.py").write_text(BACKEND, encoding="utf-8")
        lab = "Provides-Extra: lab\nRequires-Dist: charts; extra == 'lab'\n"
        write_wheel(
            self.root, "ctxkit-0.1.0-py3-none-any.whl", lab, "import sys, charts; print(sys.argv[1:])"
        )
        for version in ("cp311", "cp312"):
            write_wheel(self.internet, f"charts-2.0-{version}-{version}-win_amd64.whl")
        for name in ("charts-1.0", "hatchling-1.28", "editables-0.5", "bigger-1.0"):
            write_wheel(self.internet, f"{name}-py3-none-any.whl")
        # As `make` makes it, but with the pip that is here: a new one takes ten seconds.
        venv.create(self.root / ".venv", symlinks=True)
        packages = sysconfig.get_path("purelib", vars={"base": str(self.root / ".venv")})
        shutil.copytree(Path(str(pip.__file__)).parent, Path(packages) / "pip")
        (self.root / ".venv" / "made-by").write_text("python3\n", encoding="utf-8")

    def make(self, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        # What a `make test` around this test hands down, and pip's settings of this machine, stay out.
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name not in {"MAKEFLAGS", "MAKELEVEL", "PYTHON", "PYTHONPATH", "WHEELS"}
            and not name.startswith("PIP_")
        }
        return subprocess.run(
            ["make", *map(str, arguments)],
            cwd=self.root,
            env=inherited | {"PIP_CONFIG_FILE": os.devnull} | environment,
            capture_output=True,
            text=True,
        )

    def make_online(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return self.make(*arguments, PIP_FIND_LINKS=self.internet.as_uri(), PIP_NO_INDEX="1")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("wheelhouse"))


@pytest.fixture
def index() -> Iterator[socket.socket]:
    """An index that answers nobody, and knows whether somebody came."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def wheels(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


EVERYTHING = {
    "charts-1.0-py3-none-any.whl",
    "ctxkit-0.1.0-py3-none-any.whl",
    "editables-0.5-py3-none-any.whl",
    "hatchling-1.28-py3-none-any.whl",
}


def test_a_filled_folder_is_all_that_the_lab_needs_and_nobody_asks_an_index(
    checkout: Checkout, tmp_path: Path, index: socket.socket
) -> None:
    stick = tmp_path / "Ann's stick"
    filled = checkout.make_online("wheelhouse", f"WHEELS={stick}")
    assert (filled.returncode, filled.stderr) == (0, "")
    assert wheels(stick) == EVERYTHING
    assert re.search(r"Ann's stick: 4 wheels, \d+K\n", filled.stdout)

    nobody = {"PIP_INDEX_URL": f"http://127.0.0.1:{index.getsockname()[1]}/", "PIP_TIMEOUT": "1"}
    nobody["PIP_RETRIES"] = "0"
    first = checkout.make("lab", f"WHEELS={stick}", "LAB_ARGS=--no-browser", **nobody)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.endswith("['lab', '--no-browser']\n")
    # Once it is installed, the stick may go.
    shutil.rmtree(stick)
    for again in (checkout.make("lab", **nobody), checkout.make("lab", f"WHEELS={stick}", **nobody)):
        assert (again.returncode, again.stdout, again.stderr) == (0, "['lab']\n", "")
    with pytest.raises(BlockingIOError):
        index.accept()


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_lacks_something_is_named_with_what_to_do(
    checkout: Checkout, tmp_path: Path, there: bool
) -> None:
    stick = tmp_path / "stick"
    if there:
        stick.mkdir()
        shutil.copy(checkout.internet / "charts-1.0-py3-none-any.whl", stick)
    (checkout.root / ".venv" / "lab").unlink(missing_ok=True)
    failed = checkout.make("lab", f"WHEELS={stick}")
    assert failed.returncode == 2
    assert "No matching distribution found for hatchling" in failed.stderr
    assert f"problem: {stick} does not hold all that is needed here, for Python 3." in failed.stderr
    assert "Where there is a network, make wheelhouse fills it.\n" in failed.stderr
    assert not (checkout.root / ".venv" / "lab").exists()


def test_wheels_for_another_system_come_into_the_same_folder(checkout: Checkout) -> None:
    uv = checkout.root / ".venv" / "bin" / "uv"
    uv.write_text(UV, encoding="utf-8")
    uv.chmod(0o755)
    (checkout.root / ".venv" / "uv").touch()
    (checkout.root / "requirements").mkdir()
    (checkout.root / "requirements" / "embedded.txt").write_text("bigger==1.0\n", encoding="utf-8")
    (checkout.root / "wheelhouse").mkdir()
    (checkout.root / "wheelhouse" / "here-1-py3-none-any.whl").touch()

    filled = checkout.make_online("wheelhouse-windows", "PYTHONS=3.11 3.12", "EMBEDDED=1")
    assert (filled.returncode, filled.stderr) == (0, "")
    assert wheels(checkout.root / "wheelhouse") == {
        "bigger-1.0-py3-none-any.whl",
        "charts-2.0-cp311-cp311-win_amd64.whl",
        "charts-2.0-cp312-cp312-win_amd64.whl",
        "ctxkit-0.1.0-py3-none-any.whl",
        "here-1-py3-none-any.whl",
    }
    asked = (checkout.root / "asked").read_text(encoding="utf-8").splitlines()
    assert len(asked) == 2
    for line, version in zip(asked, ("3.11", "3.12"), strict=True):
        assert f"--extra lab pyproject.toml - --python-platform windows --python-version {version} " in line
    wanted = (checkout.root / "wanted").read_text(encoding="utf-8").splitlines()
    assert wanted == ["hatchling>=1.27,<2", "editables"] * 2


def test_the_embedded_model_travels_when_it_is_asked_for(checkout: Checkout, tmp_path: Path) -> None:
    line = "download --no-deps --dest"
    plain, more = (
        checkout.make("--dry-run", "wheelhouse", f"WHEELS={tmp_path}", f"EMBEDDED={value}").stdout
        for value in ("", "1")
    )
    assert line not in plain
    assert line in more


def test_the_folder_gets_what_the_real_build_backend_asks_for() -> None:
    dry = subprocess.run(
        ["make", "--dry-run", "wheelhouse"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    (line,) = [line for line in dry.stdout.splitlines() if " -m pip " in line and " wheel " in line]
    words = shlex.split(line)
    given = words[words.index(".[lab]") + 1 :]
    system = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    hook = f"import {system['build-backend']} as backend; print(*backend.get_requires_for_build_editable())"
    asked = subprocess.run([sys.executable, "-c", hook], cwd=ROOT, check=True, capture_output=True, text=True)
    names = {Requirement(wanted).name for wanted in asked.stdout.split()}
    assert "lab" in project()["optional-dependencies"]
    assert system["requires"] == given[:1]
    assert names <= {Requirement(word).name for word in given}
