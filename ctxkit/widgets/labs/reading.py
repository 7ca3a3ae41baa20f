"""`Reader`: what a model answers to a lab's question, given what is sent at a setting.

Contract: while a slider moves only the offline reader is asked, and each window once: what it answered is
remembered. The sentence says where the answer was found, and quotes the reply.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass

from ctxkit._sync import run
from ctxkit.messages import Message
from ctxkit.messages.text import content_text
from ctxkit.models import OfflineModel
from ctxkit.models.offline.window import NOT_SURE, NOT_SURE_OF
from ctxkit.transforms import Outcome
from ctxkit.widgets.escape import short

KEPT_ANSWERS = 1_000
"""Answers that are remembered; the one not looked at for longest goes first."""
QUOTED = 320
"""Characters of a reply that are quoted."""

_FOUND = re.compile(rf'(?:{NOT_SURE} |{NOT_SURE_OF} "[^"\n]*" )?Message (\d+) says: ')


@dataclass(frozen=True)
class Answer:
    """What a reader answered. where: "the summary", "message 3", or None when it found nothing. quote: the
    words it quotes, else all that it said. sure: whether it says that this is the whole answer.
    """

    where: str | None
    quote: str
    sure: bool = True


class Reader:
    """Asks one question of every window.

    model: the offline reader. question: what is asked, as a last user message.

    >>> from ctxkit import KeepRecentMessages, Message, run
    >>> talk = [Message.user("The bus leaves at 10:15."), Message.assistant("Good."), Message.user("Bye")]
    >>> reader = Reader(OfflineModel(), "When does the bus leave?")
    >>> reader.read(run(KeepRecentMessages(3).apply(talk)))
    'Asked the question, the offline reader quotes message 0: "The bus leaves at 10:15."'
    >>> reader.read(run(KeepRecentMessages(1).apply(talk)))
    'Asked the question, the offline reader says: The answer is not in the messages I was sent.'
    """

    def __init__(self, model: OfflineModel, question: str) -> None:
        self.question = question
        self._model, self._asked = model, Message.user(question)
        self._replies: OrderedDict[tuple[str, ...], str] = OrderedDict()

    def read(self, outcome: Outcome) -> str:
        """The reader's answer to what is sent, as a sentence."""
        answer = run(self.answer(outcome))
        if answer.where is None:
            return f"Asked the question, the offline reader says: {answer.quote}"
        if not answer.sure:
            return f"Asked the question, the offline reader is not sure of {answer.where}: {answer.quote}"
        return f"Asked the question, the offline reader quotes {answer.where}: {answer.quote}"

    async def answer(self, outcome: Outcome) -> Answer:
        """The reader's answer to what is sent, and where it found it."""
        window = tuple(message.digest for message in outcome.messages)
        if window not in self._replies:
            reply = await self._model.chat([*outcome.messages, self._asked])
            self._replies[window] = content_text(reply.message)
            if len(self._replies) > KEPT_ANSWERS:
                self._replies.popitem(last=False)
        self._replies.move_to_end(window)
        said = self._replies[window]
        found = _FOUND.match(said)  # at the start: further on, the reply quotes what others wrote
        if found is None:
            return Answer(None, short(said, QUOTED))
        index = int(found[1])
        source, kind = outcome.sources[index], outcome.messages[index].kind
        made = "the summary" if kind == "summary" else "a message made by the kit"
        where = made if source is None else f"message {source}"
        return Answer(
            where, short(said[found.end() :], QUOTED), NOT_SURE not in said and NOT_SURE_OF not in said
        )
