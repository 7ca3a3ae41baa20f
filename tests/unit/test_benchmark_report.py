"""The table of the benchmarks: a broken limit is said and ends the program with status 1."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def printed(*rows: str) -> tuple[int, str]:
    code = "\n".join(["from report import Table", "table = Table('ours', 'theirs')", *rows, "table.finish()"])
    done = subprocess.run([sys.executable, "-c", code], cwd=BENCHMARKS, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments, limit",
    [
        ("2, 5, at_most=2", "at most 2"),
        ("2.0, 5.0, unit=' ms', at_most=5.0, because='theirs'", "at most 5.00 ms (theirs)"),
        ("12, exactly=12", "exactly 12"),
        ("12_000", "12,000"),
    ],
)
def test_a_figure_within_its_limit(arguments, limit):
    status, text = printed(f"table.row('calls', {arguments})")
    assert status == 0
    assert text.splitlines()[-1].endswith(limit)


@pytest.mark.parametrize(
    "arguments", ["2.01, at_most=2", "11, exactly=12", "13, 12, exactly=12", "None, at_most=2"]
)
def test_a_broken_limit(arguments):
    status, text = printed(f"table.row('calls', {arguments})", "table.row('more', 1, at_most=1)")
    assert status == 1
    assert text.splitlines()[0].endswith("BROKEN")
    assert text.splitlines()[-1] == "Limits broken: 1 (calls)"


def test_every_benchmark_judges_what_it_prints():
    for benchmark in BENCHMARKS.glob("*.py"):
        source = benchmark.read_text(encoding="utf-8")
        assert "table.finish()" in source, benchmark.name
        assert "at_most=" in source or "exactly=" in source, benchmark.name
