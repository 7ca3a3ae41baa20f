"""`Strategy`: a name for a row of transforms, made fresh for each run.

Contract: a run never sees what another left behind, neither a cache nor a memo. Stages are made anew from
their options, as `Pipeline.to_config` writes them; a transform of your own takes part once it is registered
(`ctxkit.transforms.config.register_transform`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from ctxkit import _arguments
from ctxkit.models.base import ChatModel
from ctxkit.tokens import TokenCounter
from ctxkit.transforms import MessageTransform, OllamaTruncation, Pipeline, SummaryCache
from ctxkit.window import ContextWindow


@dataclass(frozen=True)
class Strategy:
    """A way to manage the window.

    name: shown in tables and charts. transforms: in the order in which they work; none sends everything.
    Raises TypeError for anything but transforms, and for one of your own that is not registered.

    >>> from ctxkit import KeepRecentMessages
    >>> Strategy("the last ten", [KeepRecentMessages(10)])
    Strategy(name='the last ten', transforms=(KeepRecentMessages(keep=10, on_split='expand'),))
    """

    name: str
    transforms: Iterable[MessageTransform] = field(default=())

    def __post_init__(self) -> None:
        if not _arguments.text("name", self.name).strip():
            raise ValueError("name: a strategy needs one")
        pipeline = Pipeline(self.transforms)
        pipeline.to_config()  # says now, not in the middle of a run, what cannot be made anew
        object.__setattr__(self, "transforms", pipeline.transforms)

    def fresh(
        self, counter: TokenCounter, cache: SummaryCache, metered: Callable[[ChatModel], ChatModel]
    ) -> Pipeline:
        """The transforms, made anew.

        counter: for stages that have none of their own. cache: for summaries. metered: wraps each stage's
        model.
        """
        return Pipeline([_again(stage, counter, cache, metered) for stage in self.transforms])

    def window(self, window: ContextWindow) -> ContextWindow:
        """A window as this strategy fills it: a server that cuts the prompt itself keeps no room for a reply.

        >>> ollama_alone(2_048).window(ContextWindow(2_048, reserve=112)).budget
        2048
        """
        keeps_room = all(stage.keeps_room for stage in _flat(self.transforms))
        return window if keeps_room else replace(window, reserve=0)

    def asking(self, model: ChatModel, counter: TokenCounter) -> Strategy:
        """The same strategy with this model in place of that of its stages.

        counter: for stages that have none of their own.
        """
        return Strategy(self.name, self.fresh(counter, SummaryCache(), lambda _: model).transforms)


def strategies_of(value: Iterable[object]) -> list[Strategy]:
    """Strategies with different names. Raises TypeError or ValueError for others."""
    given: list[Strategy] = []
    for i, one in enumerate(value):
        if not isinstance(one, Strategy):
            raise TypeError(f"strategies[{i}]: expected a Strategy, got {type(one).__name__}")
        if any(one.name == other.name for other in given):
            raise ValueError(f"strategies: two are called {one.name!r}")
        given.append(one)
    return given


def send_everything() -> Strategy:
    """The strategy that leaves nothing out, and is refused once the window is full."""
    return Strategy("send everything")


def ollama_alone(num_ctx: int, *, counter: TokenCounter | None = None) -> Strategy:
    """What an Ollama server does when nobody manages the window: it drops from the front, in silence.

    num_ctx: the server's window in tokens.
    """
    return Strategy("what Ollama does", [OllamaTruncation(num_ctx, counter=counter)])


def _flat(transforms: Iterable[MessageTransform]) -> Iterator[MessageTransform]:
    for transform in transforms:
        if isinstance(transform, Pipeline):
            yield from _flat(transform.transforms)
        else:
            yield transform


def _again(
    stage: MessageTransform,
    counter: TokenCounter,
    cache: SummaryCache,
    metered: Callable[[ChatModel], ChatModel],
) -> MessageTransform:
    if isinstance(stage, Pipeline):  # kept as one stage: each pipeline repairs what goes into it
        return Pipeline([_again(one, counter, cache, metered) for one in stage.transforms])
    model: ChatModel | None = getattr(stage, "model", None)
    return Pipeline.from_config(
        Pipeline([stage]).to_config(),
        None if model is None else metered(model),
        counter=getattr(stage, "counter", None) or counter,
        cache=cache,
    ).transforms[0]
