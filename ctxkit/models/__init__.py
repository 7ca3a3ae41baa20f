"""Chat models: what the kit asks of one, and the named errors of those it brings.

Read in this order: `base` (the protocol, replies and usage), `errors`.
"""

from ctxkit.models.base import ChatModel, Reply, Usage
from ctxkit.models.errors import ModelError, SummaryFailed

__all__ = ["ChatModel", "ModelError", "Reply", "SummaryFailed", "Usage"]
