"""Binder: repo2docker takes our environment and our postBuild, and postBuild does its work."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.repo.conftest import ROOT
from tests.repo.test_environments import environment


@pytest.fixture(scope="module")
def dockerfile() -> str:
    """What repo2docker, called as mybinder calls it, would build; it needs no Docker for that."""
    command = [
        sys.executable,
        "-m",
        "repo2docker",
        "--no-build",
        "--debug",
        "--Repo2Docker.default_buildpack=None",
    ]
    made = subprocess.run([*command, "."], cwd=ROOT, capture_output=True, text=True, check=True)
    return made.stdout + made.stderr


def test_binder_installs_the_environment_file(dockerfile: str) -> None:
    assert (ROOT / "binder" / "environment.yml").samefile(ROOT / "environment.yml")
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in dockerfile
    python, _ = environment()
    assert f"Building conda environment for python={python}\n" in dockerfile


def test_binder_runs_post_build_after_all_files_are_there(dockerfile: str) -> None:
    steps = [line for line in dockerfile.splitlines() if line.startswith(("COPY", "RUN ./"))]
    everything = next(i for i, line in enumerate(steps) if line.endswith("src/ ${REPO_DIR}/"))
    assert steps.index("RUN ./binder/postBuild") > everything


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository in which postBuild has run, with an environment of its own and no network."""
    folder = tmp_path_factory.mktemp("image")
    ignored = shutil.ignore_patterns(".*", "my_lessons", "__pycache__", "tests", "test-results")
    shutil.copytree(ROOT, folder / "repo", symlinks=True, ignore=ignored)
    venv.create(folder / "env", symlinks=os.name != "nt")
    python = folder / "env" / "bin" / "python"
    show = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(show, check=True, capture_output=True, text=True).stdout.strip())
    # Stands for the packages that Binder has installed from environment.yml by then.
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "environment.pth").write_text("\n".join(others), encoding="utf-8")
    offline = {
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PATH": f"{python.parent}:{os.environ['PATH']}",
    }
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    built = subprocess.run(
        ["binder/postBuild"], cwd=folder / "repo", env=clean | offline, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_post_build_installs_the_package_itself(image: Path) -> None:
    show = [str(image / "env" / "bin" / "python"), "-c", "import ctxkit; print(ctxkit.__file__)"]
    shown = subprocess.run(show, cwd=image, check=True, capture_output=True, text=True).stdout
    assert Path(shown.strip()).is_relative_to(image / "env" / "lib")


def test_post_build_makes_the_copies_that_the_link_of_the_readme_opens(image: Path) -> None:
    link = re.search(
        r"https://mybinder\.org/v2/gh/\S+?urlpath=lab/tree/([\w./]+)", (ROOT / "README.md").read_text("utf-8")
    )
    assert link is not None
    assert (image / "repo" / link[1]).is_file()


def test_post_build_switches_the_question_about_news_off(image: Path) -> None:
    settings = (image / "env" / "etc" / "jupyter" / "labconfig" / "page_config.json").read_text(
        encoding="utf-8"
    )
    assert json.loads(settings)["disabledExtensions"] == {
        "@jupyterlab/apputils-extension:announcements": True
    }


@pytest.mark.parametrize("script", ["binder/postBuild", ".ci/run"])
def test_scripts_can_run_in_a_container(script: str) -> None:
    text = (ROOT / script).read_bytes()
    assert os.access(ROOT / script, os.X_OK)
    assert text.startswith(b"#!/usr/bin/env bash\n")
    assert b"\r" not in text
    assert re.search(rb"^set -e", text, re.MULTILINE)
