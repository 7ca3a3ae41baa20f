"""Two-tier memory: recent turns word for word, older ones in a summary, and no turn in between.

Read in this order: `turns` (a turn as a value), `limits` (when to fold, and what stays), `levels` (summaries,
and summaries of summaries), `options` (what can be set), `shown` (the memory as text and as messages),
`saved` (JSON and back), `hierarchical` (`HierarchicalMemory`, which puts them together).
"""

from ctxkit.memory.hierarchical import Added, HierarchicalMemory

__all__ = ["Added", "HierarchicalMemory"]
