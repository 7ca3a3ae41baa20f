"""The options of a transform: the parameters of its `__init__`, each kept as an attribute of the same name.

Contract: they are stated there once. `config` writes them as JSON, and a transform is copied and pickled as
them: a copy is made anew from its options and remembers nothing. What a transform remembers goes with the
history at hand, and its locks cannot be copied at all.
"""

from __future__ import annotations

import inspect
from typing import Any


def option_names(kind: type) -> list[str]:
    """The names of a transform's options. Raises TypeError for one that cannot be given by name."""
    parameters = inspect.signature(kind).parameters.values()
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(
                f"{kind.__name__} cannot be copied or exported: {parameter.name!r} of its __init__ is no "
                "option with a name; write the options out there, each by name"
            )
    return [parameter.name for parameter in parameters]


class CopiedByOptions:
    """Copied and pickled by options: `copy.copy` shares model and cache, `copy.deepcopy` copies them too.

    Attributes beside the options are not copied. Raises TypeError for an option that is not kept as an
    attribute, or that has no name, as those of `*args` have none.

    >>> import copy
    >>> from ctxkit import KeepWithinTokens
    >>> copy.deepcopy(KeepWithinTokens(4_000, low_water=3_000))
    KeepWithinTokens(4000, low_water=3000)
    """

    def __reduce__(self) -> tuple[Any, ...]:
        kind = type(self)
        names = option_names(kind)
        for name in names:
            if not hasattr(self, name):
                raise TypeError(
                    f"{kind.__name__} cannot be copied: it does not keep its option {name!r} as an attribute"
                )
        return _made, (kind, {name: getattr(self, name) for name in names})


def _made(kind: type[Any], options: dict[str, Any]) -> Any:
    return kind(**options)
