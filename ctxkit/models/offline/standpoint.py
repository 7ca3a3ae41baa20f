"""Who says it, does it still hold, and does it say so at all? Ways in which a passage with all the right
words is no answer.

Contract: pure, by grammar alone. "What did you suggest?" asks for what the assistant said, "what did Ada
say?" for what is told of Ada's saying; "how many are we now?" for what has changed; "is it open?" for a yes
or a no.
"""

from __future__ import annotations

import re

from ctxkit.models.offline.question import Part
from ctxkit.models.offline.window import Placed
from ctxkit.models.offline.words import keys

_SPEAKER = re.compile(
    r"\b(?:did|do|would|have|had) (you|i|we) (?:ever )?"
    r"(suggest|recommend|advise|tell|say|think|propose|want|choose|decide|pick|ask|settle)\w*",
    re.IGNORECASE,
)
_SAYS = (
    r"say|think|want|believe|reply|write|answer|mean|suggest|advise|recommend|tell|promise|ask|offer|propose"
)
_ASKS_SAYING = re.compile(
    rf"\bwhat (?:did|does|do|had|has) (?!you\b|i\b|we\b)[^?]*?\b(?:{_SAYS}|decide)\b", re.IGNORECASE
)
_SAYING = re.compile(
    rf"\b(?:{_SAYS}|reckon|swear|insist|prefer|mention|warn|claim)s?(?:e?d|ing)?\b|\b(?:said|told|thought|meant)\b"
    r"|\b(?:wrote|writing|replie[ds]|promis(?:ed|ing))\b|['\u2019]d like\b",
    re.IGNORECASE,
)
_ASKS_CHANGED = re.compile(
    r"\b(?:now|in the end|after all|turn(?:s|ed)? out|eventually|finally"
    r"|(?:settled?|decided?|agreed?) on)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:instead|now|make (?:it|that)|moved|after all|it is|turn(?:s|ed)? out|rather|actually"
    r"|go(?:ing)? (?:for|with)|went (?:for|with)|any more|decided|won|so (?:it|they|he|she|we|the)\b)",
    re.IGNORECASE,
)
_ASKS_WHETHER = re.compile(
    r"\s*(?:is|are|was|were|am|do|does|did|can|could|will|would|has|have|had|should|may|must)\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"(?:yes|no|yep|nope|yeah|indeed|of course|not)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\bno (?:word|reply|answer|idea|news)\b|\bnot (?:yet|sure)\b|\b(?:whether|ask(?:ed)?|check|depends)\b"
    r"|n['\u2019]t (?:know|say|tell|remember|answered|written|replied|heard|decided)\b"
    r"|\blet (?:me|you) know\b",
    re.IGNORECASE,
)
_BRIEF = 80
"""Characters up to which the next sentence may take a statement back into the open: "No reply so far." """


def speaker(part: Part) -> str:
    """Whose words are asked for: the role in "what did you suggest?", or "".

    >>> from ctxkit.models.offline.question import parts
    >>> [speaker(parts(text)[0]) for text in ("What did you suggest?", "What did we choose?", "What is it?")]
    ['assistant', 'user', '']
    """
    found = _SPEAKER.search(part.text)
    return "" if found is None else "assistant" if found[1].lower() == "you" else "user"


def saying(part: Part) -> frozenset[str]:
    """Keys of the verb in "what did you suggest?": who says it tells that, not the passage.

    >>> from ctxkit.models.offline.question import parts
    >>> "suggest" in saying(parts("What did you suggest?")[0])
    True
    """
    found = _SPEAKER.search(part.text)
    return frozenset() if found is None else frozenset(keys(found[0].split()[-1]) + keys(found[2]))


def is_another_matter(part: Part, p: Placed, order: int) -> bool:
    """Whether a passage is said by somebody else, no longer holds, or leaves open whether it is so.

    >>> from ctxkit import Message
    >>> from ctxkit.models.offline.question import parts
    >>> from ctxkit.models.offline.window import place
    >>> [told] = place([Message.user("We are six. Ada asked whether the pool is open.")], 1)
    >>> asked = "How many are we?", "How many are we now?", "Is the pool open?"
    >>> [is_another_matter(parts(text)[0], told, order) for text, order in zip(asked, (0, 0, 1))]
    [False, True, True]
    """
    passage, text = p.view.passages[order], p.view.passages[order].text
    if (role := part.said_by or speaker(part)) and role != p.role:
        return True
    if _ASKS_SAYING.search(part.text) and not _SAYING.search(text):
        return True
    if _ASKS_CHANGED.search(part.text) and not _CHANGED.search(text):
        return True
    if part.kind != "any" or not _ASKS_WHETHER.match(part.text):
        return False
    if _YES_OR_NO.match(text) and p.replies and not order:
        return False
    after = p.view.passages[order + 1].text if order + 1 < len(p.view.passages) else ""
    left_open = _OPEN.search(text) or (len(after) < _BRIEF and _OPEN.search(after))
    either = " or " in part.text and all(term.within(passage.keys) for term in part.terms)
    return bool(left_open) or not either
