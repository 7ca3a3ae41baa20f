"""Named errors of models: what went wrong and what to do about it."""

from __future__ import annotations


class ModelError(RuntimeError):
    """A model could not answer."""


class SummaryFailed(ModelError):
    """A model answered, but not with a summary; nothing was changed.

    >>> print(SummaryFailed("the reply was empty"))
    No summary was made: the reply was empty. History and cache are as they were.
    """

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(f"No summary was made: {why}. History and cache are as they were.")

    def __reduce__(self) -> tuple[type[SummaryFailed], tuple[str]]:
        return (type(self), (self.why,))
