"""One JupyterLab for the whole run, with the kit's own arguments, on folders that the run alone uses.

Contract: it listens on loopback only, on a port that is free because the server itself chose it, asks for a
token, and ends with the block or with the process that started it, whichever ends first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ctxkit.cli.lab import lab_arguments, lab_environment

REPOSITORY = Path(__file__).resolve().parents[2]
LEASH = Path(__file__).with_name("leash.py")
START_SECONDS = 90
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy can't reach loopback


@dataclass(frozen=True)
class LabServer:
    """A running server: its address (with a slash at the end), its token, the folder of the copies."""

    address: str
    token: str
    folder: Path

    def lesson_url(self, name: str) -> str:
        """The address of one lesson in a workspace of its own, so that no page opens the tabs of another."""
        workspace, path = Path(name).stem, f"{self.folder.name}/{name}"
        return f"{self.address}lab/workspaces/{workspace}/tree/{path}?token={self.token}"


@contextmanager
def lab_server(folder: Path, scratch: Path) -> Iterator[LabServer]:
    """Serve the copies in `folder` with JupyterLab until the block ends.

    `scratch` takes the server's settings, workspaces, runtime files and its log. Raises RuntimeError with the
    end of that log when the server stops early or doesn't answer within 90 seconds.
    """
    own = ["--no-browser", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0"]
    arguments = lab_arguments(folder, own, root_user=hasattr(os, "geteuid") and os.geteuid() == 0)
    log = scratch / "jupyterlab.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, str(LEASH), sys.executable, "-m", "jupyterlab", *arguments],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=_environment(scratch),
        )
        assert process.stdin is not None
        try:
            yield _wait_until_it_answers(process, log, folder, scratch / "runtime")
        finally:
            process.stdin.close()
            process.wait(timeout=60)


def _environment(scratch: Path) -> dict[str, str]:
    own = {
        "JUPYTER_CONFIG_DIR": scratch / "config",
        "JUPYTER_DATA_DIR": scratch / "data",
        "JUPYTER_RUNTIME_DIR": scratch / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": scratch / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": scratch / "workspaces",
        "IPYTHONDIR": scratch / "ipython",
        "PYTHONPATH": REPOSITORY,
        "CTXKIT_MODEL": "offline",
    }
    # The run may itself have been started from JupyterLab, whose settings would reach into ours.
    foreign = ("JUPYTER", "JPY_", "CTXKIT_ANSWERS")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return inherited | lab_environment(inherited) | {name: str(value) for name, value in own.items()}


def _wait_until_it_answers(
    process: subprocess.Popen[bytes], log: Path, folder: Path, runtime: Path
) -> LabServer:
    deadline = monotonic() + START_SECONDS
    while monotonic() < deadline:
        try:
            process.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            server = _announced(runtime, folder)
            if server is not None and _answers(server):
                return server
        else:
            raise RuntimeError(f"JupyterLab ended with code {process.returncode}:\n{_tail(log)}")
    raise RuntimeError(f"JupyterLab gave no answer within {START_SECONDS} s:\n{_tail(log)}")


def _announced(runtime: Path, folder: Path) -> LabServer | None:
    """The server as its runtime file describes it: it was asked for port 0, the file says what it got."""
    for path in runtime.glob("jpserver-*.json"):
        try:
            info = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:  # still being written
            return None
        return LabServer(address=info["url"], token=info["token"], folder=folder)
    return None


def _answers(server: LabServer) -> bool:
    try:
        with DIRECT.open(f"{server.address}api/status?token={server.token}", timeout=5):
            return True
    except urllib.error.URLError:
        return False


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-3000:]
