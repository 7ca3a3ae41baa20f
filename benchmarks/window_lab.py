"""One step of a slider in `WindowLab` with 1,000 messages, after four strategies have been visited.

Shown are the kernel's part, which is the time until the handler has answered the page and the page can send
its next value, and the time until the whole picture has gone to the page. For settings that are known both
are the same; a setting never seen before is worked out in the background, and its picture comes later. Each
message is encoded as JSON and handed to a recorder in place of the socket; shown are the median and the
slowest of the steps.

    python benchmarks/window_lab.py
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import comm
from report import Table
from slider_step import Recorder, sent, talk

from ctxkit import WindowLab

MESSAGES = 1_000
STRATEGIES = ("Send everything", "Keep recent", "Fit a token budget", "Summarise old")
KERNEL_MS, PAYLOAD_BYTES = 50, 60_000


def visit(lab: WindowLab, steps: Sequence[Callable[[], None]]) -> tuple[list[float], list[float], int]:
    """Milliseconds until the handler is done and until the picture is whole, and the largest payload."""
    handled, painted, sizes = [], [], []
    for step in steps:
        sent.clear()
        start = time.perf_counter()
        step()
        handled.append(1_000 * (time.perf_counter() - start))
        lab.wait()
        painted.append(1_000 * (time.perf_counter() - start))
        sizes.append(sum(sent))
    return handled, painted, max(sizes)


def moves(slider: Any, values: Sequence[int]) -> list[Callable[[], None]]:
    """What a page sends while a slider is dragged over these notches."""
    return [lambda value=value: slider.set_state({"value": value}) for value in values]


def main() -> None:
    comm.create_comm = Recorder
    table = Table("handler", "slowest", "painted", width=46)
    table.heading(f"one step with {MESSAGES:,} messages, median")
    lab = WindowLab(talk(MESSAGES), window=4_096)
    for name in STRATEGIES:
        lab.strategy = name
        lab.wait()
    gc.collect()
    gc.freeze()  # a pass over plotly's modules in mid-step is not the step's own work

    tabs = [lambda name=name: setattr(lab, "strategy", name) for name in STRATEGIES * 5]
    known = moves(lab.stepper.slider.slider, range(999, 960, -1))
    window = moves(lab.settings.window.slider, range(40, 60))
    new = moves(lab.settings.dials["Summarise old"][0].slider, range(21, 33))
    for name, steps in {
        "another strategy, known": tabs,
        "conversation up to, known setting": known,
        "window, a setting not known yet": window,
        "summarise above, not known yet": new,
    }.items():
        handled, painted, size = visit(lab, steps)
        row = statistics.median(handled), max(handled), statistics.median(painted)
        table.row(name, *row, unit=" ms", at_most=KERNEL_MS)
        table.row(f"  largest payload of {len(steps)} steps", size, unit=" B", at_most=PAYLOAD_BYTES)
    table.finish()


if __name__ == "__main__":
    main()
