"""The price of `import ctxkit` and all its names, as a multiple of `import plotly.graph_objects`.

Each is imported in new processes, in turns, and the best of 15 counts: the machine's other work only adds.

    python benchmarks/import_time.py
"""

from __future__ import annotations

import subprocess
import sys
from math import inf

RUNS = 15
CODE = {
    "import ctxkit": "import ctxkit",
    "import ctxkit, all names": "import ctxkit\nfor name in ctxkit.__all__: getattr(ctxkit, name)",
    "import plotly.graph_objects": "import plotly.graph_objects",
}


def seconds(code: str) -> float:
    timed = f"import time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    return float(
        subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True).stdout
    )


def main() -> None:
    best = dict.fromkeys(CODE, inf)
    for _ in range(RUNS):
        for name, code in CODE.items():
            best[name] = min(best[name], seconds(code))
    for name, value in best.items():
        print(f"{name:30}{value * 1000:8.1f} ms{value / best['import plotly.graph_objects']:8.2f}")


if __name__ == "__main__":
    main()
