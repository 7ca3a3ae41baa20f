"""`pick_model`: a real model where there is one, the offline reader elsewhere, and one line that says which.

Contract: never fails for want of a server, a client or a network, and asks for two seconds at most.
It picks no model that runs elsewhere (`-cloud`): a conversation leaves this machine only when somebody asks
for that by name. `CTXKIT_MODEL=offline` forces the offline reader; any other value is the name of the model
to take.
"""

from __future__ import annotations

import os

from ctxkit._sync import run
from ctxkit.models.base import ChatModel
from ctxkit.models.errors import ModelError
from ctxkit.models.ollama.connect import load_sdk
from ctxkit.models.ollama.hosts import parse_host
from ctxkit.models.ollama.model import OllamaModel
from ctxkit.models.ollama.names import full_name
from ctxkit.models.ollama.server import Server

QUICK = 2.0
"""Seconds in which the server has to answer."""

PREFERRED = "llama3.2"


class _NoneFound(Exception):
    """Why no model of the server is taken; a few words."""


def pick_model(name: str | None = None, host: str | None = None, num_ctx: int = 8192) -> ChatModel:
    """Take a model of Ollama when a server answers quickly and has one, else the offline reader; print which.

    name: the model to take (default: llama3.2 where it is installed, else the newest that can chat). host,
    num_ctx: as for `OllamaModel`. Raises TypeError or ValueError for arguments that no model could have.

    >>> model = pick_model()  # with CTXKIT_MODEL=offline
    Model: the offline reader (CTXKIT_MODEL=offline).
    """
    import asyncio

    from ctxkit.models.offline import OfflineModel  # late: it is not needed where there is a server

    wanted = os.environ.get("CTXKIT_MODEL", "").strip()
    if wanted.lower() == "offline":
        print("Model: the offline reader (CTXKIT_MODEL=offline).")
        return OfflineModel()
    OllamaModel(name or PREFERRED, host or "", num_ctx)  # a bad argument is an error with or without a server
    try:
        load_sdk()  # not in the two seconds: the first import can take longer than the server
        found = run(asyncio.wait_for(_find(name or wanted or None, host), QUICK))
    except (ModelError, _NoneFound) as error:
        print(f"Model: the offline reader. {str(error).partition('. ')[0].rstrip('.')}.")
        return OfflineModel()
    except asyncio.TimeoutError:
        print(f"Model: the offline reader. Ollama did not answer within {QUICK:g} seconds.")
        return OfflineModel()
    model = OllamaModel(found, host, num_ctx)
    print(f"Model: {found} on Ollama at {model.host}, context window {num_ctx:,} tokens.")
    return model


async def _find(name: str | None, host: str | None) -> str:
    """The model to take, as the server lists it or as it was asked for."""
    address = parse_host(os.environ.get("OLLAMA_HOST"), "OLLAMA_HOST") if host is None else parse_host(host)
    server = Server(address, QUICK, QUICK)
    installed = await server.installed()
    if name is not None:
        if full_name(name) not in installed:
            raise _NoneFound(f"Ollama does not have {name!r}: ollama pull {name}")
        return name
    local = [listed for listed in installed if not listed.endswith("cloud")]
    failures: list[ModelError] = []
    for listed in sorted(local, key=lambda listed: listed != full_name(PREFERRED)):
        try:
            if await _can_chat(server, listed):
                return listed
        except ModelError as error:  # one that is damaged must not hide the others
            failures.append(error)
    if failures:
        raise failures[0]
    raise _NoneFound(f"Ollama has no model for chats: ollama pull {PREFERRED}")


async def _can_chat(server: Server, name: str) -> bool:
    capabilities = (await server.describe(name)).capabilities
    return "completion" in capabilities or (not capabilities and "embed" not in name)
