"""`OfflineModel`: a reader that stands in for a model where there is none. It finds and quotes; it writes
nothing of its own.

Read in this order: `english` (words of grammar, as data), `words` (what counts as the same word),
`passages` (a message as sentences, lines and records), `window` (what stands where), `kinds` and `question`
(what is asked, and which kind of answer would do), `shapes` (does a passage hold that kind), `leaning` and
`reader` (the best passage, or none), `vetoes` and `which` (what can't be the answer), `speaker` ("my job"),
`tables` (rows are read by their head), `meanings` (everyday words that mean nearly the same, a table),
`forms`, `reasons`, `places`, `prices` and `evidence` (how plainly an answer stands there), `asked`,
`standing` and `surroundings` (what a word of the question is worth in a passage and around it), `standpoint`
(who says it, and does it still hold), `sureness` and `likely` (how sure it is, and the surest passage),
`request` and `summary` (picking sentences within a cap), `repeats` (which line comes again), `tools` (calling
what is asked for), `model` (the face).
"""

from ctxkit.models.offline.model import OfflineModel

__all__ = ["OfflineModel"]
