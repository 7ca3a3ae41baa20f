"""Charts, tables and labs for notebooks: the only part of the kit that imports ipywidgets and plotly.

Read in this order: `escape` (the one place that turns text into markup), `palette` (colours, icons,
numbers), `lifetime` and `shown` (what a widget promises), `pages` (parts drawn by our own scripts in
`static/`) with `status`, `message_list` and `token_view`, `figure` (Plotly's script once per page), `calls`
(the numbers of a chart), `call_bars` and `token_chart`, `tier_strip`, `thread_picture`, `controls` and
`ordering`, `job` (long work on a button) and `probe_bar` (what a real model makes of a window), `lab`, and
the `labs` of the lessons.

Nothing is built at import, and ipywidgets and plotly are loaded when the first widget is made.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxkit.widgets.job import Job
    from ctxkit.widgets.labs.discarding import DiscardingLab
    from ctxkit.widgets.labs.memory import MemoryLab
    from ctxkit.widgets.labs.old_messages import OldMessagesLab
    from ctxkit.widgets.labs.pipeline import PipelineLab
    from ctxkit.widgets.labs.thread import ThreadLab
    from ctxkit.widgets.labs.tool_results import ToolResultsLab
    from ctxkit.widgets.message_list import MessageList
    from ctxkit.widgets.probe_bar import ProbeBar
    from ctxkit.widgets.token_chart import TokenUsageChart
    from ctxkit.widgets.token_view import TokenView

__all__ = [
    "DiscardingLab",
    "Job",
    "MemoryLab",
    "MessageList",
    "OldMessagesLab",
    "PipelineLab",
    "ProbeBar",
    "ThreadLab",
    "TokenUsageChart",
    "TokenView",
    "ToolResultsLab",
]

_HOME = {
    "DiscardingLab": "labs.discarding",
    "Job": "job",
    "MemoryLab": "labs.memory",
    "MessageList": "message_list",
    "OldMessagesLab": "labs.old_messages",
    "PipelineLab": "labs.pipeline",
    "ProbeBar": "probe_bar",
    "ThreadLab": "labs.thread",
    "TokenUsageChart": "token_chart",
    "TokenView": "token_view",
    "ToolResultsLab": "labs.tool_results",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ctxkit.widgets' has no attribute {name!r}")
    return getattr(import_module(f"ctxkit.widgets.{_HOME[name]}"), name)
