"""ctxkit: see and manage what a language model is sent.

Read the modules as a ladder, each adding one idea to the one before: `messages` (values), `history` (what
makes a list of them sound), `tokens` (what they cost), `window` (what fits), `models` (who answers),
`transforms` (what to leave out), `replay` (a conversation call by call), `agent` (tools in a loop), `memory`
(recent turns and a summary), `stores` and `threads` (conversations that are kept, with a running summary),
`recall` (what is still known), `economy` (what it costs). `samples`, `exercises` and `widgets` serve the
lessons in `notebooks/`.

Names load on first use (PEP 562), so that `import ctxkit` stays cheap: no widget, no socket, no vocabulary.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxkit._sync import run
    from ctxkit.agent import Agent, Conversation, ModelCall, Run, Tool, tool
    from ctxkit.economy import Pricing, Simulation, Strategy, prefix_reuse, simulate
    from ctxkit.exercises import check_answer, hint, predict, solution
    from ctxkit.history import Violation, check, groups, repair, split_history
    from ctxkit.memory import HierarchicalMemory
    from ctxkit.messages import Message, ToolCall, dump_messages, load_messages
    from ctxkit.models import ChatModel, EmbeddedModel, OfflineModel, OllamaModel, Reply, Usage, pick_model
    from ctxkit.models.errors import (
        BadAddress,
        ClientUnavailable,
        EmptyReply,
        ModelError,
        ModelNotPulled,
        ModelTimeout,
        OnlyLoaded,
        ProxyInTheWay,
        RanOutWhileThinking,
        ReplyCutShort,
        RequestRefused,
        ServerError,
        ServerFailed,
        ServerNotRunning,
        SummaryFailed,
        ToolsNotSupported,
        UnreadableReply,
        WindowExceeded,
    )
    from ctxkit.recall import Fact, Quiz
    from ctxkit.samples import load_sample, sample_names
    from ctxkit.stores import MemoryStore, SqliteStore, StoreError, ThreadConflict
    from ctxkit.threads import SummaryThread, ThreadState
    from ctxkit.tokens import TokenCounter, count_tokens
    from ctxkit.transforms import (
        ClearToolResults,
        Decision,
        KeepRecentMessages,
        KeepWithinTokens,
        MessageTransform,
        OllamaTruncation,
        Outcome,
        Pipeline,
        SummarizeOldMessages,
        SummarizeToolResults,
        SummaryCache,
    )
    from ctxkit.widgets import MessageList, TokenUsageChart, TokenView, WindowLab
    from ctxkit.window import BudgetImpossible, ContextWindow, WindowUsage

__version__ = "0.1.0"

_HOMES = {
    "economy": ["Pricing", "Simulation", "Strategy", "prefix_reuse", "simulate"],
    "agent": ["Agent", "Conversation", "ModelCall", "Run", "Tool", "tool"],
    "_sync": ["run"],
    "exercises": ["check_answer", "hint", "predict", "solution"],
    "history": ["Violation", "check", "groups", "repair", "split_history"],
    "models": ["ChatModel", "EmbeddedModel", "OfflineModel", "OllamaModel", "Reply", "Usage", "pick_model"],
    "models.errors": [
        "BadAddress",
        "ClientUnavailable",
        "EmptyReply",
        "ModelError",
        "ModelNotPulled",
        "ModelTimeout",
        "OnlyLoaded",
        "ProxyInTheWay",
        "RanOutWhileThinking",
        "ReplyCutShort",
        "RequestRefused",
        "ServerError",
        "ServerFailed",
        "ServerNotRunning",
        "SummaryFailed",
        "ToolsNotSupported",
        "UnreadableReply",
        "WindowExceeded",
    ],
    "memory": ["HierarchicalMemory"],
    "messages": ["Message", "ToolCall", "dump_messages", "load_messages"],
    "recall": ["Fact", "Quiz"],
    "samples": ["load_sample", "sample_names"],
    "stores": ["MemoryStore", "SqliteStore", "StoreError", "ThreadConflict"],
    "threads": ["SummaryThread", "ThreadState"],
    "tokens": ["TokenCounter", "count_tokens"],
    "transforms": [
        "ClearToolResults",
        "Decision",
        "KeepRecentMessages",
        "KeepWithinTokens",
        "MessageTransform",
        "Outcome",
        "Pipeline",
        "OllamaTruncation",
        "SummarizeOldMessages",
        "SummarizeToolResults",
        "SummaryCache",
    ],
    "widgets": ["MessageList", "TokenUsageChart", "TokenView", "WindowLab"],
    "window": ["BudgetImpossible", "ContextWindow", "WindowUsage"],
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Agent",
    "BadAddress",
    "BudgetImpossible",
    "ChatModel",
    "ClearToolResults",
    "ClientUnavailable",
    "ContextWindow",
    "Conversation",
    "Decision",
    "EmbeddedModel",
    "EmptyReply",
    "Fact",
    "HierarchicalMemory",
    "KeepRecentMessages",
    "KeepWithinTokens",
    "MemoryStore",
    "Message",
    "MessageList",
    "MessageTransform",
    "ModelCall",
    "ModelError",
    "ModelNotPulled",
    "ModelTimeout",
    "OfflineModel",
    "OllamaModel",
    "OllamaTruncation",
    "OnlyLoaded",
    "Outcome",
    "Pipeline",
    "Pricing",
    "ProxyInTheWay",
    "Quiz",
    "RanOutWhileThinking",
    "Reply",
    "ReplyCutShort",
    "RequestRefused",
    "Run",
    "ServerError",
    "ServerFailed",
    "ServerNotRunning",
    "Simulation",
    "SqliteStore",
    "StoreError",
    "Strategy",
    "SummarizeOldMessages",
    "SummarizeToolResults",
    "SummaryCache",
    "SummaryFailed",
    "SummaryThread",
    "ThreadConflict",
    "ThreadState",
    "TokenCounter",
    "TokenUsageChart",
    "TokenView",
    "Tool",
    "ToolCall",
    "ToolsNotSupported",
    "UnreadableReply",
    "Usage",
    "Violation",
    "WindowExceeded",
    "WindowLab",
    "WindowUsage",
    "check",
    "check_answer",
    "count_tokens",
    "dump_messages",
    "groups",
    "hint",
    "load_messages",
    "load_sample",
    "pick_model",
    "predict",
    "prefix_reuse",
    "repair",
    "run",
    "sample_names",
    "simulate",
    "solution",
    "split_history",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ctxkit' has no attribute {name!r}")
    value = getattr(import_module(f"ctxkit.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
