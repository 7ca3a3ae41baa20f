"""The price of `import ctxkit` and all its names, as a multiple of `import plotly.graph_objects`.

Each is imported in new processes, in turns, and the best of 15 counts: the machine's other work only adds.
All are compiled into one temporary folder and run from there, also where the environment forbids to write
bytecode: else the kit would be compiled each time, and plotly, which pip has compiled, would not.

    python benchmarks/import_time.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from math import inf
from tempfile import TemporaryDirectory

from report import Table

RUNS, LIMIT = 15, 3
PLOTLY = "import plotly.graph_objects"
CODE = {
    "import ctxkit, all names": "import ctxkit\nfor name in ctxkit.__all__: getattr(ctxkit, name)",
    "import ctxkit": "import ctxkit",
    PLOTLY: PLOTLY,
}


def milliseconds(code: str, compiled: str) -> float:
    timed = f"import time\nstart = time.perf_counter()\n{code}\nprint(1000 * (time.perf_counter() - start))"
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, "-c", timed], capture_output=True, text=True, check=True, env=environment
    )
    return float(done.stdout)


def main() -> None:
    best = dict.fromkeys(CODE, inf)
    with TemporaryDirectory() as compiled:
        for _ in range(RUNS):
            for name, code in CODE.items():
                best[name] = min(best[name], milliseconds(code, compiled))
    table = Table("best of 15")
    table.heading("time")
    plotly = best[PLOTLY]
    for name, value in best.items():
        judged = name != PLOTLY
        table.row(
            name,
            value,
            unit=" ms",
            at_most=LIMIT * plotly if judged else None,
            because=f"{LIMIT} x plotly, this is {value / plotly:.2f} x" if judged else "",
        )
    table.finish()


if __name__ == "__main__":
    main()
