"""Who closes what: running a cell again closes what its last run had built.

ipywidgets keeps every widget alive until it is closed, on both sides (jupyter-widgets/ipywidgets#1345), so
ten runs of a cell would leave ten labs behind. Contract: what one run of a cell builds lives until the same
cell runs again; parts of a lab live as long as the lab. Outside a notebook nothing closes but by `close`.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Hashable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class Closable(Protocol):
    def close(self) -> None: ...


_built: dict[Hashable, tuple[Hashable, list[Closable]]] = {}
_has_owner: ContextVar[bool] = ContextVar("ctxkit_widget_has_owner", default=False)


def claim(thing: Closable) -> None:
    """Note that this cell has built something, and close what an earlier run of the cell had built."""
    here = None if _has_owner.get() else _cell()
    if here is None:
        return
    place, run = here
    earlier = _built.get(place)
    if earlier is None or earlier[0] != run:
        for old in earlier[1] if earlier else ():
            old.close()
        _built[place] = earlier = (run, [])
    earlier[1].append(thing)


@contextmanager
def parts() -> Generator[None]:
    """What is built in this block belongs to a lab, which closes it."""
    token = _has_owner.set(True)
    try:
        yield
    finally:
        _has_owner.reset(token)


def close_tree(widget: Any) -> None:
    """Close a widget with its children, layouts and styles; `close` alone leaves all but itself."""
    for child in getattr(widget, "children", ()):
        close_tree(child)
    for name in ("layout", "style"):
        part: Any = getattr(widget, name, None)
        if hasattr(part, "comm"):
            part.close()
    widget.close()


def _cell() -> tuple[Hashable, Hashable] | None:
    """The notebook cell that is running, and this run of it."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    request = shell.get_parent() if hasattr(shell, "get_parent") else None
    if not request or request["header"].get("msg_type") != "execute_request":
        return None
    # Editors that send no cell id (nbclient does not) send the same source when a cell is run again.
    cell = request.get("metadata", {}).get("cellId") or request["content"]["code"]
    return cell, request["header"]["msg_id"]
