"""What a thread holds, and what it tells while it works."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ctxkit.history import head_length
from ctxkit.messages import Message
from ctxkit.messages.text import content_text
from ctxkit.stores.values import Snapshot
from ctxkit.transforms.summaries.frame import framed

Kind = Literal["user", "reply", "tool", "removed", "summary", "error"]
Node = Literal["user", "model", "tools", "check", "summarise"]


class NoReply(RuntimeError):
    """The model called tools until its steps were used up; what it did is in the state."""


@dataclass(frozen=True)
class ThreadState:
    """A thread's state: the messages that are word for word, the head included, and the summary of the rest.

    Each message of the conversation is in exactly one of the two. summary: "" when there is none. leading:
    how many of the messages are the head; None to count leading system and developer messages.
    """

    messages: list[Message]
    summary: str = ""
    leading: int | None = field(default=None, repr=False, compare=False)

    def as_messages(self) -> list[Message]:
        """What the model is sent: the head, the summary as background notes, the other messages.

        >>> state = ThreadState([Message.user("What do I read?")], "The user is Ada and reads papers.")
        >>> [(message.role, message.kind) for message in state.as_messages()]
        [('user', 'summary'), ('user', 'message')]
        """
        if not self.summary:
            return list(self.messages)
        head = head_length(self.messages) if self.leading is None else self.leading
        return [*self.messages[:head], framed(self.summary), *self.messages[head:]]


@dataclass(frozen=True)
class ThreadEvent:
    """Something that happened in a thread. What an event speaks of is stored already.

    kind: "user" (the message was taken in), "tool" (the model called tools, or one of their results),
    "reply", "removed" and "summary" (old messages went, and this stands for them now), "error". node: where
    in the graph. checkpoint: of the state that holds it. message: of "user", "tool" and "reply". removed: the
    messages that went. summary: the new one. error: the exception.
    """

    kind: Kind
    node: Node
    checkpoint: int | None = None
    message: Message | None = None
    removed: tuple[Message, ...] = ()
    summary: str = ""
    error: BaseException | None = None

    @property
    def text(self) -> str:
        """The event in words.

        >>> ThreadEvent("summary", "summarise", summary="The user is Ada.").text
        'The user is Ada.'
        """
        if self.message is not None:
            calls = ", ".join(call.name for call in self.message.tool_calls)
            return content_text(self.message) or (f"calls {calls}" if calls else "")
        if self.error is not None:
            return f"{type(self.error).__name__}: {self.error}"
        if self.kind == "removed":
            return f"{len(self.removed)} {'message' if len(self.removed) == 1 else 'messages'}"
        return self.summary


def state_of(at: Snapshot) -> ThreadState:
    """The state at a checkpoint."""
    return ThreadState([*at.head, *at.live], at.summary, len(at.head))


def prompt_of(at: Snapshot) -> list[Message]:
    """What the model is sent at a checkpoint."""
    return state_of(at).as_messages()
