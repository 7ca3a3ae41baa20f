"""`MessageList`: a table of messages and what became of each.

Contract: one row a message with its index, role, text and tokens; word and icon say what became of it and
why, under a caption that counts. Texts go to the page once, a step sends only which messages are kept,
dropped and so on. Long runs of messages that are not sent fold into a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from ctxkit._arguments import counter_or_none
from ctxkit.messages import Message, load_messages
from ctxkit.messages.text import content_text, display_role
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms import Outcome
from ctxkit.widgets.escape import short
from ctxkit.widgets.palette import ACTIONS, number, plural
from ctxkit.widgets.shown import Shown

SENT = ("kept", "shortened", "cleared", "repaired", "made")
"""Actions after which the message, or what replaces it, is part of the request."""

_COLUMNS = [["#", True], ["role", False], ["text", False], ["tokens", True], ["sent?", False]]
_TEXT_CHARACTERS = 160
_UNFOLDED = (*SENT, "refused")
_FOLD_FROM, _FOLD_SHOWS = 5, 2


class MessageList(Shown):
    """The messages of a conversation as a table.

    messages: a list of messages or dicts. counter: default a shared cl100k_base counter. notes: a word or
    two for some messages, by index, such as {1: "the answer"}. Raises TypeError or ValueError naming index
    and field.

    At first every message counts as sent; `show` says what a transform made of them.

    >>> from ctxkit import KeepRecentMessages, Message, run
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("Bye")]
    >>> table = MessageList(talk)
    >>> table.show(run(KeepRecentMessages(1).apply(talk)))
    >>> print(table.as_text().replace(" ", "."))
    1.of.3.messages.is.sent
    ..#..role.......tokens..sent?............text
    ..0..user............5..○.not.sent.......Hi
    ..1..assistant.......6..○.not.sent.......Hello!
    ..2..user............6..●.sent...........Bye
    """

    def __init__(
        self,
        messages: Iterable[Any],
        counter: TokenCounter | None = None,
        *,
        notes: Mapping[int, str] | None = None,
    ) -> None:
        self._counter = counter_or_none(counter) or shared_counter()
        rows = self._told(messages, notes or {})
        super().__init__()
        from ctxkit.widgets.pages import MessageTable  # loads ipywidgets

        self.widget: MessageTable = MessageTable()
        self._fill(rows)

    def load(self, messages: Iterable[Any], *, notes: Mapping[int, str] | None = None) -> None:
        """Show another conversation, or one that has grown; every message counts as sent again.

        Raises TypeError or ValueError naming index and field, and shows what it showed then.
        """
        self._fill(self._told(messages, notes or {}))

    def _told(self, messages: Iterable[Any], notes: Mapping[int, str]) -> list[list[str]]:
        return [
            [*_cells(message, self._counter), short(notes.get(index, ""))]
            for index, message in enumerate(load_messages(messages))
        ]

    def _fill(self, rows: list[list[str]]) -> None:
        self._rows = rows
        self._state: dict[str, Any] = {}
        with self.widget.hold_sync():  # a page must not have the rows of one and the fates of another
            self.widget.content = {
                "rows": rows,
                "words": ACTIONS,
                "sent": SENT,
                "unfolded": _UNFOLDED,
                "columns": _COLUMNS,
            }
            self.mark([("kept", "")] * len(rows))

    def show(self, outcome: Outcome, *, refused: str = "") -> None:
        """Say what a transform made of the first messages; later ones are not shown.

        refused: why the call is not made, so that none of them is sent (default "": it is made). Raises
        ValueError for the outcome of a longer conversation.
        """
        if len(outcome.decisions) > len(self._rows):
            raise ValueError(
                f"outcome: it is of {len(outcome.decisions)} messages, and the table of {len(self._rows)}; "
                "make a new table"
            )
        made: list[list[Any]] = []
        following = len(outcome.decisions)
        for message, source in zip(reversed(outcome.messages), reversed(outcome.sources), strict=True):
            if source is None:
                made.insert(0, [following, *_cells(message, self._counter), "not in the conversation"])
            else:
                following = source
        sent = set(outcome.sources)
        fates: list[tuple[str, str]] = []
        for index, decision in enumerate(outcome.decisions):
            removed = (
                decision.action == "repaired" and index not in sent
            )  # an orphan is no message that is sent
            fates.append(("removed" if removed else decision.action, decision.reason))
        if refused:
            fates = [("refused", refused) if action in SENT else (action, why) for action, why in fates]
        self.mark(fates, made)

    def mark(self, fates: Sequence[tuple[str, str]], made: Sequence[Sequence[Any]] = ()) -> None:
        """Say what became of the first `len(fates)` messages: an action of `palette.ACTIONS` and a reason
        each.

        made: rows that the kit added, as [index of the message they stand before, role, text, tokens,
        reason].
        """
        reasons: dict[str, int] = {}
        runs = []
        for (action, reason), run in groupby(fates):
            at = reasons.setdefault(reason, len(reasons))
            runs.append([action, at, sum(1 for _ in run)])
        sent = sum(count for action, _, count in runs if action in SENT)
        title = f"{number(sent)} of {plural(len(fates), 'message')} {'is' if sent == 1 else 'are'} sent"
        state = {
            "title": title,
            "runs": runs,
            "reasons": [short(reason) for reason in reasons],
            "made": list(made),
        }
        if state != self._state:
            self._state = self.widget.state = state

    def as_text(self) -> str:
        lines = [self._state["title"], _line("#", "role", "tokens", "sent?", "text")]
        made = list(self._state["made"])
        end = 0
        for action, _, count in self._state["runs"]:
            start, end = end, end + count
            fold = count >= _FOLD_FROM and action not in _UNFOLDED
            shown = [i for i in range(start, end) if not fold or i < start + _FOLD_SHOWS or self._rows[i][-1]]
            for index in shown:
                lines += _made_lines(made, index)
                role, text, tokens, note = self._rows[index]
                noted = f"★ {note}: {text}" if note else text
                lines.append(_line(str(index), role, tokens, " ".join(ACTIONS[action]), noted))
            if len(shown) < count:
                lines.append(f"     … {number(count - len(shown))} more {ACTIONS[action][1]}")
        return "\n".join([*lines, *_made_lines(made, end)])


def _cells(message: Message, counter: TokenCounter) -> list[str]:
    """Role, text and tokens of a message, fit to show; calls of tools are named, with their arguments."""
    calls = ", ".join(
        f"{call.name}({', '.join(f'{k}={v!r}' for k, v in call.arguments.items())})"
        for call in message.tool_calls
    )
    text = content_text(message)[: 4 * _TEXT_CHARACTERS]
    shown = short(f"{text} → {calls}" if calls else text, _TEXT_CHARACTERS)
    mark = "" if counter.exact_for([message]) else "≈ "
    return [display_role(message), shown, f"{mark}{number(counter.count(message))}"]


def _line(at: str, role: str, tokens: str, fate: str, text: str) -> str:
    return f"{at:>3}  {role:<9}  {tokens:>6}  {fate:<15}  {text[:60]}".rstrip()


def _made_lines(made: list[Any], index: int) -> list[str]:
    """The lines for what the kit put before a message; taken off the list."""
    lines = []
    while made and made[0][0] <= index:
        _, role, text, tokens, _ = made.pop(0)
        lines.append(_line("+", role, tokens, " ".join(ACTIONS["made"]), text))
    return lines
