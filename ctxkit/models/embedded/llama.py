"""llama.cpp inside this process, opened with all that must not vary from run to run.

Contract: the same file, request and machine give the same answer; another number of threads, another batch
or another version would change the last digits. Nothing is printed. The runner always opens a port: it is a
free one on loopback, and a secret that nobody is told closes it.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

THREADS = 2
"""Threads that compute, where there are as many processors."""

BATCH = 128
"""Tokens read at a time: about a third of a second, after which a stop is noticed."""

CACHE_MIB = 256
"""Memory for prompts read before, so that going back to an earlier window costs nothing. Its default, 8 GB,
is four times what a small hub gives."""

STEADY = {"temperature": 0, "seed": 1, "cache_prompt": True}
"""Goes with each request: the likeliest token, always, and what was read before is not read again."""


def open_llama(file: Path, num_ctx: int, key: str | None = None) -> Any:
    """Load a model: an `xllamacpp.Server`, whose `handle_...` methods answer in this process.

    num_ctx: tokens of its window; llama.cpp rounds up to a multiple of 256 and stops at what the model was
    trained for. key: opens its port (default: a secret). Raises RuntimeError for a file that is no model.

    Send it a request before letting go of it: one that is closed before its loop has begun never ends.
    """
    import secrets  # late: it brings cryptography

    with _patient_threads():
        runner = import_module("xllamacpp")
    params = runner.CommonParams()
    params.model.path = str(file)
    params.n_ctx = num_ctx
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH
    for group in (params.cpuparams, params.cpuparams_batch):
        group.n_threads = min(THREADS, os.cpu_count() or 1)
        group.poll = 0
    params.cache_ram_mib = CACHE_MIB
    params.warmup = False
    params.verbosity = -1  # a notebook shows whatever a library writes to stderr
    params.api_keys = [key or secrets.token_hex(16)]
    params.ui = params.endpoint_slots = False
    return runner.Server(params)


@contextmanager
def _patient_threads() -> Generator[None, None, None]:
    """For the time of the import, which reads it: threads that wait must sleep and not spin.

    On two busy processors, 30 tokens took 45 seconds with spinning threads and one second with sleeping ones.
    """
    if "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        del os.environ["OMP_WAIT_POLICY"]
