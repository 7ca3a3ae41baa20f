"""Requests to a server, each within its time limits, and what the server knows of its models.

Contract: each request has its own client, because a client belongs to one event loop and notebooks have two
(`ctxkit.run`); what fails comes out by name, as `failures` says. Nothing is retried, nothing is kept.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from ctxkit.messages.plain import as_mapping
from ctxkit.models.ollama.connect import load_sdk, open_client
from ctxkit.models.ollama.failures import Attempt
from ctxkit.models.ollama.hosts import Host
from ctxkit.models.ollama.names import full_name

CONNECT = 5.0
"""Seconds to reach the server, at most. The client itself would wait for ever (ollama/ollama-python#483)."""

Ask = Callable[[Any, Attempt], Awaitable[None]]


@dataclass(frozen=True)
class Server:
    """A server, and how long it may take.

    host: where it is. timeout: seconds that it may be silent. total: seconds for a whole request.
    """

    host: Host
    timeout: float
    total: float

    async def attempt(
        self, ask: Ask, model: str = "", num_ctx: int | None = None, seconds: float = inf
    ) -> Attempt:
        """Make one request: `ask` gets an open client. model, num_ctx: what it is about. seconds: for all of
        it, where that is less."""
        import asyncio

        silent, total = min(self.timeout, seconds), min(self.total, seconds)
        attempt = Attempt(load_sdk(), self.host, model, num_ctx, silent, total)

        async def work() -> None:
            async with open_client(attempt.sdk, self.host, silent, min(CONNECT, silent)) as client:
                await ask(client, attempt)

        try:
            await asyncio.wait_for(work(), total)
        except Exception as error:
            raise attempt.named(error) from None
        return attempt

    async def installed(self) -> list[str]:
        """Names of the models that the server has, with their tags, the newest first."""
        names: list[str] = []

        async def ask(client: Any, attempt: Attempt) -> None:
            listed = _fields(await client.list()).get("models") or ()
            for fields in map(_fields, listed):
                name = fields.get("model") or fields.get("name")
                names.extend([name] if isinstance(name, str) else [])

        await self.attempt(ask)
        return names

    async def describe(self, model: str) -> Description:
        """What the server says of a model that it has."""
        found: list[Description] = []

        async def ask(client: Any, attempt: Attempt) -> None:
            shown = _fields(await client.show(model))
            info = _fields(shown.get("model_info") or shown.get("modelinfo") or {})
            length = info.get(f"{info.get('general.architecture')}.context_length")
            found.append(Description(_tokens(length), tuple(shown.get("capabilities") or ())))

        await self.attempt(ask, model)
        return found[0]

    async def loaded(self, model: str, seconds: float = inf) -> int | None:
        """The context length with which a model is in memory, None where it is not."""
        found: list[int | None] = []

        async def ask(client: Any, attempt: Attempt) -> None:
            for entry in _fields(await client.ps()).get("models") or ():
                fields = _fields(entry)
                if full_name(model) in (fields.get("model"), fields.get("name")):
                    found.append(_tokens(fields.get("context_length")))

        await self.attempt(ask, model, seconds=seconds)
        return found[0] if found else None


@dataclass(frozen=True)
class Description:
    """A model: its advertised context length in tokens, and what it can do ("completion", "tools", ...; empty
    where an old server does not say)."""

    context_length: int | None
    capabilities: tuple[str, ...]


def _fields(value: object) -> Mapping[Any, Any]:
    fields = as_mapping(value)
    if fields is None:
        raise TypeError(f"expected an object, got {type(value).__name__}")
    return fields


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
