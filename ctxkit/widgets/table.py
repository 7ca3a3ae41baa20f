"""`Table`: rows of short texts under a caption, the same facts as a chart beside it.

Contract: every text is made visible here and written as text on the page. A row may wear the mark that its
thing has in the chart, shape and colour, before its name. Columns go to the page once, a step sends rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit.widgets.escape import short
from ctxkit.widgets.shown import Shown

NAME_CHARACTERS = 40


@dataclass(frozen=True)
class Row:
    """A row of a table.

    name: the first cell. cells: the others. icon, colour: the mark of the row, "" for none. strong: whether
    the row stands out, which the cells must say in words too.
    """

    name: str
    cells: Sequence[str]
    icon: str = ""
    colour: str = ""
    strong: bool = False


class Table(Shown):
    """A table with a first column of names, and columns of figures.

    columns: the headings, that of the names first.

    >>> table = Table(["harbour", "boats"])
    >>> table.show("Boats on Saturday", [Row("Grey Island", ["6"], icon="●"), Row("Port Elin", ["12"])])
    >>> table
    Boats on Saturday
    harbour        boats
    ● Grey Island      6
    Port Elin         12
    """

    def __init__(self, columns: Sequence[str]) -> None:
        super().__init__()
        from ctxkit.widgets.pages import FactsTable  # loads ipywidgets

        self._columns = [short(name) for name in columns]
        self._caption, self._rows = "", list[Row]()
        self.widget: FactsTable = FactsTable(content={"columns": self._columns})

    def show(self, caption: str, rows: Sequence[Row]) -> None:
        """Show these rows in place of the last."""
        self._caption = short(caption)
        self._rows = [
            Row(short(r.name, NAME_CHARACTERS), [short(c) for c in r.cells], r.icon, r.colour, r.strong)
            for r in rows
        ]
        shown = [[row.icon, row.colour, row.strong, row.name, *row.cells] for row in self._rows]
        self.widget.state = {"caption": self._caption, "rows": shown}

    def as_text(self) -> str:
        lines = [self._columns, *([f"{r.icon} {r.name}".lstrip(), *r.cells] for r in self._rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        first, *others = widths
        texts = [
            "  ".join([f"{name:{first}}", *(f"{c:>{w}}" for c, w in zip(cells, others, strict=True))])
            for name, *cells in lines
        ]
        return "\n".join([self._caption, *(text.rstrip() for text in texts)])
