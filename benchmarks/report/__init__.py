"""A table of figures with the limit beside each: what every benchmark prints, and how it fails.

Contract: each row is printed when it is measured; the first figure of a row is the kit's and is judged; a row
whose limit is broken says so, and `finish` then ends the program with status 1. It is a package so that
`benchmarks/*.py` are the benchmarks and nothing else.
"""

from __future__ import annotations

import sys


class Table:
    """A table with a column of names, one column for each thing compared, and the limit.

    columns: the headings, the kit's first. width: characters of a name (default 36).
    """

    def __init__(self, *columns: str, width: int = 36) -> None:
        self.columns, self._width = columns, width
        self._sizes = [max(10, len(column)) for column in columns]
        self._broken: list[str] = []

    def heading(self, title: str) -> None:
        """Begin a part of the table."""
        cells = [f"{column:>{size}}" for column, size in zip(self.columns, self._sizes, strict=True)]
        print("  ".join([f"{title:{self._width}}", *cells, "limit"]), flush=True)

    def row(
        self,
        name: str,
        *figures: float | None,
        unit: str = "",
        at_most: float | None = None,
        exactly: float | None = None,
        because: str = "",
    ) -> None:
        """Print figures, and whether the first keeps to its limit.

        figures: whole numbers are printed whole, others with two decimals, None as an empty cell. unit: of
        the figures and the limit. at_most, exactly: the limit, one of the two, or none; a figure that is
        missing keeps to no limit. because: where the limit comes from, in a few words.
        """
        figure, words, bound = figures[0], "at most", at_most
        if exactly is not None:
            words, bound = "exactly", exactly
        kept = bound is None or (
            figure is not None and (figure <= bound if exactly is None else figure == exactly)
        )
        limit = (
            "" if bound is None else f"{words} {_written(bound, unit)}" + (f" ({because})" if because else "")
        )
        if not kept:
            self._broken.append(name.strip())
            limit += "  BROKEN"
        padded = [*figures, *[None] * (len(self._sizes) - len(figures))]
        cells = [f"{_written(cell, unit):>{size}}" for cell, size in zip(padded, self._sizes, strict=True)]
        print("  ".join([f"  {name:{self._width - 2}}", *cells, limit]).rstrip(), flush=True)

    def finish(self) -> None:
        """End the program with status 1 if a limit is broken."""
        if self._broken:
            sys.exit(f"Limits broken: {len(self._broken)} ({'; '.join(self._broken)})")


def _written(figure: float | None, unit: str) -> str:
    if figure is None:
        return ""
    return f"{figure:,}{unit}" if isinstance(figure, int) else f"{figure:,.2f}{unit}"
