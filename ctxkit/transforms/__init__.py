"""Transforms: from the messages that are stored to the messages that are sent.

Read in this order: `outcome` (what a transform made), `base` (what every transform promises), `options` (how
one is copied), `timeline` (the shape of a history, as arrays over its prefixes), `mending` (that of a broken
one, as it grows), `handover` (how a history goes from hand to hand without a copy), `changed` (a timeline
some of whose messages have others in their place), `recent` (keep the N most recent), `budget` (keep what
fits), `clearing` (clear old tool results), `ollama_truncation` (what a server does if nobody manages the
window), `summaries` (what is too long, in a model's words), `pipeline` (several in a row), `config` (a
pipeline as JSON).
"""

from ctxkit.transforms.base import Decision, MessageTransform, Outcome
from ctxkit.transforms.budget import KeepWithinTokens
from ctxkit.transforms.clearing import ClearToolResults
from ctxkit.transforms.ollama_truncation import OllamaTruncation
from ctxkit.transforms.pipeline import Pipeline
from ctxkit.transforms.recent import KeepRecentMessages
from ctxkit.transforms.summaries.cache import SummaryCache
from ctxkit.transforms.summaries.old_messages import SummarizeOldMessages
from ctxkit.transforms.summaries.tool_results import SummarizeToolResults

__all__ = [
    "ClearToolResults",
    "Decision",
    "KeepRecentMessages",
    "KeepWithinTokens",
    "MessageTransform",
    "OllamaTruncation",
    "Outcome",
    "Pipeline",
    "SummarizeOldMessages",
    "SummarizeToolResults",
    "SummaryCache",
]
