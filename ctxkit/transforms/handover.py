"""What one who works on a history hands to the next: `Prefix`, its beginning, and `Sent`, what was chosen.

Contract: a transform takes messages in any form. A `Prefix` is a form that costs nothing: it says that the
messages are the beginning of a timeline, so that they need not be copied, checked, or compared with those of
the call before. Whoever calls a transform again and again with one message more hands it prefixes of one
`Growing` conversation; a pipeline hands on what it gets; a transform that sends all messages and changes some
(see `changed`) hands on a prefix of a timeline of its own. Whatever a transform works out message by message
it keeps on a `Track`, which goes on where the last call ended, also in a fork. What is sent is the same as
from a list.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf
from typing import Generic, TypeVar, overload

from ctxkit.messages import Message
from ctxkit.transforms.timeline import Timeline

V = TypeVar("V")


class Prefix(Sequence[Message]):
    """The first `end` messages of a timeline, which must be a sound history; reads like a list.

    >>> timeline = Timeline.of([Message.user("Hi"), Message.assistant("Hello!"), Message.user("Bye")])
    >>> prefix = Prefix(timeline, 2)
    >>> len(prefix), prefix[-1].content, [message.role for message in prefix]
    (2, 'Hello!', ['user', 'assistant'])
    """

    __slots__ = ("end", "timeline")

    def __init__(self, timeline: Timeline, end: int) -> None:
        self.timeline, self.end = timeline, end

    @property
    def head(self) -> int:
        """How many messages lead it as head."""
        return min(self.timeline.head, self.end)

    def __len__(self) -> int:
        return self.end

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        places = range(self.end)[index]
        if isinstance(places, int):
            return self.timeline.messages[places]
        if not places:
            return []
        if places.step == 1:
            return self.timeline.part(places.start, places.stop)
        return [self.timeline.messages[i] for i in places]

    def __iter__(self) -> Iterator[Message]:
        return islice(self.timeline.messages, self.end)

    def __eq__(self, other: object) -> bool:
        return [*self] == [*other] if isinstance(other, (Prefix, list)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as a list has none


class Growing:
    """A conversation that grows, handed out call by call.

    messages: to begin with. Looked at once, however often it is handed out.

    >>> talk = Growing([Message.user("Hi"), Message.assistant("Hello!")])
    >>> talk.append(Message.tool("?", "a"))  # a result without a call: from here on there is no sound prefix
    >>> type(talk.upto(2)).__name__, type(talk.upto(3)).__name__
    ('Prefix', 'list')
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.messages: list[Message] = []
        self._timeline, self._sound = Timeline(), True
        for message in messages:
            self.append(message)

    def append(self, message: Message) -> None:
        self.messages.append(message)
        self._sound = self._sound and self._timeline.take(message)

    def upto(self, end: int) -> list[Message] | Prefix:
        """The first `end` messages: a prefix, or a list where they are no sound history."""
        sound = end <= len(self._timeline.messages) and self._timeline.whole(end)
        return Prefix(self._timeline, end) if sound else self.messages[:end]


class Sent(list[Message]):
    """The messages that a transform sends, and how many of them are the head of the conversation.

    A window may begin with a system note from mid-conversation. The next stage would take it for a part of
    the head, and never drop it, if it were not told.
    """

    def __init__(self, messages: Iterable[Message], head: int) -> None:
        super().__init__(messages)
        self._head, self._made = head, tuple(self)

    @property
    def head_limit(self) -> float:
        """How long the head is; no limit once the caller has changed the list, who may have put a prompt in
        front.
        """
        unchanged = len(self) == len(self._made) and all(map(operator.is_, self, self._made))
        return self._head if unchanged else inf


class Track(Generic[V]):
    """What was worked out along a timeline: entry i is what holds after its first i messages.

    first: entry 0. Entry i must depend on the first i messages alone, and on what is said under `on`.
    """

    def __init__(self, first: V) -> None:
        self._entries = [first]
        self._timeline: Timeline | None = None
        self._under: tuple[object, ...] = ()

    def on(self, timeline: Timeline, *under: object) -> list[V]:
        """The entries that are known of this timeline, to be gone on with by the caller.

        under: settings on which all entries depend; where they are others than before, nothing is known.
        """
        if timeline is not self._timeline or under != self._under:
            shared = timeline.shared_with(self._timeline) if under == self._under else 0
            del self._entries[shared + 1 :]
            self._timeline, self._under = timeline, under
        return self._entries


class SourcedTrack(Track[V]):
    """A track of what depends on sources too, as they are in an `Outcome`."""

    def __init__(self, first: V) -> None:
        super().__init__(first)
        self._sources: Sequence[int | None] = ()

    def along(self, timeline: Timeline, sources: Sequence[int | None], *under: object) -> list[V]:
        """The entries that are known of this timeline with these sources, as `on` gives them.

        One timeline may have others than before: a result that comes late may be the very message that stood
        in for it.
        """
        entries, shared = self.on(timeline, *under), min(len(sources), len(self._sources))
        if sources[:shared] != self._sources[:shared]:  # at the speed of C
            del entries[1:]
        if shared == len(self._sources) or len(entries) == 1:
            self._sources = sources
        return entries
