"""One at a time: a lock on a file that several kernels write.

Contract: `locked` holds for the threads of this process and, by a lock file next to the file, for other
processes. The system gives the lock back when a process ends, however it ends, so a lock never goes stale.
The wait is bounded. The lock file is taken away again; on Windows it may stay, empty. Where a network folder
knows no locks, only the threads of this process are kept apart.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path

WAIT = 10.0
"""Seconds to wait for the lock; it is held for a few milliseconds."""

_threads = threading.Lock()


@contextlib.contextmanager
def locked(path: Path) -> Generator[None, None, None]:
    """Hold the lock of the file at `path`. Raises TimeoutError after `WAIT` seconds, else OSError where no
    lock file can be made."""
    end = time.monotonic() + WAIT
    if not _threads.acquire(timeout=WAIT):
        raise _timeout()
    try:
        lock_file = path.with_name(f"{path.name}.lock")
        descriptor = _acquire(lock_file, end)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # Windows removes no file that somebody has open
                lock_file.unlink()
            os.close(descriptor)  # gives the lock back
    finally:
        _threads.release()


def _acquire(lock_file: Path, end: float) -> int:
    while True:
        descriptor = os.open(lock_file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if _try_lock(descriptor) and _is_at(lock_file, descriptor):
                return descriptor
            if time.monotonic() > end:
                raise _timeout()
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        time.sleep(0.005)


def _is_at(lock_file: Path, descriptor: int) -> bool:
    """Whether the open file is still the one at that path: its last holder removes it before the end."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(lock_file))
    except FileNotFoundError:
        return False


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
    return True


def _timeout() -> TimeoutError:
    return TimeoutError(errno.ETIMEDOUT, "another program holds its lock")
