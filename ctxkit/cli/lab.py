"""`python -m ctxkit lab`: JupyterLab on the learner's copies, in this process and this Python.

Contract: the user's own Jupyter settings are not changed; every setting is an argument or a variable of this
process, and arguments of the caller come last, so that they win.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxkit.cli.copies import prepare_copies
from ctxkit.cli.report import doctor
from ctxkit.lessons import FIRST, copies_folder

# Switches off the part of JupyterLab that asks about news on the first start, and that looks for news and for
# updates on outside hosts. The option LabApp.news_url leaves the question standing (JupyterLab 4.6).
CONFIG = Path(__file__).with_name("jupyter")


def lab_arguments(folder: Path, extra: Sequence[str] = (), *, root_user: bool = False) -> list[str]:
    """The arguments JupyterLab gets: served from the folder above `folder`, opened on the first lesson.

    >>> lab_arguments(Path("kit/my_lessons"), ["--port", "9999"])[-3:]
    ['--LabApp.default_url=/lab/workspaces/ctxkit/tree/my_lessons/00_start_here.ipynb', '--port', '9999']
    """
    return [
        # JupyterLab refuses to run as root, which in a container is the usual user.
        *(["--allow-root"] if root_user else []),
        # The address and its token go straight to the browser. The default, a file that redirects there,
        # can't be read by a browser in a sandbox of its own (snap, flatpak). On a machine with other users,
        # who can see the address in the list of processes, --no-browser is the safer way.
        "--ServerApp.use_redirect_file=False",
        f"--ServerApp.root_dir={folder.parent}",
        # A workspace of its own, so that tabs of the user's other projects stay out of the way.
        f"--LabApp.default_url=/lab/workspaces/ctxkit/tree/{folder.name}/{FIRST}",
        *extra,
    ]


def lab_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """What changes in JupyterLab's environment: no news, and this Python first for terminals and "!" lines.

    >>> lab_environment({"PATH": "/usr/bin"})["PATH"].endswith(os.pathsep + "/usr/bin")
    True
    """
    first = {"JUPYTER_CONFIG_PATH": CONFIG, "PATH": Path(sys.executable).parent}
    return {
        name: os.pathsep.join([str(folder), *filter(None, [inherited.get(name)])])
        for name, folder in first.items()
    }


def open_lab(extra: Sequence[str]) -> int:
    """Make the missing copies, then serve them until JupyterLab is stopped."""
    folder = copies_folder()
    try:
        from jupyterlab.labapp import LabApp
    except ImportError as error:
        print(f"problem: JupyterLab can't be started here ({error})\n{doctor()}")
        return 1
    prepare_copies(folder)
    os.environ.update(lab_environment(os.environ))
    root_user = hasattr(os, "geteuid") and os.geteuid() == 0
    LabApp.launch_instance(lab_arguments(folder, extra, root_user=root_user))
    return 0
