"""A setting of the lab as Python: the same stages, and what they send.

Contract: the text runs as it stands in a cell of a notebook, asks no model but the offline reader, and its
`sent` is what the lab sends at the last call.
"""

from __future__ import annotations

from ctxkit.widgets.labs.window.choices import Choice, Stage, Values, counts
from ctxkit.window import ContextWindow

WIDTH = 56
"""Characters of a line of code, which stands in half a page."""

OWN = 'messages = [{"role": "user", "content": "Hi"}]  # yours'


def as_code(choice: Choice, values: Values, window: ContextWindow, sample: str | None) -> str:
    """A choice with some values in a window: `messages`, `window`, `pipeline` and `sent`.

    sample: the name of the sample that is sent (None: your own conversation, which is to be put in).

    >>> from ctxkit.widgets.labs.window.choices import choice
    >>> print(as_code(choice("Keep recent"), (10,), ContextWindow(2048), "dolphins"))
    from ctxkit import (
        ContextWindow,
        KeepRecentMessages,
        Pipeline,
        load_sample,
    )
    from ctxkit.replay import call_points
    <BLANKLINE>
    messages = load_sample("dolphins")  # or a list of yours
    window = ContextWindow(limit=2048, reserve=0)
    pipeline = Pipeline([
        KeepRecentMessages(keep=10),
    ])
    <BLANKLINE>
    for end in call_points(messages):  # at each call
        sent = await pipeline(messages[:end])
    print(len(messages), "became", len(sent), "messages")
    print(window.measure(sent))
    """
    stages = choice.stages(values, window)
    names = {"ContextWindow", "Pipeline", *(stage.name for stage in stages)}
    lines: list[str] = []
    if sample is None:
        lines.append(OWN)
    else:
        names.add("load_sample")
        lines.append(f'messages = load_sample("{sample}")  # or a list of yours')
    given = ""
    if window.counter is not None:
        names.add("TokenCounter")
        lines.append(f'counter = TokenCounter("{window.counter.encoding}")')
        given = ", counter=counter"
    if any(stage.asks for stage in stages):
        names.add("OfflineModel")
        lines.append('model = OfflineModel()  # or OllamaModel("llama3.2")')
    lines.append(f"window = ContextWindow(limit={window.limit}, reserve={window.reserve}{given})")
    if not stages:
        lines.append("pipeline = Pipeline([])")
    else:
        lines += ["pipeline = Pipeline([", *(_call(stage, window) for stage in stages), "])"]
    lines += [
        "",
        "for end in call_points(messages):  # at each call",
        "    sent = await pipeline(messages[:end])",
        'print(len(messages), "became", len(sent), "messages")',
        "print(window.measure(sent))",
    ]
    head = f"from ctxkit import {', '.join(sorted(names))}"
    if len(head) > WIDTH:
        head = "\n".join(["from ctxkit import (", *(f"    {name}," for name in sorted(names)), ")"])
    return "\n".join([head, "from ctxkit.replay import call_points", "", *lines])


def _call(stage: Stage, window: ContextWindow) -> str:
    given = [
        *(["model"] if stage.asks else []),
        *(f"{name}={value}" for name, value in stage.options.items()),
    ]
    given += ["counter=counter"] if counts(stage, window) else []
    line = f"    {stage.name}({', '.join(given)}),"
    if len(line) <= WIDTH:
        return line
    return f"    {stage.name}(\n        {', '.join(given)},\n    ),"
