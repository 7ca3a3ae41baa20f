"""Which vocabulary a name means, and reading it once, on first use.

Contract: `vocabulary(name)` gives tiktoken's `Encoding` or None, never an exception and never a long wait.
Carried files come first (`carried`); tiktoken's own download is for the other encodings, and gets
`DOWNLOAD_SECONDS`, because it has no time-out of its own (HKUDS/LightRAG#166). None is not final: a later
call tries again (jwadow/kiro-gateway#183), but no more than a tenth of the time goes into failed attempts.
The first failure of an encoding warns, once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from ctxkit.tokens.carried import carried_encoding, carried_file

if TYPE_CHECKING:
    from tiktoken import Encoding

STAND_IN = "cl100k_base"
"""The encoding that counts for a model whose own is not known."""

DOWNLOAD_SECONDS = 5.0

# After a failed attempt no other for so many times as long as it took, so that a history counted without a
# network is not a thousand failing downloads. A few failures that took no time are tried again at once.
WAIT_FACTOR = 10
INSTANT_SECONDS = 0.1
INSTANT_RETRIES = 3


class TokenCountEstimated(UserWarning):
    """Token counts are estimates that err high, because a vocabulary could not be read."""


@dataclass(frozen=True)
class _Failure:
    attempts: int
    retry_at: float  # on the clock of `monotonic`


_loaded: dict[str, Encoding] = {}
_failures: dict[str, _Failure] = {}
_locks: dict[str, Lock] = {}


def resolve(name: object) -> tuple[str, bool]:
    """The encoding that a name stands for, and whether the name is known.

    Known are tiktoken's encodings and the models of its table. Anything else, text or not, is counted with
    `STAND_IN`. Opens no vocabulary.

    >>> resolve("o200k_base"), resolve("gpt-4o"), resolve("llama3.2"), resolve(None)
    (('o200k_base', True), ('o200k_base', True), ('cl100k_base', False), ('cl100k_base', False))
    """
    if name == STAND_IN:
        return STAND_IN, True
    if not isinstance(name, str):
        return STAND_IN, False
    from tiktoken.model import encoding_name_for_model

    try:
        # Not `tiktoken.list_encoding_names`: it waits for a lock that someone's hanging download may hold.
        return (name, True) if name in _definitions() else (encoding_name_for_model(name), True)
    except KeyError:
        return STAND_IN, False


def vocabulary(encoding: str) -> Encoding | None:
    """The vocabulary of an encoding, read on first use; None while it cannot be had. Safe in threads.

    >>> vocabulary("cl100k_base").encode_ordinary("hello world")
    [15339, 1917]
    """
    found = _loaded.get(encoding)
    if found is not None:
        return found
    with _locks.setdefault(encoding, Lock()):
        found, failure = _loaded.get(encoding), _failures.get(encoding)
        if found is not None or (failure is not None and monotonic() < failure.retry_at):
            return found
        started = monotonic()
        try:
            found = _loaded[encoding] = _build(encoding)
            return found
        except Exception as error:
            reason = error
        _failures[encoding] = _failed(failure, monotonic() - started)
    if failure is None:
        _warn(encoding, reason)
    return None


def unavailable(encoding: str) -> bool:
    """Whether the vocabulary was asked for in vain and has not come since; tries nothing.

    >>> unavailable("cl100k_base")
    False
    """
    return encoding in _failures and encoding not in _loaded


def _definitions() -> Mapping[str, Callable[[], dict[str, Any]]]:
    from tiktoken_ext.openai_public import ENCODING_CONSTRUCTORS

    return ENCODING_CONSTRUCTORS


def _build(encoding: str) -> Encoding:
    path = carried_file(encoding)
    return carried_encoding(encoding, path) if path else _download(encoding)


def _download(encoding: str) -> Encoding:
    """tiktoken's own download and cache, in a thread that is left behind when it hangs.

    `tiktoken.get_encoding` would hold a lock all the while, and with it stop everyone who needs any encoding.
    """
    from concurrent.futures import Future, wait  # late, for the price of `import ctxkit`

    from tiktoken import Encoding

    result: Future[Encoding] = Future()
    definition = _definitions()[encoding]

    def work() -> None:
        try:
            result.set_result(Encoding(**definition()))
        except Exception as error:
            result.set_exception(error)

    Thread(target=work, name=f"ctxkit-{encoding}", daemon=True).start()
    if not wait([result], DOWNLOAD_SECONDS).done:
        raise TimeoutError(f"its download took over {DOWNLOAD_SECONDS:g} seconds")
    return result.result()


def _failed(before: _Failure | None, seconds: float) -> _Failure:
    attempts = before.attempts + 1 if before else 1
    instant = seconds < INSTANT_SECONDS and attempts <= INSTANT_RETRIES
    return _Failure(attempts, monotonic() + (0 if instant else WAIT_FACTOR * seconds))


def _warn(encoding: str, reason: Exception) -> None:
    why = " ".join(str(reason).split())
    shown = why if len(why) <= 400 else why[:400] + "…"
    warnings.warn(
        f"Token counts for {encoding!r} are estimates that err high until its vocabulary can be read: "
        f"{type(reason).__name__}: {shown}",
        TokenCountEstimated,
        stacklevel=4,  # where the count was asked for
    )
