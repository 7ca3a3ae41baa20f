"""`Picture`: all that is drawn for one setting, and the work that gives it.

Contract: a picture is worked out whole before anything of it is drawn.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from ctxkit.widgets.labs.reading import Reader
from ctxkit.widgets.labs.window.asking import Answered, answered, waiting
from ctxkit.widgets.labs.window.background import Progress
from ctxkit.widgets.labs.window.work import Setting, View, Work


@dataclass(frozen=True)
class Picture:
    """What is drawn: a view of some work, answers to a question with it, and the number of the change that
    asked for it."""

    change: int
    work: Work
    view: View
    answers: Sequence[Answered]
    question: str


@dataclass(frozen=True)
class Wanted:
    """What a picture is wanted of.

    change: its number. end: messages that the conversation has. settings: the present one, and perhaps one
    beside it. reader: who is asked with both, None for nobody. asked: whether anything was asked before.
    question: the one in the box.
    """

    change: int
    work: Work
    end: int
    settings: Sequence[Setting]
    reader: Reader | None
    asked: bool
    question: str

    @property
    def calls_left(self) -> int:
        """Calls that are not worked out yet."""
        return self.work.calls_left(self.settings, self.end)

    def picture(self) -> Callable[[Progress | None], Awaitable[Picture]]:
        """The work that gives the picture; it says how far it is, in calls that were left."""
        left, done = self.calls_left, 0

        async def work_out(progress: Progress | None) -> Picture:
            async def count(_: int, __: int) -> None:
                nonlocal done
                done += 1
                if progress is not None:
                    await progress(done, left)

            views = [await self.work.view(setting, self.end, count) for setting in self.settings]
            answers = [waiting(self.asked, self.question)]
            if self.reader is not None:
                answers = [await answered(self.reader, view) for view in views]
            return Picture(self.change, self.work, views[0], answers, self.question)

        return work_out
