"""`Work`: what a setting shows, worked out once and kept.

Contract: the figures are those of `Running`, which `simulate` has too: a conversation replayed from its first
message with fresh transforms, so that one setting always gives one view, whatever was looked at before. Work
goes on call by call, and can be ended between two calls without a trace.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxkit.economy import Course, Pricing, Strategy, Turn, send_everything
from ctxkit.economy.running import Running
from ctxkit.models.offline import OfflineModel
from ctxkit.models.remembered import Remembered
from ctxkit.recall import Recall
from ctxkit.replay import Ledger, call_points
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.widgets.labs.window.as_code import as_code
from ctxkit.widgets.labs.window.choices import Values, choice
from ctxkit.widgets.labs.window.talk import Talk
from ctxkit.window import ContextWindow

if TYPE_CHECKING:
    import asyncio

KEPT_SETTINGS = 24
"""Settings whose calls are remembered."""

NO_LIMIT = 10**12
Progress = Callable[[int, int], Awaitable[None]]


@dataclass(frozen=True)
class Setting:
    """A strategy with its values, in a window."""

    strategy: str
    values: Values
    window: ContextWindow

    @property
    def label(self) -> str:
        """Its name with the numbers, such as "Keep recent 10" or "Summarise old (20, 5)"."""
        numbers = ", ".join(f"{value:,}" for value in self.values)
        if len(self.values) > 1:
            numbers = f"({numbers})"
        return f"{self.strategy} {numbers}".rstrip()

    def code(self, sample: str | None) -> str:
        """As Python. sample: the name of the conversation, None for one's own."""
        return as_code(choice(self.strategy), self.values, self.window, sample)


@dataclass(frozen=True)
class View:
    """A setting at one place of the conversation.

    turns: the calls before it and the one there; everything: the same when all is sent in a window without
    limit. asked: whether the model is really asked there, or only might be. messages: of the
    whole conversation.
    """

    setting: Setting
    turns: Sequence[Turn]
    everything: Sequence[Turn]
    asked: bool
    messages: int

    @property
    def now(self) -> Turn:
        return self.turns[-1]

    @property
    def limit(self) -> int:
        return self.setting.window.limit

    @property
    def course(self) -> Course:
        """The calls that were really made, up to this place."""
        return Course(self.setting.strategy, self._made(self.turns))

    @property
    def course_of_everything(self) -> Course:
        return Course("everything", self._made(self.everything))

    def _made(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        return turns if self.asked else turns[:-1]


class _Course:
    """A `Running` and how far it has come."""

    def __init__(self, running: Running) -> None:
        self.running, self.calls = running, 0


class Work:
    """The views of one conversation.

    talk: the conversation and its quiz. pricing: of money. counter: default a shared cl100k_base counter.
    """

    def __init__(self, talk: Talk, pricing: Pricing, counter: TokenCounter | None = None) -> None:
        self.ledger = Ledger(talk.messages, counter or shared_counter())
        self.digest = talk.digest
        self.sample = None if talk.changed else talk.sample
        self.points = call_points(talk.messages)
        self._calls = set(self.points)
        self._quiz, self._pricing = talk.quiz, pricing
        self._model = Remembered(OfflineModel())
        self._lock: asyncio.Lock | None = None
        self._courses: OrderedDict[Setting, _Course] = OrderedDict()
        window = ContextWindow(NO_LIMIT)
        self._everything = _Course(
            Running(send_everything(), self.ledger, self.points, window, self._pricing, lean=True)
        )

    def calls_left(self, settings: Sequence[Setting], end: int) -> int:
        """Calls that are not worked out yet for these settings up to `end`."""
        calls = self._calls_before(end)
        left = max(0, calls - self._everything.calls)
        for setting in {*settings}:
            known = self._courses.get(setting)
            left += max(0, calls - (known.calls if known else 0))
        return left

    async def view(self, setting: Setting, end: int, progress: Progress | None = None) -> View:
        """What a setting shows when the conversation has `end` messages.

        progress: awaited after each call that was worked out, with how many are done and how many there are.
        """
        async with self._one_at_a_time():
            calls = self._calls_before(end)
            courses = (self._everything, self._course(setting))
            for place, course in enumerate(courses):
                while course.calls < calls:
                    await course.running.turn(course.calls)
                    course.calls += 1
                    if progress is not None:
                        await progress(place * calls + course.calls, len(courses) * calls)
            everything, turns = [await course.running.upto(end) for course in courses]
        return View(setting, turns, everything, end in self._calls, len(self.ledger.messages))

    def _one_at_a_time(self) -> asyncio.Lock:
        """A `Running` goes on from where it stands, so two of these must not drive it at once."""
        import asyncio

        if self._lock is None:
            self._lock = asyncio.Lock()
        return self._lock

    def _course(self, setting: Setting) -> _Course:
        if setting not in self._courses:
            stages = choice(setting.strategy).transforms(setting.values, setting.window, self._model)
            strategy = Strategy(setting.strategy, stages)
            recall = Recall(self._quiz, self._model) if self._quiz is not None else None
            window, pricing = setting.window, self._pricing
            running = Running(strategy, self.ledger, self.points, window, pricing, recall, lean=True)
            self._courses[setting] = _Course(running)
        self._courses.move_to_end(setting)
        if len(self._courses) > KEPT_SETTINGS:
            self._forget_one()
        return self._courses[setting]

    def _forget_one(self) -> None:
        """Forget the setting with the fewest calls, as a slider leaves many behind; of equals, the oldest."""
        *others, _ = self._courses
        del self._courses[min(others, key=lambda one: self._courses[one].calls)]

    def _calls_before(self, end: int) -> int:
        from bisect import bisect_left

        return bisect_left(self.points, end)
