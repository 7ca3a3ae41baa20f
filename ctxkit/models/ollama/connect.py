"""Loading the client and opening it, where the environment may stand in the way.

Contract: gives a client or raises `ClientUnavailable`, which names what to install or to unset. `import
ollama` already builds a client from the environment, so an OLLAMA_HOST that it cannot read breaks the import
(ollama/ollama-python#471), and so does a SOCKS proxy (ollama/ollama-python#424); the first is worked around.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from ctxkit.models.errors import BadAddress, ClientUnavailable
from ctxkit.models.ollama.hosts import Host, parse_host

_SDK = "ctxkit.models.ollama.sdk"
_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY")
_lock = threading.Lock()


def load_sdk() -> Any:
    """The module `sdk`, and with it the client library."""
    try:
        with _lock:
            if _SDK not in sys.modules:  # the environment is changed for the first import only
                with _readable_host():
                    import_module(_SDK)
            return sys.modules[_SDK]
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("ollama", "httpx", "pydantic"):
            raise ClientUnavailable(
                f"The Ollama client is not installed ({error}). Install it: pip install 'ollama>=0.6.1,<0.7'"
            ) from None
        raise ClientUnavailable(_hindered(error)) from None
    except Exception as error:  # whatever the environment makes the import raise
        raise ClientUnavailable(_hindered(error)) from None


def open_client(sdk: Any, host: Host, timeout: float, connect_timeout: float) -> Any:
    """A client for one request, to be used with `async with`: clients belong to one event loop."""
    try:
        limits = sdk.httpx.Timeout(timeout, connect=connect_timeout)
        return sdk.Client(host=host.url, timeout=limits)
    except Exception as error:  # the same proxies, set after the library was imported
        raise ClientUnavailable(_hindered(error)) from None


def proxies_for(host: Host) -> list[str]:
    """Names of the settings that send requests for this host through a proxy; their values may hold
    passwords.

    Empty also where the system has a proxy that stands in no variable.
    """
    from urllib.request import proxy_bypass  # late: it brings an HTTP client of its own

    parts = urlsplit(host.url)
    if proxy_bypass(parts.hostname or ""):
        return []
    return [name for name in _set_proxies() if name.upper().startswith(("ALL_", parts.scheme.upper()))]


@contextmanager
def _readable_host() -> Generator[None, None, None]:
    """For the time of the import, an OLLAMA_HOST that the client can read."""
    given = os.environ.get("OLLAMA_HOST")
    if given is None:
        yield
        return
    try:
        os.environ["OLLAMA_HOST"] = parse_host(given).url
    except BadAddress:
        os.environ["OLLAMA_HOST"] = parse_host(None).url
    try:
        yield
    finally:
        os.environ["OLLAMA_HOST"] = given


def _set_proxies() -> list[str]:
    return [name for upper in _PROXIES for name in (upper, upper.lower()) if os.environ.get(name)]


def _hindered(error: Exception) -> str:
    proxies = _set_proxies()
    if "socks" in str(error).lower() or any(os.environ[name].lower().startswith("socks") for name in proxies):
        named = ", ".join(proxies) or "the SOCKS proxy of your system"
        return (
            f"The Ollama client cannot use a SOCKS proxy. Unset {named} (in a notebook: del os.environ[...]) "
            "and run this again, or install its support: pip install 'httpx[socks]'."
        )
    if proxies:
        return f"The Ollama client does not start ({error}). Check or unset {', '.join(proxies)}."
    kind = type(error).__name__
    return f"The Ollama client does not start ({kind}: {error}). Reinstall it: pip install -U ollama"
