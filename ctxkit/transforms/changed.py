"""`Changed`: what is sent when some messages have others in their place, as a timeline that goes on."""

from __future__ import annotations

from ctxkit.messages import Message
from ctxkit.transforms.handover import Prefix
from ctxkit.transforms.timeline import Timeline


class Twin(Timeline):
    """A timeline of the same shape as another, with other messages in place of some.

    source: whose arrays it has too, and which grows for both: what they say holds for messages of the same
    roles, calls and call ids. A *fork* takes the place of a twin in which a message is to change. The old one
    stays as it was, but keeps no more than what the fork did not take over, so that thousands of forks are no
    thousands of copies.

    >>> old = Twin(Timeline.of([Message.user("Hi"), Message.assistant("Hello!")]))
    >>> old.messages.extend([Message.user("Hi"), Message.assistant("Good day.")])
    >>> new = old.fork(1)
    >>> new.messages.append(Message.assistant("Hello!"))
    >>> new.shared_with(old), old.messages[1].content, new.messages[1].content
    (1, 'Good day.', 'Hello!')
    """

    def __init__(self, source: Timeline) -> None:
        vars(self).update(vars(source))
        self._own = []
        self._newer: tuple[Twin, int, list[Message]] | None = None
        self._cuts: list[int] = []  # of all forks of this line: how many messages each took over
        self._forks = 0  # how many forks came before

    @property
    def messages(self) -> list[Message]:
        """Put together again, and kept, when an old twin's are read."""
        forks: list[tuple[int, list[Message]]] = []
        twin = self
        while twin._newer is not None:
            twin, shared, rest = twin._newer
            forks.append((shared, rest))
        messages = twin._own
        for shared, rest in reversed(forks):
            messages = messages[:shared] + rest
        self._own, self._newer = messages, None
        return messages

    def part(self, start: int, stop: int) -> list[Message]:
        newer = self._newer
        if newer is not None and start >= newer[1]:
            return newer[2][start - newer[1] : stop - newer[1]]
        return self.messages[start:stop]

    def fork(self, length: int) -> Twin:
        """The twin that takes over the first `length` messages and goes on in another way; once for each."""
        fork = Twin(self)
        fork._own = self._own[:length]
        self._cuts.append(length)
        fork._cuts, fork._forks = self._cuts, len(self._cuts)
        self._newer, self._own = (fork, length, self._own[length:]), []
        return fork

    def shared_with(self, other: Timeline | None) -> int:
        """Messages at the beginning that another twin of the same line of forks has too, for certain."""
        if other is self or not isinstance(other, Twin) or other._cuts is not self._cuts:
            return super().shared_with(other)
        first, last = sorted((self._forks, other._forks))
        return min(self._cuts[first:last])


class Changed:
    """The timeline of what a transform sends that leaves nothing out and changes some messages.

    A call that changes what the one before had sent gives a fork; the work is that for the messages from
    there on. What stands in place of a message must fit there as well as the message: same role, same calls,
    same call id.
    """

    def __init__(self) -> None:
        self._source: Timeline | None = None
        self._made: Twin | None = None
        self._changed: dict[int, Message] = {}

    def prefix(self, timeline: Timeline, end: int, changed: dict[int, Message]) -> Prefix:
        """The first `end` messages of a timeline as they are sent. changed: index, rising -> message."""
        if self._made is None and not changed:
            return Prefix(timeline, end)
        made = self._made
        if made is None or not timeline.shared_with(self._source):
            made = Twin(timeline)
        else:
            different = _first_difference(self._changed, changed)
            same = timeline.shared_with(self._source)
            same = same if different is None else min(same, different)
            if same < min(len(made.messages), end):
                made = made.fork(same)
        if made is not self._made or end > len(made.messages):
            start = len(made.messages)
            new = timeline.messages[start:end]
            made.messages.extend(changed.get(i, message) for i, message in enumerate(new, start))
            made.head = timeline.head
            self._source, self._made, self._changed = timeline, made, changed
        return Prefix(made, end)


def _first_difference(old: dict[int, Message], new: dict[int, Message]) -> int | None:
    """The first index at which a message is changed in one and not in the other, or in another way.

    >>> _first_difference({1: "x", 5: "y"}, {1: "x", 3: "z", 5: "y"})
    3
    """
    shared = min(len(old), len(new))
    if [*old][:shared] != [*new][:shared] or [*old.values()][:shared] != [*new.values()][:shared]:
        pairs = zip(old.items(), new.items(), strict=False)
        return next(min(one[0], other[0]) for one, other in pairs if one != other)
    return min([*[*old][shared:], *[*new][shared:]], default=None)
