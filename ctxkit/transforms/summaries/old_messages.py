"""`SummarizeOldMessages`: fold old messages into a summary when there are too many, or too many tokens.

Guide A's third transform, with what was wrong in it put right: the trigger looks at what would be sent, not
at the stored list, which never shrinks (200 messages: 12 summary calls instead of 180); nothing is summarised
twice; only new messages are paid for, because a summary is found again by the digest of the prefix it covers;
a failure changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

from ctxkit._arguments import counter_or_none, text, whole_number
from ctxkit.models.base import ChatModel, model_key, window_of
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms.base import Action, Edit, Outcome, Sound, TimelineTransform
from ctxkit.transforms.recent import cut_for
from ctxkit.transforms.summaries.cache import SummaryCache
from ctxkit.transforms.summaries.folding import fold_messages
from ctxkit.transforms.summaries.frame import TEMPLATE, SummaryRole, check_template, framed
from ctxkit.transforms.summaries.prefixes import Prefixes
from ctxkit.transforms.summaries.summariser import INSTRUCTION, Summariser, stand_in
from ctxkit.transforms.timeline import Timeline


@dataclass(frozen=True)
class _View:
    """What would be sent: a summary of everything before `start` ("" for none), and the messages from
    there.
    """

    start: int
    summary: str


@dataclass(frozen=True)
class _Looked:
    """Where summaries were looked for last, so that only new places are looked at while the cache is as it
    was: up to `last` of a timeline, and the latest was found at `start`.
    """

    timeline: Timeline | None = None
    changes: int = 0
    last: int = 0
    start: int = 0


class SummarizeOldMessages(TimelineTransform):
    """Above `max_messages`, fold all but the last `min_messages` into one summary message.

    model: any `ChatModel`. max_messages, min_messages: of what is sent, the summary counted, the head not
    (defaults 20 and 5). max_tokens: a second trigger, tokens of the whole prompt (default None).
    summary_tokens: cap of the summary (400). request_tokens: size of a whole summary request; default the
    model's `num_ctx` where it has one, else 8,192. role: of the summary message ("user"). instruction,
    template: the request's last message, and the frame around `{{ summary }}`. counter: default a shared
    cl100k_base counter. cache: default one of its own. Raises TypeError or ValueError for other values.

    >>> from ctxkit import Message, Reply, run
    >>> class Fake:
    ...     async def chat(self, messages, tools=()):
    ...         return Reply(Message.assistant("They counted."))
    >>> talk = [Message(("user", "assistant")[i % 2], f"message {i}") for i in range(21)]
    >>> outcome = run(SummarizeOldMessages(Fake()).apply(talk))
    >>> len(outcome.messages), outcome.model_calls, outcome.messages[0].kind
    (6, 1, 'summary')
    """

    takes_prefix: ClassVar[bool] = True

    def __init__(
        self,
        model: ChatModel,
        max_messages: int = 20,
        min_messages: int = 5,
        *,
        max_tokens: int | None = None,
        summary_tokens: int = 400,
        request_tokens: int | None = None,
        role: SummaryRole = "user",
        instruction: str = INSTRUCTION,
        template: str = TEMPLATE,
        counter: TokenCounter | None = None,
        cache: SummaryCache | None = None,
    ) -> None:
        super().__init__()
        self.max_messages = whole_number("max_messages", max_messages, minimum=1)
        self.min_messages = whole_number("min_messages", min_messages)
        if self.max_messages <= self.min_messages:
            raise ValueError(f"max_messages: {max_messages} is not above min_messages, {min_messages}")
        self.max_tokens = None if max_tokens is None else whole_number("max_tokens", max_tokens, minimum=1)
        if role not in get_args(SummaryRole):
            raise ValueError(f"role: expected one of {', '.join(get_args(SummaryRole))}, got {role!r}")
        self.model, self.template = model, check_template(template)
        self.role: SummaryRole = role
        self.summary_tokens, self.request_tokens = summary_tokens, request_tokens
        self.instruction = instruction
        self.counter: TokenCounter | None = counter_or_none(counter)
        self.cache = SummaryCache() if cache is None else cache
        window = window_of(model) if request_tokens is None else request_tokens
        self.summariser = Summariser(
            model,
            counter or shared_counter(),
            whole_number("summary_tokens", summary_tokens, minimum=16),
            whole_number("request_tokens", 8_192 if window is None else window, minimum=1),
            text("instruction", instruction),
        )
        self._prefixes = Prefixes(f"old messages 1\n{model_key(model)}\n{summary_tokens}\n{instruction}")
        self._looked = _Looked()

    def __repr__(self) -> str:
        tokens = "" if self.max_tokens is None else f", max_tokens={self.max_tokens}"
        bounds = f"max_messages={self.max_messages}, min_messages={self.min_messages}"
        return f"SummarizeOldMessages({bounds}{tokens})"

    async def apply(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        sound = self._sound(messages)
        last = self._last(sound)
        view = self._known_view(sound, last)
        if not self._due(sound, view, last, tools):
            return self._show(sound, view)
        async with self.cache._paying.hold(self._key(sound, last)):
            view = self._known_view(sound, last)  # another task may have made it meanwhile
            if not self._due(sound, view, last, tools):
                return self._show(sound, view)
            calls = self.summariser.tally()
            try:
                folded = sound.timeline.messages[view.start : last]
                summary = await fold_messages(self.summariser, view.summary, folded, calls, self.template)
                self.cache.put(self._key(sound, last), summary)
            except Exception as error:
                return self._outcome(sound, _untouched(sound), model_calls=calls.made, error=error)
            self.cache.misses += 1
            return self._outcome(sound, self._edit(sound, _View(last, summary)), model_calls=calls.made)

    def preview(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        sound = self._sound(messages)
        last = self._last(sound)
        view = self._known_view(sound, last)
        if self._due(sound, view, last, tools):
            view = _View(last, stand_in(self.summariser.summary_tokens, self.summariser.counter))
        return self._outcome(sound, self._edit(sound, view))

    def _show(self, sound: Sound, view: _View) -> Outcome:
        if view.summary:
            self.cache.hits += 1
        return self._outcome(sound, self._edit(sound, view), cache_hits=1 if view.summary else 0)

    def _last(self, sound: Sound) -> int:
        """Up to where messages may be folded."""
        return cut_for(sound.timeline, sound.end, self.min_messages, "expand")

    def _key(self, sound: Sound, index: int) -> str:
        with self._lock:
            return self._prefixes.key(sound.timeline, index)

    def _known_view(self, sound: Sound, last: int) -> _View:
        """The latest place up to which a summary is at hand, no later than `last`."""
        head, timeline = min(sound.timeline.head, sound.end), sound.timeline
        with self._lock:
            known, after, start = self._looked, head, head
            if known.timeline is timeline and known.changes == self.cache.changes and known.last <= last:
                after, start = known.last, known.start
            changes = self.cache.changes
            found = self.cache.first(self._prefixes.backwards(timeline, last, after))
            start = start if found is None else last - found[0]
            self._looked = _Looked(timeline, changes, last, start)
            summary = self.cache.get(self._prefixes.key(timeline, start)) if start > head else None
        return _View(head, "") if summary is None else _View(start, summary)

    def _asking(self, sound: Sound, view: _View) -> int | None:
        """The user message from before the window that is sent too, unless the summary speaks as the user."""
        if view.summary and self.role == "user":
            return None
        return sound.timeline.latest_user(view.start, sound.end)

    def _due(self, sound: Sound, view: _View, last: int, tools: Sequence[Any]) -> bool:
        """Whether there is too much to send, and something to fold before `last` that makes it less."""
        asking, messages = self._asking(sound, _View(last, "x")), sound.timeline.messages
        foldable = (
            message
            for i, message in enumerate(messages[view.start : last], view.start)
            if i != asking and message.kind != "summary"
        )
        some = next(foldable, None)
        if some is None:
            return False
        asked_now = self._asking(sound, view) is not None
        if bool(view.summary) + asked_now + sound.end - view.start > self.max_messages:
            return True
        if self.max_tokens is None:
            return False
        counter = self.summariser.counter
        sent = self._outcome(sound, self._edit(sound, view)).sent
        # A tail that is over the trigger by itself would be folded message by message: wait for a worthwhile
        # part.
        worthwhile = sum(map(counter.count, [some, *foldable])) >= self.max_tokens // 2
        return worthwhile and counter.count_all(sent, tools) > self.max_tokens

    def _edit(self, sound: Sound, view: _View) -> Edit:
        head, asking = min(sound.timeline.head, sound.end), self._asking(sound, view)
        if not view.summary:
            return _untouched(sound)

        def why(index: int) -> tuple[Action, str]:
            if index < head:
                return "kept", "head: always sent"
            if index >= view.start:
                return "kept", "newer than the summary"
            return (
                ("kept", "the latest user message")
                if index == asking
                else ("summarised", "folded into the summary")
            )

        keep = [*range(head), *([] if asking is None else [asking]), *range(view.start, sound.end)]
        voices = sound.timeline.voice_before
        # Who spoke for the user was a summary: nobody would, if this one did not.
        alone = asking is None and voices[sound.end] < view.start and voices[view.start] >= 0
        return Edit(keep, why, notes=framed(view.summary, self.template, "user" if alone else self.role))


def _untouched(sound: Sound) -> Edit:
    return Edit(range(sound.end), lambda index: ("kept", "nothing to fold"))
