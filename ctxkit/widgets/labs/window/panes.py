"""`Panes`: the parts of the window lab that show a picture, and where they stand.

Contract: all parts are drawn from one picture. The large stands before the small; columns fall below one
another where there is no room, so that nothing is cut at 760 pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ctxkit.economy import Pricing
from ctxkit.recall import Quiz
from ctxkit.transforms import Outcome
from ctxkit.widgets.lab import columns
from ctxkit.widgets.labs.replayed import cannot_fit
from ctxkit.widgets.labs.window import words
from ctxkit.widgets.labs.window.asking import Asking
from ctxkit.widgets.labs.window.code_box import CodeBox
from ctxkit.widgets.labs.window.figures import Figures
from ctxkit.widgets.labs.window.heading import Heading
from ctxkit.widgets.labs.window.picture import Picture
from ctxkit.widgets.labs.window.work import Work
from ctxkit.widgets.message_list import MessageList

WHOLE_ROW = "auto / 1 / auto / -1"
"""An area, not a column: ipywidgets clears the area after it has set the column, and the column with it."""


class Panes:
    """Key figures, the course, the prompt, the messages, the answers and the code.

    work: of the conversation at first. asking: what can be asked. reset: called by the button below the code.
    """

    def __init__(self, work: Work, asking: Asking, reset: Callable[[], None]) -> None:
        from ctxkit.widgets.labs.window.course_chart import CourseChart  # loads plotly
        from ctxkit.widgets.labs.window.prompt_bar import PromptBar

        self.figures, self.code, self.asking = Figures(), CodeBox(), asking
        self.chart, self.bar = CourseChart(), PromptBar()
        self.table = MessageList(work.ledger.messages, work.ledger.counter)
        self.drawn: Work | None = None
        self._course, self._sent = Heading(), Heading()
        self._reset = reset

    @property
    def widgets(self) -> Sequence[Any]:
        from ipywidgets import Button, GridBox, Layout, VBox

        room = Layout(width="auto", align_self="flex-start")
        button = Button(description="Reset settings", icon="undo", layout=room)
        button.on_click(lambda _: self._reset())
        self.figures.widget.layout.grid_area = WHOLE_ROW
        charts = [self._course.widget, self.chart, self._sent.widget, self.bar]
        course = VBox(charts, layout=Layout(grid_area=WHOLE_ROW, overflow="hidden"))
        side = VBox([self.asking.widget, self.code.widget, button], layout=Layout(overflow="hidden"))
        side.add_class("ctxkit-side")
        for panel in (course, side):
            panel.add_class("ctxkit-panel")
        below = GridBox([self.table.widget, side], layout=columns(Layout, 420))
        below.layout.grid_area = WHOLE_ROW
        below.add_class("ctxkit-below")
        return [self.figures.widget, course, below]

    def draw(self, picture: Picture, pricing: Pricing, quiz: Quiz | None) -> None:
        """Draw a picture."""
        view, ledger = picture.view, picture.work.ledger
        if picture.work is not self.drawn:
            self.table.load(ledger.messages)
            self.drawn = picture.work
        made = view.now.made
        if isinstance(made, Outcome):
            self.table.show(made, refused="" if view.now.fits else "the call is too long")
        else:
            self.table.mark(cannot_fit(made, view.now.upto))
        self.chart.draw(view)
        self.bar.draw(view, ledger.counter)
        self._course.say(self.chart.title, self.chart.says)
        self._sent.say(self.bar.title, self.bar.says)
        self.figures.show(words.cards(view, pricing, quiz))
        self.code.show(view.setting, picture.work.sample)
        self.asking.show(picture.answers, picture.question)
