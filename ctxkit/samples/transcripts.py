"""Files as a learner might bring them, to try out what is said of a file that is broken.

They are no samples: `load_sample` gives messages, and these files cannot be read as they stand.
"""

from __future__ import annotations

from pathlib import Path

_TRANSCRIPTS = Path(__file__).with_name("data") / "transcripts"


def broken_transcript() -> Path:
    """A talk with a bicycle workshop in OpenAI's shape, with a role misspelt and a call left open.

    >>> from ctxkit import load_messages
    >>> try:
    ...     load_messages(broken_transcript())
    ... except ValueError as problem:
    ...     print(str(problem).partition(";")[0])
    messages[4].role: unknown role 'assistent'
    """
    return _TRANSCRIPTS / "broken.json"
