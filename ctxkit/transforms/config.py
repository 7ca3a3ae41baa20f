"""A pipeline as plain JSON and back: `Pipeline.to_config` and `Pipeline.from_config`.

Contract: `{"version": 1, "stages": [{"name": ..., "options": {...}}, ...]}`, nothing but what JSON holds. A
transform states its options once (see `options`); this module reads them there, so there is no second list of
names or defaults. Models, counters and caches are objects and never exported: `model` in a stage only names
the one that was used. Reading runs no code but the constructors of known transforms.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from ctxkit.messages.plain import plain
from ctxkit.models.base import model_key
from ctxkit.transforms.base import MessageTransform
from ctxkit.transforms.options import option_names

VERSION = 1
OBJECTS = ("model", "counter", "cache")
"""Parameters that hold objects: handed to `from_config`, never exported."""

Config = dict[str, Any]
Kind = TypeVar("Kind", bound=type[MessageTransform])

_registered: dict[str, type[MessageTransform]] = {}


def register_transform(transform: Kind) -> Kind:
    """Let pipelines with your own transform be exported and read back; usable as a decorator.

    transform: a class whose `__init__` parameters are plain data, each kept as an attribute of the same name.
    A class of the same name that was registered before is replaced. Raises TypeError for anything else and
    ValueError for a name of the kit.

    >>> from ctxkit import KeepRecentMessages, Pipeline
    >>> @register_transform
    ... class KeepFew(KeepRecentMessages):
    ...     def __init__(self, keep=2):
    ...         super().__init__(keep)
    >>> Pipeline([KeepFew()]).to_config()["stages"]
    [{'name': 'KeepFew', 'options': {'keep': 2}}]
    """
    if not (isinstance(transform, type) and issubclass(transform, MessageTransform)):
        raise TypeError(f"transform: expected a class of MessageTransform, got {transform!r}")
    if transform.__name__ in _of_the_kit():
        raise ValueError(f"transform: the kit has a {transform.__name__} of its own; choose another name")
    option_names(transform)
    _registered[transform.__name__] = transform
    return transform


def dump_pipeline(transforms: Sequence[MessageTransform]) -> Config:
    """The config of a pipeline's transforms.

    Raises TypeError for a transform that is neither the kit's own nor registered, or whose options are no
    plain data.
    """
    return {"version": VERSION, "stages": _dumped(transforms, "transforms")}


def load_pipeline(config: object, objects: Mapping[str, Any]) -> list[MessageTransform]:
    """The transforms that a config names, made anew. objects: the model, counter and cache that they get.

    Raises TypeError or ValueError naming the place in the config.
    """
    fields = named(plain(config, "config"), "config", ("version", "stages"))
    version = fields.get("version")
    if version != VERSION or isinstance(version, bool):
        raise ValueError(f"config.version: {version!r} is not known; this ctxkit reads version {VERSION}")
    return _loaded(fields.get("stages"), "config.stages", objects)


def _dumped(transforms: Sequence[MessageTransform], where: str) -> list[Config]:
    return [_stage(transform, f"{where}[{i}]") for i, transform in enumerate(transforms)]


def _stage(transform: MessageTransform, where: str) -> Config:
    kind = type(transform)
    if _known().get(kind.__name__) is not kind:
        raise TypeError(
            f"{where}: {kind.__name__} is not one of the kit's transforms and cannot be exported; "
            f"if its options are plain data, call ctxkit.transforms.config."
            f"register_transform({kind.__name__}) first"
        )
    if kind is _known()["Pipeline"]:
        return {"name": kind.__name__, "stages": _dumped(getattr(transform, "transforms"), where)}  # noqa: B009
    options: Config = {}
    stage: Config = {"name": kind.__name__, "options": options}
    for name in option_names(kind):
        if name == "model":
            stage["model"] = model_key(getattr(transform, name, None))
        elif name not in OBJECTS:
            if not hasattr(transform, name):
                raise TypeError(f"{where}: {kind.__name__} does not keep its option {name!r} as an attribute")
            options[name] = plain(getattr(transform, name), f"{where}.{name}")
    return stage


def _loaded(stages: object, where: str, objects: Mapping[str, Any]) -> list[MessageTransform]:
    if not isinstance(stages, list):
        raise TypeError(f"{where}: expected a list, got {type(stages).__name__}")
    return [_made(stage, f"{where}[{i}]", objects) for i, stage in enumerate(cast("list[object]", stages))]


def _made(stage: object, where: str, objects: Mapping[str, Any]) -> MessageTransform:
    name, known = (cast(Config, stage).get("name") if isinstance(stage, dict) else None), _known()
    kind = known.get(name) if isinstance(name, str) else None
    if isinstance(stage, dict) and kind is None:
        raise ValueError(f"{where}.name: no transform is called {name!r}; known: {', '.join(sorted(known))}")
    if kind is known["Pipeline"]:
        inner = named(stage, where, ("name", "stages")).get("stages")
        return cast(Any, kind)(_loaded(inner, f"{where}.stages", objects))
    fields = named(stage, where, ("name", "options", "model"))
    assert kind is not None, "anything but a dict was refused"
    parameters = option_names(kind)
    allowed = [option for option in parameters if option not in OBJECTS]
    options = named(fields.get("options", {}), f"{where}.options", allowed)
    given = {key: value for key, value in objects.items() if key in parameters and value is not None}
    if "model" in parameters and "model" not in given:
        raise ValueError(f"{where}: {name} needs a model; write from_config(config, model=...)")
    try:
        return cast(Any, kind)(**options, **given)
    except TypeError as error:
        raise TypeError(f"{where}.options: {error}") from None
    except ValueError as error:
        raise ValueError(f"{where}.options: {error}") from None


def named(value: object, where: str, allowed: Sequence[str]) -> Config:
    """The names and values of an object. Raises TypeError or ValueError naming where it stands."""
    if not isinstance(value, dict):
        raise TypeError(f"{where}: expected an object with names and values, got {type(value).__name__}")
    fields = cast(Config, value)
    for name in fields:
        if name not in allowed:
            raise ValueError(f"{where}: {name!r} is not known here; known: {', '.join(allowed) or 'nothing'}")
    return fields


def _known() -> dict[str, type[MessageTransform]]:
    return {**_registered, **_of_the_kit()}


def _of_the_kit() -> dict[str, type[MessageTransform]]:
    """The transforms that `ctxkit.transforms` offers: looked up late, because it imports this module."""
    from ctxkit import transforms

    offered = [getattr(transforms, name) for name in transforms.__all__]
    return {
        kind.__name__: kind
        for kind in offered
        if isinstance(kind, type) and issubclass(kind, MessageTransform) and not inspect.isabstract(kind)
    }
