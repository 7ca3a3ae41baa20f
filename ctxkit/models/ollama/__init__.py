"""Models on an Ollama server, through the `ollama` client.

Read in this order: `hosts` and `names` (addresses and model names as people write them), `wire` (messages and
tools as the client takes them), `connect` and `sdk` (the client, imported late), `stream` (a reply as it
comes in), `reading` (what it means), `failures` (what went wrong, by name), `server` (requests within time
limits), `model` (`OllamaModel`).
"""

from ctxkit.models.ollama.model import ContextLengths, OllamaModel

__all__ = ["ContextLengths", "OllamaModel"]
