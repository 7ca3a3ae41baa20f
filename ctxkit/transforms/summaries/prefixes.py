"""Digests of every prefix of a conversation, so that a summary is found again exactly as long as nothing
before it changed.

Contract: entry i speaks of the messages from the head to i, and of the summariser (model, instruction, cap).
Content counts, ids and time stamps do not. One more message is one hash; an edited message changes all
entries after it, so a branch finds what it shares and nothing more.
"""

from __future__ import annotations

import hashlib

from ctxkit.transforms.timeline import Timeline


class Prefixes:
    """Rolling digests over a timeline.

    seed: names the summariser. `key(i)` is the digest of messages head..i.
    """

    def __init__(self, timeline: Timeline, seed: str) -> None:
        self.timeline, self._seed = timeline, seed
        self._first = timeline.head
        self._digests = [hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()]

    def key(self, index: int) -> str:
        """The key of a summary of all messages after the head and before `index`."""
        if self._first != self.timeline.head:  # the head grew: nothing was spoken before
            self._first, self._digests = self.timeline.head, self._digests[:1]
        messages = self.timeline.messages
        for i in range(self._first + len(self._digests) - 1, index):
            self._digests.append(
                hashlib.sha256(self._digests[-1] + bytes.fromhex(messages[i].digest)).digest()
            )
        return self._digests[index - self._first].hex()
