"""`Pipeline`: several transforms in a row, each working on what the one before it sends.

Order matters: tool results are cleared before old messages are dropped, or there is nothing left to clear; a
token budget comes last, because it guards what is really sent.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar

from ctxkit.models.base import ChatModel
from ctxkit.tokens import TokenCounter
from ctxkit.transforms.base import Action, Decision, Edit, MessageTransform, Outcome, PureTransform
from ctxkit.transforms.options import CopiedByOptions
from ctxkit.transforms.summaries.cache import SummaryCache
from ctxkit.transforms.timeline import Timeline
from ctxkit.window import BudgetImpossible


class Pipeline(CopiedByOptions, MessageTransform):
    """Apply transforms one after the other.

    transforms: in the order in which they work. The outcome's `stages` hold one outcome for each; its
    decisions say what finally became of each input message. A stage that fails to summarise passes its input
    on, so a closing `KeepWithinTokens` still guards. Raises TypeError for anything but transforms.

    >>> from ctxkit import ClearToolResults, KeepRecentMessages, Message, run
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("Bye")]
    >>> [message.content for message in run(Pipeline([ClearToolResults(), KeepRecentMessages(2)])(talk))]
    ['Hello!', 'Bye']
    """

    takes_prefix: ClassVar[bool] = True

    def __init__(self, transforms: Iterable[MessageTransform]) -> None:
        if isinstance(transforms, MessageTransform):
            raise TypeError(f"transforms: expected a list of transforms; write Pipeline([{transforms!r}])")
        self.transforms = tuple(transforms)
        self._repaired = _Repaired()
        for i, transform in enumerate(self.transforms):
            if not isinstance(transform, MessageTransform):
                raise TypeError(
                    f"transforms[{i}]: expected a MessageTransform, got {type(transform).__name__}"
                )

    def __repr__(self) -> str:
        return f"Pipeline([{', '.join(map(repr, self.transforms))}])"

    def to_config(self) -> dict[str, Any]:
        """The pipeline as plain JSON data: a version, and each stage's name and options.

        The model is only named; counter and cache are left out. Raises TypeError for a transform that is
        neither the kit's own nor registered.

        >>> from ctxkit import KeepRecentMessages
        >>> Pipeline([KeepRecentMessages(5)]).to_config()["stages"]
        [{'name': 'KeepRecentMessages', 'options': {'keep': 5, 'on_split': 'expand'}}]
        """
        from ctxkit.transforms.config import dump_pipeline

        return dump_pipeline(self.transforms)

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any],
        model: ChatModel | None = None,
        *,
        counter: TokenCounter | None = None,
        cache: SummaryCache | None = None,
    ) -> Pipeline:
        """The pipeline that a config describes.

        model, counter, cache: what each stage that takes one gets. An option that is not there has its
        default. Raises ValueError for an unknown version, stage or option, and for a missing model; TypeError
        or ValueError, naming the place, for other values.

        >>> stage = {"name": "KeepRecentMessages", "options": {"keep": 5}}
        >>> Pipeline.from_config({"version": 1, "stages": [stage]})
        Pipeline([KeepRecentMessages(keep=5, on_split='expand')])
        """
        from ctxkit.transforms.config import load_pipeline

        return cls(load_pipeline(config, {"model": model, "counter": counter, "cache": cache}))

    async def apply(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        result, tools = self._repaired.preview(messages), tuple(tools)
        for transform in self.transforms:
            with _errors_seen_from(result):
                stage = await transform.apply(transform.handed(result.sent), tools=tools)
            result = _then(result, stage)
        return result

    def preview(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        result, tools = self._repaired.preview(messages), tuple(tools)
        for transform in self.transforms:
            with _errors_seen_from(result):
                stage = transform.preview(transform.handed(result.sent), tools=tools)
            result = _then(result, stage)
        return result


class _Repaired(PureTransform):
    """The history as it must be before any stage sees it; also what an empty pipeline sends."""

    def _edit(self, timeline: Timeline, end: int, tools: Sequence[Any]) -> Edit:
        return Edit(range(end), _as_it_was)


def _as_it_was(index: int) -> tuple[Action, str]:
    return "kept", "no stage changed it"


@contextmanager
def _errors_seen_from(before: Outcome) -> Generator[None, None, None]:
    """Let a stage's BudgetImpossible name the messages by their index in the pipeline's input."""
    try:
        yield
    except BudgetImpossible as error:
        raise error.seen_from(before.sources) from None


def _then(before: Outcome, stage: Outcome) -> Outcome:
    """The outcome of a stage, seen from the input of the pipeline."""
    if before.all_in_place:
        sources = stage.sources
    elif stage.all_in_place:
        sources = before.sources
    else:
        sources = [None if source is None else before.sources[source] for source in stage.sources]
    return Outcome(
        stage.sent,
        sources,
        partial(_explain, before, stage),
        before.model_calls + stage.model_calls,
        before.cache_hits + stage.cache_hits,
        before.error or stage.error,
        (*before.stages, stage),
    )


def _explain(before: Outcome, stage: Outcome) -> list[Decision]:
    """What finally became of each input message: the stage's word, unless the stage left it as it was."""
    decisions = list(before.decisions)
    for source, here in zip(before.sources, stage.decisions, strict=True):
        if source is not None and (here.action != "kept" or decisions[source].action == "kept"):
            decisions[source] = Decision(source, here.action, here.reason, decisions[source].tokens)
    return decisions
