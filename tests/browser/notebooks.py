"""Notebooks that a test writes beside the lessons, for what no lesson shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import nbformat


def write_notebook(path: Path, cells: Sequence[str]) -> None:
    """Write a notebook of code cells for the kernel that all lessons use."""
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in cells]
    nbformat.write(notebook, path)
