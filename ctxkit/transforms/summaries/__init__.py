"""Summaries in place of what is too long: of old messages and of tool results.

Read in this order: `cache` (what was paid once), `transcript` (messages as one quoted block), `frame` (a summary as a message),
`summariser` (asking for a summary, and checking what comes back), `old_messages`, `tool_results`.
"""
