"""From whatever the client raises to an error with a name that says what to do.

Contract: every failure of a request has a name from `ctxkit.models.errors`; what had arrived by then stays on
the error. Text of a server is cut to one line, values of proxy settings are never shown. What is no failure
of the request (a cancelled task, a bug) is given back as it is.
"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass, field
from typing import Any

from ctxkit.models import errors
from ctxkit.models.errors import ServerError
from ctxkit.models.ollama.connect import proxies_for
from ctxkit.models.ollama.cuts import TRIM, too_large
from ctxkit.models.ollama.hosts import PORT, Host
from ctxkit.models.ollama.stream import Draft

_WINDOW = re.compile(
    r"exceed\w* (?:[\w']+ ){0,4}context|context (?:\w+ ){0,3}exceeded|prompt (?:is )?too long", re.I
)
_LIMIT = re.compile(r"n_ctx\W+(\d+)|context (?:size|length|window)\D{0,4}(\d+)", re.I)
_SENT = re.compile(r"n_prompt_tokens\W+(\d+)|request \((\d+) tokens", re.I)
_NO_MODEL = re.compile(r"\bmodel\b.*\bnot found\b", re.I | re.S)
_REDIRECTS = (301, 302, 303, 307, 308)
_GATEWAY = (*_REDIRECTS, 407, 413, 502, 503, 504)
_WITH_TOOLS = ("qwen3", "llama3.2")


@dataclass
class Attempt:
    """One request, and what is known of it when it fails.

    model: its name as the user typed it. num_ctx: the window that was asked for. timeout, total: seconds
    without news, and in all. draft: what came.
    """

    sdk: Any
    host: Host
    model: str
    num_ctx: int | None
    timeout: float
    total: float
    draft: Draft = field(default_factory=Draft)

    def named(self, error: Exception) -> Exception:
        """The error to raise in place of what the client raised."""
        import asyncio

        httpx = self.sdk.httpx
        if isinstance(error, ServerError):
            return error
        if isinstance(error, httpx.ConnectTimeout):
            return self._not_running("it does not answer")
        if isinstance(error, asyncio.TimeoutError):
            return self._timeout(f"The reply was not complete after {self.total:g} s", "total_timeout")
        if isinstance(error, httpx.TimeoutException):
            return self._timeout(
                f"The server at {self.host.shown} was silent for {self.timeout:g} s", "timeout"
            )
        if isinstance(error, httpx.ProxyError):
            return self._proxy("The proxy refused the request")
        if isinstance(error, (ConnectionError, httpx.ConnectError)):
            return self._not_running(_one_line(error.__context__ or error))
        said = _said(error, self.sdk.ResponseError)
        if said is not None:
            return self._answered(*said)
        if isinstance(error, httpx.TransportError):
            return self._broken(_one_line(error))
        if isinstance(
            error, (httpx.HTTPError, ValueError, TypeError, AttributeError, KeyError, RecursionError)
        ):
            return self._unreadable(error)
        return error

    def broken_off(self) -> ServerError:
        """The stream ended in good order, but without the chunk that says so."""
        if not self.draft.chunks:
            return self._proxy("An empty page came back with status 200")
        return self._broken("it ended without its last part")

    def _answered(self, said: object, status: int) -> ServerError:
        """The server, or someone in its place, answered with an error (status -1: in mid-stream)."""
        text = _error_text(said)
        if _WINDOW.search(text):
            facts = str(said)  # a structured error has the numbers beside its text
            sent, limit = _number(_SENT, facts), _number(_LIMIT, facts) or self.num_ctx
            return errors.WindowExceeded(
                f"{too_large(sent, limit)} The server refused it: {_one_line(text)}. {TRIM}",
                tokens=sent,
                limit=limit,
                **self._came(),
            )
        if "does not support tools" in text:
            others = [name for name in _WITH_TOOLS if name not in self.model]
            return errors.ToolsNotSupported(
                f"{self.model!r} cannot call tools. Call it without tools, or take a model that can, "
                f"such as {' or '.join(others)}."
            )
        if _is_page(text) or (not text.strip() and status in _GATEWAY) or status == 407:
            what = "A web page" if text.strip() else "An empty page"
            return self._proxy(f"{what} came back with status {status}")
        if status == 404 and self.model and _NO_MODEL.search(text):
            return errors.ModelNotPulled(
                f"The server at {self.host.shown} does not have {self.model!r}. "
                f"Pull it: ollama pull {self.model}"
            )
        if status == 404:
            return errors.UnreadableReply(
                f"There is a web server at {self.host.url}, but no Ollama. Check OLLAMA_HOST or host."
            )
        if status == -1:
            return self._broken(_one_line(text))
        hint = " It wants a key: set OLLAMA_API_KEY." if status in (401, 403) else ""
        return errors.ServerFailed(
            f"Ollama reports a failure: {_one_line(text)} (HTTP status {status}).{hint}",
            status=status,
            **self._came(),
        )

    def _not_running(self, why: str) -> ServerError:
        proxies = proxies_for(self.host)
        if proxies:
            return self._proxy("No connection")
        port = ""
        if self.host.url.startswith("http://") and self.host.url.endswith(":80"):
            port = f" A URL without a port means port 80; Ollama's own is {PORT}."
        return errors.ServerNotRunning(
            f"No Ollama server answers at {self.host.shown} ({why}). Start it (open the Ollama app, or run: "
            f"ollama serve), or set OLLAMA_HOST to where it runs.{port} Without one, use OfflineModel()."
        )

    def _proxy(self, what: str) -> ServerError:
        proxies = ", ".join(proxies_for(self.host))
        through = f"Requests go through the proxy in {proxies}. " if proxies else ""
        advice = (
            "No proxy is needed to reach this machine: set NO_PROXY=localhost,127.0.0.1,::1 and try again."
            if self.host.loopback
            else "Check the address and the proxy, or add the host to NO_PROXY."
        )
        return errors.ProxyInTheWay(
            f"{what}, where Ollama should be at {self.host.shown}: a proxy is probably in the way. "
            f"{through}{advice}",
            **self._came(),
        )

    def _timeout(self, what: str, setting: str) -> ServerError:
        return errors.ModelTimeout(
            f"{what}. A large model can take longer to load or to read a long prompt: raise {setting}, "
            f"send less, or look whether the server hangs (ollama ps).{self._kept()}",
            **self._came(),
        )

    def _broken(self, why: str) -> ServerError:
        when = "broke off" if self.draft.chunks else "did not begin"
        return errors.ReplyCutShort(
            f"The reply {when}: {why}. Nothing was stored; send the request again.{self._kept()}",
            **self._came(),
        )

    def _unreadable(self, error: Exception) -> ServerError:
        if _is_page(getattr(error, "doc", "")):
            return self._proxy("A web page came back with status 200")
        return errors.UnreadableReply(
            f"What the server at {self.host.shown} sent is no reply of Ollama ({_one_line(error)}). "
            f"Check that the address is Ollama's, and update it.{self._kept()}",
            **self._came(),
        )

    def _came(self) -> dict[str, str]:
        return {"partial": self.draft.text, "thinking": self.draft.thinking}

    def _kept(self) -> str:
        return " What came is in .partial of this error." if self.draft.text else ""


def _said(error: Exception, response_error: Any) -> tuple[object, int] | None:
    """What the server gave as its error, and the status; None where it is not its error that was raised.

    The client's own error class breaks on a structured error in mid-stream: what it was given still stands
    where it broke.
    """
    if isinstance(error, response_error):
        return error.error, int(error.status_code)  # type: ignore[attr-defined]
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    broken = next((frame for frame in frames if frame.f_code is response_error.__init__.__code__), None)
    given = broken and broken.f_locals.get("error")
    return (given, -1) if isinstance(given, dict) else None


def _error_text(error: object) -> str:
    if isinstance(error, dict):
        return str(error.get("message", error))
    return error if isinstance(error, str) else "" if error is None else str(error)


def _is_page(text: object) -> bool:
    return isinstance(text, str) and text.lstrip("\ufeff \t\r\n").startswith("<")


def _one_line(error: object) -> str:
    text = " ".join(str(error).split())
    if not text:
        return "no reason given" if isinstance(error, str) else type(error).__name__
    return (text if len(text) <= 200 else text[:200] + "…").rstrip(".")


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return next((int(group) for group in found.groups() if group), None) if found else None
