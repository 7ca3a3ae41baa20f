"""Stores: where threads are kept, so that a conversation survives its kernel.

Read in this order: `errors`, `values` (what a checkpoint and a change are), `base` (the rules of every store:
what is committed, who wins), `memory` (the rules over a few lists), `rows` (a message as text that is checked
when it is read), `sqlite` (the same in one file).
"""

from ctxkit.stores.base import ThreadStore
from ctxkit.stores.errors import (
    NotAStore,
    StoreDamaged,
    StoreError,
    StoreTooNew,
    StoreUnavailable,
    ThreadConflict,
    ThreadExists,
    UnknownCheckpoint,
)
from ctxkit.stores.memory import MemoryStore
from ctxkit.stores.sqlite import SqliteStore
from ctxkit.stores.values import Change, Checkpoint, Snapshot

__all__ = [
    "Change",
    "Checkpoint",
    "MemoryStore",
    "NotAStore",
    "Snapshot",
    "SqliteStore",
    "StoreDamaged",
    "StoreError",
    "StoreTooNew",
    "StoreUnavailable",
    "ThreadConflict",
    "ThreadExists",
    "ThreadStore",
    "UnknownCheckpoint",
]
