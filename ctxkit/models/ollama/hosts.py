"""The address of the server, in all the forms in which OLLAMA_HOST is written.

Contract: a usable URL, or a `BadAddress` that says what is wrong. The variable serves the server too, where
it is the address to *listen* at, so a wildcard means the loopback of its kind here (siddsachar/row-bot#45).
The client 0.6 fails on some of these forms as soon as it is imported (ollama/ollama-python#407, #471).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxkit.models.errors import BadAddress

if TYPE_CHECKING:
    from urllib.parse import SplitResult

PORT = 11434
_HTTP_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[^\W_](?:[\w.-]*\w)?\.?")


@dataclass(frozen=True)
class Host:
    """Where the server is.

    url: scheme, host and port, perhaps a path, no slash at the end. loopback: whether it is this machine.
    """

    url: str
    loopback: bool

    @property
    def shown(self) -> str:
        """The address without its scheme, for messages."""
        return self.url.partition("://")[2]


def parse_host(text: str | None, source: str = "host") -> Host:
    """Read an address.

    text: host, host:port, :port or a URL; None or "" is this machine at Ollama's port, 11434. As for the
    `ollama` command, a URL without a port means the port of its scheme. source: what to name in errors.
    Raises TypeError for anything but text, and BadAddress.

    >>> parse_host("0.0.0.0").url, parse_host(":11500").url, parse_host("::1").url
    ('http://127.0.0.1:11434', 'http://127.0.0.1:11500', 'http://[::1]:11434')
    >>> parse_host("https://example.org/api/").url
    'https://example.org:443'
    """
    from urllib.parse import urlsplit  # late, for the price of `import ctxkit`

    if text is None:
        text = ""
    if not isinstance(text, str):
        raise TypeError(f"{source}: expected an address as text, got {type(text).__name__}")
    given = text.strip().strip("\"'").strip()  # quotes: the server takes them off too
    if re.match(r"https?:/(?!/)", given, re.IGNORECASE):  # else "http" would be taken for the host
        raise _bad(source, given, "two slashes are expected after http:")
    scheme, mark, rest = given.partition("://")
    scheme, rest = (scheme.lower(), rest) if mark else ("http", given)
    if scheme not in _HTTP_PORTS:
        raise _bad(source, given, f"http or https is expected before ://, not {scheme[:20]!r}")
    if _is_ip(rest, 6):
        rest = f"[{rest}]"
    try:
        split = urlsplit(f"{scheme}://{rest}")
        port = split.port
    except ValueError:  # its text would quote what may be a password
        raise _bad(source, given, "a host and a port from 1 to 65535 are expected") from None
    if split.username is not None or split.password is not None:
        raise BadAddress(f"{source}: leave user name and password out of the address; they would not be sent")
    if split.query or split.fragment:
        raise _bad(source, given, "nothing may follow the path")
    name, loopback = _name(split, source, given)
    if port is None:
        port = _HTTP_PORTS[scheme] if mark else PORT
    elif port == 0:
        raise _bad(source, given, "port 0 is none that a server can be reached at")
    path = split.path.rstrip("/").removesuffix("/api").rstrip("/")  # the client adds /api/chat itself
    if (path and not split.netloc) or re.search(r"[\s\x00-\x1f]", path):
        raise _bad(source, given, "a host is expected before the path, and no blank in it")
    return Host(f"{scheme}://{name}:{port}{path}", loopback)


def _name(split: SplitResult, source: str, given: str) -> tuple[str, bool]:
    """The host to connect to, and whether it is this machine."""
    import ipaddress

    name = split.hostname or "127.0.0.1"
    if _is_ip(name, 4) or _is_ip(name, 6):
        address = ipaddress.ip_address(name)
        if address.is_unspecified:
            address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
        return (f"[{address}]" if address.version == 6 else str(address)), address.is_loopback
    if not _NAME.fullmatch(name):
        raise _bad(source, given, f"{name[:60]!r} is no host name")
    return name, name == "localhost" or name.endswith(".localhost")


def _is_ip(text: str, version: int) -> bool:
    import ipaddress

    try:
        return "%" not in text and ipaddress.ip_address(text).version == version
    except ValueError:
        return False


def _bad(source: str, given: str, why: str) -> BadAddress:
    shown = "an address with @ in it" if "@" in given else repr(given[:60])
    return BadAddress(
        f"{source}: {shown} is no address of a server ({why}). Write it as 127.0.0.1:11434 or http://host:port."
    )
