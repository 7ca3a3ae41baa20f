"""Tokens: what messages cost, exactly where a vocabulary is at hand, and never too little where none is.

Read in this order: `carried` and `vocabulary` (a vocabulary with no network), `pieces` (long text),
`estimate` (no vocabulary at all), `view` and `truncate` (a text as its tokens, and cut to them), `cost` (what
a message is made of, and where each figure comes from), `counter` (`TokenCounter`), `calibrate` (fitted to
what a server reports), `reuse` (what a server reads again from its cache).
"""

from ctxkit.tokens.counter import TokenCounter, count_tokens, shared_counter
from ctxkit.tokens.view import TextToken
from ctxkit.tokens.vocabulary import TokenCountEstimated

__all__ = ["TextToken", "TokenCountEstimated", "TokenCounter", "count_tokens", "shared_counter"]
