"""Summaries in place of what is too long: of old messages and of tool results.

Read in this order: `cache` (what was paid once), `transcript` (messages as one quoted block), `frame` (a
summary as a message), `acceptance` (what counts as a summary), `summariser` (asking for one), `refusals`
(which are not asked for again at once), `folding` (messages into one), `locks` (who pays, when several want
the same), `prefixes` and `old_messages`. Then, for tool results: `lines` (where a text may be cut), `excerpt`
(what is quoted of it), `together` and `chunk_folds` (rolling summaries, each chunk paid once), `long_results`
(which are too long, found once each), `tool_results`.
"""
