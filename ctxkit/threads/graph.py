"""The loop of a thread as a picture: nodes and edges as data, and as mermaid text that JupyterLab draws.

Contract: a node or edge is named by the kit; labels may hold anything, so each character that could mean
something to mermaid, or to the page, is written as its number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ctxkit.threads.state import Node


class Graph(NamedTuple):
    """Nodes as id -> label, in reading order; edges as (from, to, label). The node "check" is a condition."""

    nodes: dict[Node, str]
    edges: tuple[tuple[Node, Node, str], ...]


def thread_graph(max_messages: int, keep: int, max_tokens: int | None, tools: tuple[str, ...]) -> Graph:
    """The graph of a thread with these settings; `tools`: their names.

    >>> list(thread_graph(6, 2, None, ()).nodes)
    ['user', 'model', 'check', 'summarise']
    """
    tokens = "" if max_tokens is None else f" or {max_tokens:,} tokens"
    nodes: dict[Node, str] = {
        "user": "your message",
        "model": "the model answers",
        "tools": f"tools: {', '.join(tools)}",
        "check": f"more than {max_messages} messages{tokens}?",
        "summarise": f"extend the summary, remove all but {keep}",
    }
    edges: list[tuple[Node, Node, str]] = []
    edges.append(("user", "model", ""))
    if tools:
        edges.extend([("model", "tools", "calls"), ("tools", "model", "results")])
    else:
        del nodes["tools"]
    edges.extend(
        [
            ("model", "check", "reply"),
            ("check", "summarise", "yes"),
            ("check", "user", "no"),
            ("summarise", "user", ""),
        ]
    )
    return Graph(nodes, tuple(edges))


def mermaid(graph: Graph, lit: str | None = None) -> str:
    """A graph as mermaid text. lit: the id of a node to show lit up (default none).

    Raises ValueError for a node that the graph does not have.

    >>> print(mermaid(Graph({"user": "you", "model": "<b>"}, (("user", "model", ""),)), lit="model"))
    flowchart TD
      user("you")
      model("#60;b#62;")
      user --> model
      classDef lit stroke-width:4px,font-weight:bold
      class model lit
    """
    if lit is not None and lit not in graph.nodes:
        raise ValueError(f"lit: no node {lit!r}; there are {', '.join(graph.nodes)}")
    lines = ["flowchart TD"]
    for node, label in graph.nodes.items():
        opens, closes = ("{", "}") if node == "check" else ("(", ")")
        lines.append(f'  {node}{opens}"{_escaped(label)}"{closes}')
    for start, end, label in graph.edges:
        shown = f'|"{_escaped(label)}"|' if label else ""
        lines.append(f"  {start} -->{shown} {end}")
    lines.append("  classDef lit stroke-width:4px,font-weight:bold")
    return "\n".join([*lines, *([f"  class {lit} lit"] if lit else [])])


def _escaped(label: str) -> str:
    """Letters, digits and a little punctuation as they are, the rest as mermaid's `#number;`."""
    return re.sub(r"[^\w ,.?:]|_", lambda match: f"#{ord(match.group())};", label)
