"""Named errors of models: what went wrong and what to do about it.

Contract: each can be caught as `ModelError`, copied and pickled. Those of a model on a server are
`ServerError`s.
"""

from __future__ import annotations


class ModelError(RuntimeError):
    """A model could not answer."""


class SummaryFailed(ModelError):
    """A model answered, but not with a summary; nothing was changed.

    tokens: of a summary that was refused because it was too long, else None.

    >>> print(SummaryFailed("the reply was empty"))
    No summary was made: the reply was empty. History and cache are as they were.
    """

    def __init__(self, why: str, tokens: int | None = None) -> None:
        self.why, self.tokens = why, tokens
        super().__init__(f"No summary was made: {why}. History and cache are as they were.")

    def __reduce__(self) -> tuple[type[SummaryFailed], tuple[str, int | None]]:
        return (type(self), (self.why, self.tokens))


class ServerError(ModelError):
    """A model on a server could not answer; nothing was stored.

    partial, thinking: what had arrived by then. It is no answer and belongs in no history.

    >>> ReplyCutShort("The reply broke off.", partial="The capital of").partial
    'The capital of'
    """

    def __init__(self, text: str, *, partial: str = "", thinking: str = "") -> None:
        super().__init__(text)
        self.partial, self.thinking = partial, thinking


class BadAddress(ServerError, ValueError):
    """The address of the server cannot be used."""


class ClientUnavailable(ServerError):
    """The client library cannot be loaded: not installed, or stopped by a proxy setting."""


class RequestRefused(ServerError, ValueError):
    """The request would not get a sensible answer, so it was not sent."""


class ServerNotRunning(ServerError):
    """No server answers at that address."""


class ProxyInTheWay(ServerError):
    """A proxy, or some other web server, answered in the place of the model's server."""


class ModelNotPulled(ServerError):
    """The server is running and does not have the model."""


class ToolsNotSupported(ServerError):
    """The model cannot call tools."""


class WindowExceeded(ServerError):
    """The prompt is larger than the context window, or fills it so that no answer fits.

    tokens: of the prompt. limit: of the window. None where the server did not say.
    """

    def __init__(
        self,
        text: str,
        *,
        tokens: int | None = None,
        limit: int | None = None,
        partial: str = "",
        thinking: str = "",
    ) -> None:
        super().__init__(text, partial=partial, thinking=thinking)
        self.tokens, self.limit = tokens, limit


class EmptyReply(ServerError):
    """The model answered with no text and no tool call."""


class OnlyLoaded(EmptyReply):
    """The server loaded the model and answered nothing."""


class RanOutWhileThinking(EmptyReply):
    """All tokens of the reply went into thinking; `thinking` has them."""


class ReplyCutShort(ServerError):
    """The reply broke off before its end; `partial` has what came."""


class ModelTimeout(ServerError):
    """The server did not answer in time; `partial` has what came."""


class UnreadableReply(ServerError):
    """The server answered with something that is no reply."""


class ServerFailed(ServerError):
    """The server reported a failure of its own.

    status: the HTTP status, None where there was none.
    """

    def __init__(
        self, text: str, *, status: int | None = None, partial: str = "", thinking: str = ""
    ) -> None:
        super().__init__(text, partial=partial, thinking=thinking)
        self.status = status
