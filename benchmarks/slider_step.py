"""The kernel's part of one step of a slider in `DiscardingLab` and `StrategiesLab`, and what it sends.

The step is what a page's change sets off: the conversation replayed at the new setting, status, chart and
table drawn anew, each message encoded as JSON and handed to a recorder in place of the socket. Shown are the
median and the slowest of 40 steps with 1,000 messages, and the largest payload with 200 messages. For
`StrategiesLab` the conversation is that of its lesson, with 12 facts; a step to a window not seen before
replays it under six strategies.

    python benchmarks/slider_step.py
"""

from __future__ import annotations

import gc
import json
import statistics
import time
from typing import Any

import comm
from report import Table

from ctxkit import Message, Quiz, load_sample
from ctxkit.samples.quizzes import load_quiz
from ctxkit.widgets import DiscardingLab, StrategiesLab
from ctxkit.widgets.controls import SliderWithBox

STEPS = 40
KERNEL_MS, PAYLOAD_BYTES = 20, 12_000
COMPARING_MS, COMPARING_BYTES = 50, 40_000
sent: list[int] = []


class Recorder(comm.DummyComm):
    """Encodes what a widget sends, as a kernel does, and keeps the size."""

    def publish_msg(self, msg_type: str, data: Any = None, *args: Any, **keys: Any) -> None:
        sent.append(len(json.dumps(data, ensure_ascii=False).encode()))


def talk(length: int) -> list[Message]:
    messages = [Message.system("You are a patient teacher.")]
    while len(messages) < length:
        number = len(messages)
        messages.append(Message.user(f"Question {number}: how does the tide reach the harbour?"))
        messages.append(
            Message.assistant(f"Answer {number}. " + "The moon pulls the water. " * (1 + number % 7))
        )
    return messages[:length]


def steps(control: SliderWithBox) -> tuple[list[float], list[int]]:
    """Milliseconds and bytes of some steps from the middle of a control's range."""
    first = (control.slider.min + control.slider.max) // 2
    times, sizes = [], []
    for notch in range(first, min(first + STEPS, control.slider.max + 1)):
        sent.clear()
        start = time.perf_counter()
        control.slider.set_state({"value": notch})  # what a page sends
        times.append(1000 * (time.perf_counter() - start))
        sizes.append(sum(sent))
    return times, sizes


def main() -> None:
    comm.create_comm = Recorder
    table = Table("figure", "slowest", width=44)
    table.heading("one step: median time, or largest payload")
    for length in (1_000, 200):
        lab = DiscardingLab(talk(length), keep=length // 4, max_tokens=4_000)
        gc.collect()
        gc.freeze()  # a pass over plotly's modules in mid-step is not the step's own work
        controls = {"conversation up to": lab.upto, "keep at most": lab.keep, "token budget": lab.budget}
        for name, control in controls.items():
            times, sizes = steps(control)
            row = f"{length:,} messages, {name}"
            if length == 1_000:
                table.row(row, statistics.median(times), max(times), unit=" ms", at_most=KERNEL_MS)
            else:
                table.row(row, max(sizes), unit=" B", at_most=PAYLOAD_BYTES)
    comparing(table)
    table.finish()


def comparing(table: Table) -> None:
    facts = [*(load_quiz("dolphins") or ())]
    lab = StrategiesLab(load_sample("dolphins"), quiz=Quiz(facts[::2][:12]))
    gc.collect()
    gc.freeze()
    controls = {"a new window": lab.window, "conversation up to": lab.upto, "cached price": lab.cached}
    for name, control in controls.items():
        times, sizes = steps(control)
        row = f"six strategies, {name}"
        table.row(row, statistics.median(times), max(times), unit=" ms", at_most=COMPARING_MS)
        table.row(f"  {row}", max(sizes), unit=" B", at_most=COMPARING_BYTES)


if __name__ == "__main__":
    main()
