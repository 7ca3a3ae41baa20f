"""`Loading`: choosing a conversation, bringing one's own, and adding messages by hand.

Contract: what cannot be read is told with its line or index and field, and changes nothing; a text that was
typed stays in its box until it could be used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ctxkit.widgets.escape import html_text, short
from ctxkit.widgets.labs.window.talk import ROLES, Talk, samples
from ctxkit.widgets.palette import plural

OWN = ""
"""The value of the entry that stands for a conversation which is none of the samples."""


class Loading:
    """The controls of a conversation.

    talk: is changed by them. changed: called after each change. refused: called with what could not be done
    and why; the same stands below the boxes, for the lab's own status line may be out of sight.
    """

    def __init__(self, talk: Talk, changed: Callable[[], None], refused: Callable[[str, str], None]) -> None:
        from ipywidgets import HTML, Button, Dropdown, FileUpload, HBox, Layout, ToggleButton, VBox

        from ctxkit.widgets.labs.window.pages import Enter, LongText, ShortText

        self._talk, self._changed, self._refused = talk, changed, refused
        self._quiet = False
        wide = {"description_width": "initial"}
        self.choice = Dropdown(
            description="Conversation", style=wide, layout=Layout(width="auto", max_width="420px")
        )
        self.more = ToggleButton(description="▸ Load or add messages", layout=Layout(width="auto"))
        self.text = LongText(
            description="Paste JSON (OpenAI, Ollama or Anthropic)",
            placeholder='[{"role": "user", "content": "Hi"}, …]',
            rows=4,
            style=wide,
            layout=Layout(width="auto"),
        )
        self.paste = Button(description="Load the pasted text", layout=Layout(width="auto"))
        self.file = FileUpload(
            accept=".json,.jsonl", multiple=False, description="Load a file", layout=Layout(width="auto")
        )
        self.reset = Button(description="Back to the first conversation", layout=Layout(width="auto"))
        self.role = Dropdown(
            options=list(ROLES), description="Add as", style=wide, layout=Layout(width="180px")
        )
        self.words = ShortText(
            description="Message", style=wide, layout=Layout(width="auto", flex="1 1 240px")
        )
        self.add = Button(description="Add the message", layout=Layout(width="auto"))
        self.enter = Enter(self.words, self._add)
        row = Layout(flex_flow="wrap", align_items="flex-end", overflow="hidden")
        self.said = HTML()
        self.said.add_class("ctxkit-said")
        self.panel = VBox(
            [
                self.text,
                HBox([self.paste, self.file, self.reset], layout=row),
                HBox([self.role, self.words, self.add, self.enter], layout=row),
                self.said,
            ],
            layout=Layout(display="none", overflow="hidden"),
        )
        self.panel.add_class("ctxkit-loading-panel")
        self.choice.observe(self._chosen, names="value")
        self.more.observe(self._opened, names="value")
        self.file.observe(self._uploaded, names="value")
        self.paste.on_click(lambda _: self._use("Not loaded.", self.text, self._talk.paste))
        self.add.on_click(lambda _: self._add())
        self.reset.on_click(lambda _: self._try("Not reset.", self._talk.reset))
        self.show()

    def show(self) -> None:
        """Let the list of conversations say which one is there."""
        talk, titles = self._talk, samples()
        own = [] if talk.sample and not talk.changed else [(self._own_title(), OWN)]
        self._quiet = True
        try:
            self.choice.options = [*own, *((title, name) for name, title in titles.items())]
            self.choice.value = OWN if own else talk.sample
        finally:
            self._quiet = False

    def _own_title(self) -> str:
        return f"{short(self._talk.title, 60)} ({plural(len(self._talk.messages), 'message')})"

    def _chosen(self, change: Any) -> None:
        if not self._quiet and change["new"] != OWN:
            self._try("Not loaded.", lambda: self._talk.choose(change["new"]))

    def _opened(self, change: Any) -> None:
        self.more.description = f"{'▾' if change['new'] else '▸'} Load or add messages"
        self.panel.layout.display = None if change["new"] else "none"

    def _uploaded(self, change: Any) -> None:
        if not change["new"]:
            return
        [file] = change["new"]
        self.file.value = ()  # or the same file, mended, would be no change
        self._try("Not loaded.", lambda: self._talk.load(bytes(file["content"]), short(file["name"], 60)))

    def _add(self) -> None:
        self._use("Not added.", self.words, lambda text: self._talk.add(str(self.role.value), text))

    def _use(self, what: str, box: Any, change: Callable[[str], None]) -> None:
        if self._try(what, lambda: change(box.value)):
            box.value = ""

    def _try(self, what: str, change: Callable[[], None]) -> bool:
        before = self._talk.state
        try:
            change()
            self._changed()
        except Exception as error:  # a learner must see it, whatever it was; the conversation is as before
            self._talk.restore(before)
            self.show()
            why = f"{short(str(error), 300).rstrip('.')}. The conversation is as it was."
            self.said.value = f"<b>▲ {html_text(what)}</b> {html_text(why)}"
            self._refused(what, why)
            return False
        self.said.value = ""
        self.show()
        return True
