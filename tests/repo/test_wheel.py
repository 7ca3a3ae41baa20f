"""The wheel: the lessons travel with the package, and nothing else of the repository does."""

import os
import subprocess
import sys
from pathlib import Path

from tests.repo.conftest import ROOT


def test_the_wheel_carries_the_lessons_and_the_data_of_the_package(installed: Path) -> None:
    shipped = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {path.name for path in (installed / "ctxkit" / "_notebooks").iterdir()} == shipped
    assert "00_start_here.ipynb" in shipped
    data = [
        path for path in (ROOT / "ctxkit").rglob("*") if path.suffix in {".json", ".js", ".css", ".typed"}
    ]
    missing = [path for path in data if not (installed / path.relative_to(ROOT)).is_file()]
    assert len(data) > 5
    assert missing == []


def test_the_wheel_installs_nothing_beside_the_package(installed: Path) -> None:
    assert {path.name.split("-")[0] for path in installed.iterdir()} == {"ctxkit"}
    assert not list(installed.rglob("refresh.py"))


def test_the_installed_kit_copies_its_lessons_into_the_current_folder(
    installed: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "ctxkit", "lessons"]
    environment = os.environ | {"PYTHONPATH": str(installed)}
    listed = subprocess.run(
        command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    copies = sorted(path.name for path in (tmp_path / "my_lessons").iterdir())
    assert copies == sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert "00  not started" in listed.stdout
