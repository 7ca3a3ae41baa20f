"""Threads: a conversation with a running summary, which a store keeps for the next kernel.

Read in this order: `state` (what a thread holds and what it tells), `condition` (when to summarise and how
much), `thread` (what is promised), `loop` (how a turn keeps it), `transcripts` (a thread as JSON and back),
`graph` (the loop as a picture).
"""

from ctxkit.threads.state import NoReply, ThreadEvent, ThreadState
from ctxkit.threads.thread import SummaryThread

__all__ = ["NoReply", "SummaryThread", "ThreadEvent", "ThreadState"]
