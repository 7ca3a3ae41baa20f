"""A conversation replayed: what was sent each time the model was asked.

Read in this order: `points` (when a model is asked), `sums` (tokens of any part of a prompt), `calls` (what
one call sends and leaves out, in tokens), `replayed` (all calls under one setting).
"""

from ctxkit.replay.calls import Call, Ledger
from ctxkit.replay.points import call_points
from ctxkit.replay.replayed import Made, Replayed, Step, replay

__all__ = ["Call", "Ledger", "Made", "Replayed", "Step", "call_points", "replay"]
