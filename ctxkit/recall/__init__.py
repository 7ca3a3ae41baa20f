"""Facts of a conversation, and whether a reader who sees only the window still knows them.

Contract: a fact counts as known when a reader, asked its question after the messages of a window, says all
that the fact expects. A reader that gives probabilities (`EmbeddedModel`) is not asked but measured: it knows
a fact when the right word is the likeliest to go on with the fact's sentence. Nothing is taken for granted: a
message that is still sent may yet be misread, and a summary may have kept the fact or lost it.

Read in this order: `facts` (one fact, and who is asked for it), `quiz` (those of a conversation), `bearing`
(which messages of a window matter to a fact), `recall` (what is known at each call, asking no more than it
must).
"""

from ctxkit.recall.facts import Fact, Finding, Measured, Prober, Reader
from ctxkit.recall.quiz import Quiz
from ctxkit.recall.recall import Recall

__all__ = ["Fact", "Finding", "Measured", "Prober", "Quiz", "Reader", "Recall"]
