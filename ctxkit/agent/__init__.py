"""An agent: a model, tools and transforms that work on a conversation.

Read in this order: `tools` (a typed function as a tool), `conversation` (what is stored), `agent` (the loop,
and the record of each call).
"""

from ctxkit.agent.agent import Agent, ModelCall, Run
from ctxkit.agent.conversation import Conversation
from ctxkit.agent.tools import Tool, tool

__all__ = ["Agent", "Conversation", "ModelCall", "Run", "Tool", "tool"]
