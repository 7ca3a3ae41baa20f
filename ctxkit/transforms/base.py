"""What every transform promises, and the frame that the pure ones share.

Contract, for any history: the result is valid (`check` finds nothing, given a user message), the head and the
unanswered user messages at the end are kept as the same objects, kept messages are the same objects in the
same order, the input is never changed, applying a transform to its own result changes nothing, and every
input message gets one `Decision`. A transform works on `repair(messages)`.

A *pure* transform calls no model. It says what to keep as an `Edit`; `PureTransform` turns that into an
`Outcome`. Decisions are made when they are read: most callers want the messages only.
"""

from __future__ import annotations

import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any, ClassVar

from ctxkit.messages import Message, load_messages
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.changed import Changed
from ctxkit.transforms.handover import Prefix, Sent
from ctxkit.transforms.mending import Mending
from ctxkit.transforms.options import CopiedByOptions
from ctxkit.transforms.outcome import Action, Decision, Outcome, Sources
from ctxkit.transforms.timeline import Timeline
from ctxkit.window import BudgetImpossible


class MessageTransform(ABC):
    """Turns the messages that are stored into those that are sent.

    takes_prefix: whether `apply` and `preview` may be handed a `Prefix` (see `handover`); a class that
    defines one of them and does not say so gets lists. keeps_room: whether the window that it fills is to
    keep room for the reply.
    """

    takes_prefix: ClassVar[bool] = False
    keeps_room: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not {"apply", "preview"}.isdisjoint(vars(cls)) and "takes_prefix" not in vars(cls):
            cls.takes_prefix = False

    @abstractmethod
    async def apply(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        """Transform a history; the schemas of `tools` count in every budget and trigger."""

    @abstractmethod
    def preview(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        """What `apply` would do, without calling a model."""

    def plan(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> list[Decision]:
        """What would become of each message, without calling a model."""
        return self.preview(messages, tools=tools).decisions

    async def __call__(self, messages: Iterable[Any]) -> list[Message]:
        """The messages to send; warns when a summary could not be made and the history goes on without it."""
        outcome = await self.apply(messages)
        if outcome.error is not None:
            warnings.warn(f"{type(self).__name__}: {outcome.error}", RuntimeWarning, stacklevel=2)
        return outcome.messages

    def handed(self, messages: list[Message] | Prefix) -> list[Message] | Prefix:
        """These messages in the form in which this transform takes them."""
        return messages if self.takes_prefix or isinstance(messages, list) else Sent(messages, messages.head)


Reason = tuple[Action, str]
Why = Callable[[int], Reason]


@dataclass(frozen=True, slots=True)
class Edit:
    """What is sent of a sound history.

    keep: indexes that are sent, rising. why: index -> action and reason. changed: index, rising -> the
    message sent in its place. because: action and reason of those. notes: a summary that is sent after the
    head.
    """

    keep: Sequence[int]
    why: Why
    changed: dict[int, Message] = field(default_factory=dict)
    because: Reason = ("kept", "")
    notes: Message | None = None

    def explained(self) -> Why:
        """Action and reason of any message."""
        why, changed, because = self.why, self.changed, self.because
        return (lambda index: because if index in changed else why(index)) if changed else why


@dataclass(frozen=True, slots=True)
class Sound:
    """A history as a transform works on it.

    given: the input. timeline: of the repaired history, perhaps longer than `end`, the number of messages
    that count. sources: the index in the input of each repaired message, None for no change.
    """

    given: Sequence[Message]
    timeline: Timeline
    end: int
    sources: Sources | None

    def source(self, index: int) -> int | None:
        """The index in the input of a repaired message."""
        return index if self.sources is None else self.sources[index]


class TimelineTransform(CopiedByOptions, MessageTransform):
    """The frame of a transform that works on the timeline of a history: repair before, explain after."""

    takes_prefix: ClassVar[bool] = True
    counter: TokenCounter | None = None
    _known: Timeline | None = None
    _mending: Mending | None = None

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed = Changed()

    def _sound(self, messages: Iterable[Any]) -> Sound:
        """The repaired history and its timeline.

        A prefix says both. Of other forms the last history is remembered and grows with its conversation. Of
        a sound conversation one more message costs one step; so it does of one that has to be repaired, save
        that a result that comes late begins the timeline anew, and that each call copies all the sources.
        """
        if isinstance(messages, Prefix):
            return Sound(messages, messages.timeline, messages.end, None)
        given = load_messages(messages)
        head_limit = messages.head_limit if isinstance(messages, Sent) else inf
        with self._lock:
            mending = self._mending
            # What grows is forgotten until it has grown: an interrupt leaves nothing that is half taken.
            if mending is None or not mending.begins(given, head_limit):
                known, self._known = self._known, None
                timeline = Timeline.of(given, known, head_limit)
                self._known = known if timeline is None else timeline
                if timeline is not None:
                    return Sound(given, timeline, len(given), None)
                mending = Mending(head_limit)
            self._mending = None
            mending.take(given)
            self._mending = mending if mending.for_good else None
            return Sound(given, mending.timeline, len(mending.timeline.messages), mending.sources)

    def _outcome(self, sound: Sound, edit: Edit, **facts: Any) -> Outcome:
        """The outcome of an edit; `facts` are its calls, hits and error."""
        head, given = min(sound.timeline.head, sound.end), sound.timeline.messages
        if edit.notes is None and edit.keep == range(sound.end):
            with self._lock:
                all_sent = self._changed.prefix(sound.timeline, sound.end, edit.changed)
            explain = partial(self._explain_all, sound, edit.why, edit.because, all_sent)
            sources = range(sound.end) if sound.sources is None else sound.sources
            return Outcome(all_sent, sources, explain, **facts)
        sent = [edit.changed.get(i, given[i]) for i in edit.keep]
        where: list[int | None] = (
            [*edit.keep] if sound.sources is None else [sound.sources[i] for i in edit.keep]
        )
        if edit.notes is not None:
            sent.insert(head, edit.notes)
            where.insert(head, None)
        return Outcome(Sent(sent, head), where, partial(self._explain, sound, edit.explained()), **facts)

    def _explain_all(self, sound: Sound, why: Why, because: Reason, sent: Prefix) -> list[Decision]:
        """Where each message is sent or another in its place; those are told by looking at both.

        To keep what was changed would be to keep the square of a long replay.
        """
        pairs = enumerate(zip(sound.timeline.part(0, sound.end), sent, strict=True))
        changed = {index for index, (given, made) in pairs if given is not made}
        return self._explain(sound, lambda index: because if index in changed else why(index))

    def _explain(self, sound: Sound, why: Why) -> list[Decision]:
        counter = self.counter or shared_counter()
        if sound.sources is None:
            return [Decision(i, *why(i), counter.count(message)) for i, message in enumerate(sound.given)]
        places = _places(sound.sources, len(sound.given))
        decisions: list[Decision] = []
        last = -1
        for index, message in enumerate(sound.given):
            place = places[index]
            if place is None:
                action, reason = "repaired", "a result without its call, left out"
            else:
                action, reason = why(place)
                mended = _mended(sound, place, last, message) if action == "kept" else None
                action, reason = ("repaired", mended) if mended else (action, reason)
                last = max(last, place)
            decisions.append(Decision(index, action, reason, counter.count(message)))
        return decisions


class PureTransform(TimelineTransform):
    """The frame of a transform that calls no model."""

    takes_prefix: ClassVar[bool] = True

    @abstractmethod
    def _edit(self, timeline: Timeline, end: int, tools: Sequence[Any]) -> Edit:
        """Choose what to send of the first `end` messages of a timeline."""

    async def apply(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        return self.preview(messages, tools=tools)

    def preview(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        sound = self._sound(messages)
        try:
            edit = self._edit(sound.timeline, sound.end, tools)
        except BudgetImpossible as error:
            raise error.seen_from(sound.sources) from None
        return self._outcome(sound, edit)


def _places(sources: Sources, length: int) -> list[int | None]:
    places: list[int | None] = [None] * length
    for place, source in enumerate(sources):
        if source is not None:
            places[source] = place
    return places


def _mended(sound: Sound, place: int, last: int, message: Message) -> str | None:
    """What the repair did to a message that is sent, if anything."""
    if place < last:
        return "moved up to its call"
    if sound.timeline.messages[place] is not message:
        return "two calls with one id, the second left out"
    results = range(place + 1, place + 1 + len(message.tool_calls))
    if any(sound.source(i) is None for i in results):
        return "a call without a result, given a marked one"
    return None
