"""Messages: pure values, how they are read from the shapes that clients use, and how they are written back.

Read in this order: `plain` (what may stand inside a message, and tool schemas), `marks` (messages that the
kit made), `values` (`Message` and `ToolCall`), `parts` (text, pictures and other media), `part_text` (what a
part says), `thinking` (what is no answer yet), `text` (a message as a person reads it), `source` (JSON),
`anthropic`, `replies` and `chatgpt` (shapes that are taken apart first), `load` and `dump` (OpenAI's and
Ollama's shapes).
"""

from ctxkit.messages.dump import dump_messages
from ctxkit.messages.load import load_messages
from ctxkit.messages.source import UnreadableFile
from ctxkit.messages.values import Message, ToolCall

__all__ = ["Message", "ToolCall", "UnreadableFile", "dump_messages", "load_messages"]
