"""Those who talk may be called "the user" and "the assistant" by somebody who asks beside their talk.

Contract: pure. In the talk they say "I" and "you", but a summary or a system prompt may say "the user" as
well; so the question as it is written comes first, and this is what else it may mean.
"""

from __future__ import annotations

import re
from functools import reduce

_ACCORDING = re.compile(
    r",? according to the (user|assistant|conversation|chat|messages)(?=[?.!]|$)"
    r"|^according to the (user|assistant|conversation|chat|messages), (?=\w)",
    re.IGNORECASE,
)
_SPOKEN = tuple(
    (re.compile(pattern, re.IGNORECASE), spoken)
    for pattern, spoken in (
        (r"\b(do|did) the assistant\b", r"\1 you"),
        (r"\b(do|did) the user\b", r"\1 I"),
        (r"\bdoes the assistant\b", "do you"),
        (r"\bdoes the user\b", "do I"),
        (r"\bthe assistant['\u2019]s\b", "your"),
        (r"\bthe user['\u2019]s\b", "my"),
    )
)


def as_spoken(text: str) -> tuple[str, str]:
    """A question as one of those who talk would put it, and the role whose words it asks for, or "".

    >>> as_spoken("What did the assistant suggest for the user's cat?")
    ('What did you suggest for my cat?', '')
    >>> as_spoken("What does the pump cost, according to the user?")
    ('What does the pump cost?', 'user')
    """
    found = _ACCORDING.search(text)
    who = (found[1] or found[2]).lower() if found else ""
    text = reduce(lambda said, rule: rule[0].sub(rule[1], said), _SPOKEN, _ACCORDING.sub("", text))
    return text, who if who in ("user", "assistant") else ""
