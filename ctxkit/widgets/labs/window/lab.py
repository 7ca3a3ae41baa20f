"""`WindowLab`: a conversation under every strategy, and what each sends, costs and still knows.

Contract: one setting shows one picture, whatever was done before. What is known is drawn at once; a setting
of a long conversation that is not known yet is worked out while the page answers, and drawn when it is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit._sync import run
from ctxkit.economy import Pricing
from ctxkit.models.base import ChatModel
from ctxkit.recall import Quiz
from ctxkit.tokens import TokenCounter
from ctxkit.widgets.lab import Lab, columns
from ctxkit.widgets.labs.window import keeping, words
from ctxkit.widgets.labs.window.asking import Asking
from ctxkit.widgets.labs.window.background import Background
from ctxkit.widgets.labs.window.choices import choice
from ctxkit.widgets.labs.window.loading import Loading
from ctxkit.widgets.labs.window.panes import WHOLE_ROW, Panes
from ctxkit.widgets.labs.window.picture import Picture, Wanted
from ctxkit.widgets.labs.window.settings import Settings
from ctxkit.widgets.labs.window.stepping import Stepper
from ctxkit.widgets.labs.window.talk import Talk
from ctxkit.widgets.labs.window.work import View, Work
from ctxkit.widgets.palette import number, plural
from ctxkit.window import ContextWindow

LONG = 200
"""Messages above which a setting that is not known yet is worked out in the background."""
AT_ONCE = 5
"""Calls that are worked out at once all the same: a step on, for instance."""

INTRO = (
    "Step through a conversation and watch what the model is sent. Summaries and answers: offline reader ·"
)


class WindowLab(Lab[Picture]):
    """The window of a conversation, under strategies to choose from.

    messages: a conversation (default None: the sample about dolphins, with its quiz). window: tokens that it
    holds at first (2,048). reserve: of them, kept for the reply (0). strategy: at first. quiz: facts of your
    conversation. pricing: of money (default: example prices, marked as such). model: a real one, asked on a
    button only (None). keep_settings: whether settings outlive the kernel, in the answers file (False).
    counter: default a shared cl100k_base counter. Raises TypeError or ValueError for other values.

    >>> lab = WindowLab(strategy="Summarise old")
    >>> print(lab.status)
    Fits. 41 messages became 10 (1 summary + 9 recent): 2,728 → 1,009 tokens, 49 % of the 2,048-token window.
    2 summary calls so far. 85 % of this prompt was already cached.
    >>> lab.strategy = "Keep recent"
    >>> print(lab.panes.figures)
    Prompt now: 709 of 2,048 tokens (1,339 free)
    Whole chat cost: +41 % against sending everything ($0.042, not $0.029 (example prices); sending
    everything, 5 calls would be too long)
    Prompt reused: 7 % read again from the cache (894 of 12,259 tokens)
    Facts still answerable: 6 / 28 22 lost (“What tool do dolphins use on the seafloor, and why?”)
    """

    def __init__(
        self,
        messages: Iterable[Any] | None = None,
        *,
        window: int = 2_048,
        reserve: int = 0,
        strategy: str = "Send everything",
        quiz: Quiz | None = None,
        pricing: Pricing | None = None,
        model: ChatModel | None = None,
        keep_settings: bool = False,
        counter: TokenCounter | None = None,
    ) -> None:
        if pricing is not None and not isinstance(pricing, Pricing):
            raise TypeError(f"pricing: expected a Pricing, got {type(pricing).__name__}")
        if model is not None and not callable(getattr(model, "chat", None)):
            raise TypeError(f"model: expected something with a chat method, got {type(model).__name__}")
        ContextWindow(whole_number("window", window, minimum=1), reserve)
        self._at_first = (choice(strategy).name, window, reserve)
        self._model = model
        self._counter: TokenCounter | None = counter_or_none(counter)
        self._pricing = pricing or Pricing.of_an_example()
        self._talk = Talk(messages, quiz)
        self._work = self._new_work()
        self._background = Background(self._tell)
        self._keeper = keeping.Keeper() if keep_settings else None
        self._note = ""
        self._asked = self._just_asked = False
        super().__init__("Context window lab", f"{INTRO} {words.counted_by(self._work.ledger.counter)}")

    @property
    def strategy(self) -> str:
        """The name of the chosen strategy; set it to choose another."""
        return self.settings.strategy

    @strategy.setter
    def strategy(self, name: str) -> None:
        self.settings.tabs.value = choice(name).name

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the present setting is drawn, for scripts; False when it is not in so many seconds."""
        return self._background.wait(timeout)

    def as_text(self) -> str:
        self.wait()
        return f"{self.status}\n{self.panes.figures.as_text()}\n{self.panes.table.as_text()}"

    def close(self) -> None:
        self._background.finish(self._background.begin())  # what is still worked at is not wanted any more
        if self._keeper is not None:
            self._keeper.write()
        self.asking.close()
        super().close()

    def refresh(self, _: object = None) -> None:
        change, handed_on = self._background.begin(), False
        try:
            self._wanted = self._want(change)
            left, asked = self._wanted.calls_left, self._wanted.reader is not None
            if self.panes.drawn is None or not self._is_long or (left <= AT_ONCE and not asked):
                super().refresh()
                return
            self._tell(0, left)
            self._panes.add_class("ctxkit-waiting")
            self._background.start(change, self._wanted.picture(), self._arrived, self._failed)
            handed_on = True
        finally:
            if not handed_on:  # also after the kernel's stop button, or whoever waits would wait for ever
                self._background.finish(change)

    def _compute(self) -> Picture:
        return run(self._wanted.picture()(None))

    def _want(self, change: int) -> Wanted:
        """What is to be drawn now. A long window is read when the button is pressed, not at each step."""
        settings, reader, question = [self.settings.setting], None, self.asking.question
        if self._asked and question and (self._just_asked or not self._is_long):
            beside = self.settings.of(self.asking.other)
            settings += [beside] if beside != settings[0] else []
            reader = self.asking.reader()
        return Wanted(change, self._work, self.stepper.at + 1, settings, reader, self._asked, question)

    def _paint(self, picture: Picture) -> None:
        with self._background.lock:
            if not self._background.is_newest(picture.change):
                return
            self._panes.remove_class("ctxkit-waiting")
            self.panes.draw(picture, self._pricing, self._talk.quiz)
            said = words.status(picture.view)
            self._status.say(said.kind, said.verdict, f"{said.facts}{self._note}")
            self._note = ""
        if self._keeper is not None:
            kept = keeping.Kept(*self.settings.kept(), self._work.digest, self.stepper.at)
            self._keeper.keep(kept)

    def _draw(self, compute: Callable[[], Picture]) -> None:
        super()._draw(compute)
        self.stepper.drawn()  # after an error too, or playing would wait for ever

    def _arrived(self, picture: Picture) -> None:
        self._draw(lambda: picture)

    def _failed(self, error: Exception) -> None:
        def give() -> Picture:
            raise error

        self._panes.remove_class("ctxkit-waiting")
        self._draw(give)

    def _tell(self, done: int, total: int) -> None:
        self._status.say("ok", "Working:", f"{number(done)} of {plural(total, 'call')}.")

    @property
    def _is_long(self) -> bool:
        return len(self._work.ledger.messages) > LONG

    def _build(self) -> tuple[Sequence[Any], Sequence[Any]]:
        from ipywidgets import GridBox, HBox, Layout

        strategy, window, reserve = self._at_first
        messages = len(self._work.ledger.messages)
        self.loading = Loading(self._talk, self._adopt, self._refused)
        self.stepper = Stepper(messages, self.refresh)
        self.settings = Settings(strategy, window, reserve, self._counter, self.refresh)
        self.asking = Asking(self._ask, self._views, self._model)
        self.panes = Panes(self._work, self.asking, self._reset)
        self._fit(messages - 1)
        if self._keeper is not None:
            self._note = keeping.restore(self.settings, self.stepper, self._work.digest)
        wraps = Layout(flex_flow="wrap", align_items="center", overflow="hidden")
        top = HBox([self.loading.choice, self.stepper.buttons, self.loading.more], layout=wraps)
        top.add_class("ctxkit-top")
        tabs, about, *sliders = self.settings.widgets
        numbers = GridBox([self.stepper.slider.widget, *sliders], layout=columns(Layout, 200))
        # Where a label takes two lines, the boxes stand in one row all the same.
        numbers.layout.align_items = "flex-end"
        controls = [top, self.loading.panel, tabs, about, numbers]
        for row in controls:
            row.layout.grid_area = WHOLE_ROW
        return controls, self.panes.widgets

    def _new_work(self) -> Work:
        return Work(self._talk, self._pricing, self._counter)

    def _fit(self, at: int) -> None:
        """Bounds for the present conversation, and what could be asked of it."""
        messages = len(self._work.ledger.messages)
        self.settings.fit(messages, self._work.ledger.total(messages))
        self.stepper.resize(messages, at)
        if not self._talk.changed:  # after a message was added, the learner's own question stays
            self._suggest()

    def _suggest(self) -> None:
        """Put the question that the conversation begins with into the box."""
        self._asked = self._talk.quiz is not None  # the reader answers a quiz's question from the start
        self.asking.suggest(self._talk.question, [fact.question for fact in self._talk.quiz or ()])

    def _adopt(self) -> None:
        """Take the conversation as it was changed."""
        self._work = self._new_work()
        self._fit(len(self._talk.messages) - 1)
        self.refresh()

    def _refused(self, what: str, why: str) -> None:
        self._status.say("error", what, why)

    def _ask(self) -> None:
        self._asked = self._just_asked = True
        try:
            self.refresh()
        finally:
            self._just_asked = False

    async def _views(self) -> list[View]:
        """The present view and the one beside it, for the real model."""
        names = dict.fromkeys([self.strategy, self.asking.other])
        end = self.stepper.at + 1
        return [await self._work.view(self.settings.of(name), end) for name in names]

    def _reset(self) -> None:
        """All settings and the question as they were at first; the conversation stays."""
        self.settings.reset()
        self.asking.reset()
        self._suggest()
        self.stepper.resize(len(self._talk.messages), len(self._talk.messages) - 1)
        self.refresh()
