"""`Asking`: one question, answered with the present window and, beside it, with that of another strategy.

Contract: the offline reader answers, which is fast and only quotes; a real model is asked on its button
alone, with a stop. An answer says with which setting it was got; one of a window or to a question that has
changed since is never shown as the present one's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ctxkit.messages import Message
from ctxkit.messages.text import content_text
from ctxkit.models.base import ChatModel, model_key
from ctxkit.models.offline import OfflineModel
from ctxkit.models.offline.window import NOTED
from ctxkit.transforms import Outcome
from ctxkit.widgets.escape import short, visible
from ctxkit.widgets.job import Job
from ctxkit.widgets.job import Progress as JobProgress
from ctxkit.widgets.labs.reading import Reader
from ctxkit.widgets.labs.window.choices import NAMES
from ctxkit.widgets.labs.window.work import View
from ctxkit.widgets.lifetime import parts
from ctxkit.widgets.shown import Shown

BESIDE = "Keep recent"


@dataclass(frozen=True)
class Answered:
    """What was answered.

    kind: "found", "unsure", "lost" or "none". who: the setting. lead: where. quote: the words.
    """

    kind: str
    who: str
    lead: str
    quote: str = ""

    def __str__(self) -> str:
        return ": ".join(filter(None, [self.who, f"{self.lead} {self.quote}".strip()]))


async def answered(reader: Reader, view: View) -> Answered:
    """The offline reader's answer with what is sent at a view."""
    who = f"With {view.setting.label}"
    if not view.now.fits or not isinstance(view.now.made, Outcome):
        return Answered("lost", who, "✕ Nobody to ask: the call is refused.")
    answer = await reader.answer(view.now.made)
    if answer.quote.startswith(NOTED):
        return Answered("none", who, "", answer.quote)
    if answer.where is None:
        return Answered("lost", who, "✕ Not found in this window.", answer.quote)
    if not answer.sure:
        return Answered("unsure", who, f"? Perhaps in {answer.where}.", answer.quote)
    return Answered("found", who, f"✓ Found in {answer.where}.", answer.quote)


def _note(words: str) -> Answered:
    return Answered("none", "", words)


NOT_ASKED = _note("Press Ask: the offline reader answers from what is sent, and from nothing else.")
NO_QUESTION = _note("Type a question first.")
OTHER_WINDOW = _note("The window has changed since: press Ask again.")
OTHER_QUESTION = _note("The question has changed: press Enter or Ask.")


def waiting(asked: bool, question: str) -> Answered:
    """What stands where answers would be. asked: whether anything was asked. question: the present one."""
    if not asked:
        return NOT_ASKED
    return OTHER_WINDOW if question else NO_QUESTION


class Asking(Shown):
    """A question, a button, and the answers.

    ask: called when Enter or the button is pressed, or another strategy is chosen beside. views: gives, in
    the kit's loop, the present view and the one beside. model: a real one, for a button of its own (default
    None).
    """

    def __init__(
        self, ask: Callable[[], None], views: Callable[[], Any], model: ChatModel | None = None
    ) -> None:
        super().__init__()
        from ipywidgets import Button, Dropdown, HBox, Layout, VBox

        from ctxkit.widgets.labs.window.pages import AnswerView, Enter, Question

        self._ask, self._views, self._model = ask, views, model
        self._reader: Reader | None = None
        self._answers: Sequence[Answered] = ()
        self._answers_to = ""
        wide = {"description_width": "initial"}
        auto = Layout(width="auto", flex="1 1 240px")
        self.box = Question(description="Ask the model with this window", style=wide, layout=auto)
        self.button = Button(description="Ask", button_style="primary", layout=Layout(width="72px"))
        self.beside = Dropdown(
            options=list(NAMES),
            value=BESIDE,
            description="Compare with",
            layout=Layout(width="auto"),
            style=wide,
        )
        self.page = AnswerView()
        self.enter = Enter(self.box, ask)
        row = HBox(
            [self.box, self.button, self.enter], layout=Layout(flex_flow="wrap", align_items="flex-end")
        )
        children = [row, self.beside, self.page]
        if model is not None:
            with parts():
                self.job = Job(f"Ask {short(model_key(model), 40)} both ways", self._ask_model)
            children.append(self.job.widget)
        self.widget = VBox(children, layout=Layout(overflow="hidden"))
        self.button.on_click(lambda _: ask())
        self.box.observe(lambda _: self._write(), names="value")
        self.beside.observe(self._compare, names="value")

    @property
    def question(self) -> str:
        return self.box.value.strip()

    @property
    def other(self) -> str:
        """The strategy beside."""
        return str(self.beside.value)

    def suggest(self, question: str, others: Sequence[str]) -> None:
        """Put a question into the box, and others into its list."""
        self.box.value = visible(question)
        self.box.options = [short(other, 300) for other in others]

    def reset(self) -> None:
        """Put beside what stood there at first, without asking."""
        self.beside.unobserve(self._compare, names="value")
        self.beside.value = BESIDE
        self.beside.observe(self._compare, names="value")

    def _compare(self, _: object) -> None:
        self._ask()

    def reader(self) -> Reader:
        """Asks the present question; it remembers what it was answered."""
        if self._reader is None or self._reader.question != self.question:
            self._reader = Reader(OfflineModel(), self.question)
        return self._reader

    def show(self, answers: Sequence[Answered], question: str) -> None:
        """Show the answers to a question, as long as it is the one in the box."""
        self._answers, self._answers_to = answers, question
        self._write()

    @property
    def _shown(self) -> Sequence[Answered]:
        changed = self.question != self._answers_to and NOT_ASKED not in self._answers
        return [OTHER_QUESTION] if changed else self._answers

    def _write(self) -> None:
        rows = [[a.kind, visible(a.who), visible(a.lead), visible(a.quote)] for a in self._shown]
        self.page.state = {"answers": rows}

    def as_text(self) -> str:
        return "\n".join(map(str, self._shown))

    def close(self) -> None:
        if self._model is not None:
            self.job.stop()
        super().close()

    async def _ask_model(self, progress: JobProgress) -> str:
        """The work of the real model's button: the question with both windows, one after the other."""
        assert self._model is not None
        if not self.question:
            raise ValueError("there is no question yet: type one first")
        question = self.question
        asked = Message.user(question)
        said: list[str] = []
        views: Sequence[View] = await self._views()
        await progress(0, len(views))
        for done, view in enumerate(views, 1):
            if view.now.fits and isinstance(view.now.made, Outcome):
                reply = await self._model.chat([*view.now.made.messages, asked])
                words = f"“{short(content_text(reply.message), 240)}”"
            else:
                words = "the call is refused."
            said.append(f"With {view.setting.label}: {words}")
            await progress(done, len(views))
        return f"Asked “{short(question, 120)}”. {' '.join(said)}"
