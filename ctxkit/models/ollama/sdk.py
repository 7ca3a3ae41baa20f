"""The `ollama` client, with all that a server says. Imported late, by `connect`: importing it can fail.

Contract: `Client` is the library's own `AsyncClient`; requests are checked and sent, and replies read, by it.
The classes of ollama 0.6 leave out fields that they do not declare: in replies the cached tokens
(ollama/ollama#16138), in tool schemas all below the first level of parameters. So replies come as plain
dicts, and schemas go out as they were given. Where a later version works differently inside, its own classes
come and go, and the kit reads those too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
import ollama
from pydantic import ValidationError

__all__ = ["Client", "ResponseError", "ValidationError", "httpx"]

ResponseError = ollama.ResponseError


class Client(ollama.AsyncClient):
    """The client of one request; `schemas` are the tools it offers."""

    schemas: Sequence[dict[str, Any]] = ()

    async def _request(self, cls: Any, *args: Any, **kwargs: Any) -> Any:
        if self.schemas and kwargs.get("json"):
            kwargs["json"] = {**kwargs["json"], "tools": list(self.schemas)}
        return await super()._request(dict, *args, **kwargs)
