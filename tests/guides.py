"""What the guides do, from the lessons that show it: the property tests must catch what is wrong in it."""

from __future__ import annotations

import json
from functools import lru_cache

from ctxkit.lessons import find_lesson


@lru_cache(maxsize=1)
def guide_discard():
    """Guide A's rule *discard old*, as lesson 3 writes it: `rule(messages, keep)`."""
    notebook = json.loads(find_lesson("03").path.read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    [source] = [cell for cell in cells if cell.startswith("def discard_old")]
    names: dict = {}
    exec(source, names)
    return names["discard_old"]
