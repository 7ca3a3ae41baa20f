"""`ProbeBar`: how likely a real model finds the right next word, given what is in the window now.

Contract: nothing is asked before the button is pressed, and the page stays alive while the model reads; a
stop is taken at any time. An answer belongs to the window that it was given for: once that changes, the bars
say so and turn grey. Before the first answer the text is the same whether or not the embedded model is
installed, so that a saved notebook reads the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ctxkit._arguments import text as checked_text
from ctxkit.messages import Message, load_messages
from ctxkit.models.embedded import EmbeddedModel, EmbeddedUnavailable, Probe
from ctxkit.models.embedded.files import model_file
from ctxkit.widgets.escape import short, visible
from ctxkit.widgets.job import Job, Progress
from ctxkit.widgets.lifetime import parts
from ctxkit.widgets.palette import number, percent, plural
from ctxkit.widgets.shown import Shown

RIGHT, OTHER = "✓ right", "other"


class ProbeBar(Shown):
    """A button that asks the embedded model, and a bar for each likely next word.

    window: gives the messages that are in the window now. text: the start of a sentence that goes on with the
    right word ("As said above, ..."). right: the word, or several that are right. make_model: gives the model
    to ask (default: `EmbeddedModel`, made when it is first asked). Raises TypeError or ValueError for other
    values.

    Call `refresh` whenever the window may have changed.

    >>> bar = ProbeBar(lambda: [], "As said above, dolphins carry", "sponges")
    >>> bar
    “As said above, dolphins carry …” The right word: sponges.
    The embedded model has not been asked yet.
    """

    def __init__(
        self,
        window: Callable[[], Iterable[Any]],
        text: str,
        right: str | Sequence[str],
        *,
        make_model: Callable[[], Any] = EmbeddedModel,
    ) -> None:
        self._text = checked_text("text", text)
        self._right = [checked_text("right", word) for word in ([right] if isinstance(right, str) else right)]
        if not (self._text.strip() and self._right and all(word.strip() for word in self._right)):
            raise ValueError("text, right: expected the start of a sentence and at least one word")
        self._window, self._make_model = window, make_model
        self._model: Any = None
        self._asked: tuple[str, ...] = ()
        self._answer: Probe | None = None
        self._verdict = ""
        self._of_no_use = False
        super().__init__()
        from ipywidgets import VBox

        from ctxkit.widgets.probe_page import ProbeRows  # loads ipywidgets

        with parts():
            self.job = Job("Ask the embedded model", self._ask)
        self.rows = ProbeRows(content={"sentence": self._sentence()})
        self.widget: VBox = VBox([self.job.widget, self.rows], layout={"overflow": "hidden"})
        self.widget.add_class("ctxkit")
        self.job.button.observe(self._keep_off, names="disabled")
        self._draw()
        self._look_for_it()

    def refresh(self) -> None:
        """The window may have changed: an answer that was given for another one is marked as old."""
        if self._answer is None or self.job.running:
            return
        if self._draw():
            self.job.say("over", "Of an older window.", f"{self._verdict} Ask again.")
        else:
            self.job.say("ok", "Done.", self._verdict)

    @property
    def status(self) -> str:
        """The status sentence."""
        return self.job.status

    def close(self) -> None:
        """Stop what runs, and take the widget off the page."""
        self.job.stop()
        super().close()

    def as_text(self) -> str:
        question = f"{self._sentence()} The right word: {' or '.join(map(visible, self._right))}."
        if self._answer is None:
            return f"{question}\nThe embedded model has not been asked yet."
        lines = [f"  {row[0]:<24}  {row[3]:>6}  {row[1]}".rstrip() for row in _rows(self._answer)]
        return "\n".join([question, self.status, *lines])

    def _sentence(self) -> str:
        return f"“{short(self._text.rstrip(), 300)} …”"

    def _look_for_it(self) -> None:
        """Only whether it is installed: whether it runs is tried when it is asked."""
        try:
            if self._make_model is EmbeddedModel:
                model_file()
        except EmbeddedUnavailable as error:
            self._of_no_use = self.job.button.disabled = True
            self.job.say("error", "Not available.", str(error))

    def _keep_off(self, change: Any) -> None:
        """Where the model does not run, pressing the button again is of no use."""
        if self._of_no_use:
            self.job.button.disabled = True

    async def _ask(self, progress: Progress) -> str:
        messages = load_messages(self._window())
        try:
            self._model = self._model or self._make_model()
            answer = await self._model.probe(messages, self._text, self._right, progress=progress)
        except EmbeddedUnavailable:
            self._of_no_use = True
            raise
        self._asked, self._answer = _digests(messages), answer
        self._verdict = _verdict(answer, len(messages), self._right)
        return ("Of an older window by now. " if self._draw() else "") + self._verdict

    def _draw(self) -> bool:
        """Draw the answer that there is; give whether it is of an older window."""
        if self._answer is None:
            self.rows.state = {"rows": [], "stale": False, "title": "No answer yet"}
            return False
        stale = _digests(load_messages(self._window())) != self._asked
        title = "Likely next words" + (", for an older window" if stale else "")
        self.rows.state = {"rows": _rows(self._answer), "stale": stale, "title": title}
        return stale


def _digests(messages: Iterable[Message]) -> tuple[str, ...]:
    return tuple(message.digest for message in messages)


def _rows(answer: Probe) -> list[list[Any]]:
    """[word, mark, probability, the same in words] for each likely word; the right ones are always there."""
    right = dict(answer.right)
    table = {**dict(answer.words), **right}
    ordered = sorted(table.items(), key=lambda item: (-item[1], item[0]))
    return [[_word(word), RIGHT if word in right else OTHER, p, _share(p)] for word, p in ordered]


def _verdict(answer: Probe, messages: int, right: Sequence[str]) -> str:
    words = " or ".join(visible(word) for word in right)
    facts = f"“{words}” has {_share(sum(probability for _, probability in answer.right))}"
    read = f"Read: {plural(messages, 'message')}, {number(answer.prompt_tokens)} tokens of the model's own."
    if answer.right_wins:
        return f"The right word wins: {facts}. {read}"
    other = f"“{_word(answer.winner)}” with {_share(answer.words[0][1])}"
    return f"Another word wins: {other}; {facts}. {read}"


def _word(word: str) -> str:
    """A word as one can see it, also a line break."""
    return short(visible(word, whitespace=True), 40)


def _share(probability: float) -> str:
    """A probability in words; one that is nearly nothing never shows as much as 1 %.

    >>> _share(0.9337), _share(0.0064)
    ('93 %', '< 1 %')
    """
    return "< 1 %" if probability < 0.01 else percent(min(probability, 1.0))
