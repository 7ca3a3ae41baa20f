"""Chat models: what the kit asks of one, and the named errors of those it brings.

Read in this order: `base` (the protocol, replies and usage), `errors`, `requests` (what none of them is
sent), `offline` (a reader that needs nothing), `embedded` (a very small language model in this process),
`ollama` (the real ones), `pick` (which of them is there). Each loads on first use: nothing here opens a
socket or imports a client before it is asked to.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ctxkit.models.base import ChatModel, Reply, Usage
from ctxkit.models.errors import ModelError, SummaryFailed

if TYPE_CHECKING:
    from ctxkit.models.embedded import EmbeddedModel
    from ctxkit.models.offline import OfflineModel
    from ctxkit.models.ollama import OllamaModel
    from ctxkit.models.pick import pick_model

__all__ = [
    "ChatModel",
    "EmbeddedModel",
    "ModelError",
    "OfflineModel",
    "OllamaModel",
    "Reply",
    "SummaryFailed",
    "Usage",
    "pick_model",
]

_HOME = {
    "EmbeddedModel": "embedded",
    "OfflineModel": "offline",
    "OllamaModel": "ollama",
    "pick_model": "pick",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ctxkit.models' has no attribute {name!r}")
    return getattr(import_module(f"ctxkit.models.{_HOME[name]}"), name)
