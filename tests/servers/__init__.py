"""Servers for tests. They bind to loopback at a free port and end with the `with` block, or with the process.

Read in this order: `loopback` (an HTTP server that records and can misbehave), `script` (what it is told to
say), `rule` (what Ollama drops from a prompt), `ollama` (an Ollama-compatible test server), `embedded` (the
same with a real model behind it).
"""
