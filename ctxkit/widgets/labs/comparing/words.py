"""What a comparison says: its finding, its status sentence, and the rows of its table."""

from __future__ import annotations

from ctxkit.widgets.escape import short
from ctxkit.widgets.labs.comparing.marks import MARKS
from ctxkit.widgets.labs.comparing.side_by_side import Comparison, Rival
from ctxkit.widgets.palette import number, percent, plural
from ctxkit.widgets.status import Kind
from ctxkit.widgets.table import NAME_CHARACTERS, Row

COLUMNS = ("money", "of sending all", "prompt tokens", "reused", "summaries", "refused")


def columns(facts: bool) -> list[str]:
    """The headings of the table. facts: whether a quiz counts."""
    return ["strategy", "facts known" if facts else "talk sent", *COLUMNS]


def purpose(facts: bool, enough: int) -> str:
    """What the lab is for, in a line under its heading. enough: per cent of the talk, with no quiz."""
    if facts:
        return "The same conversation under each strategy: what it costs, and what the model still knows."
    return (
        "The same conversation under each strategy: what it costs, and how much of the talk is sent. "
        f"With no quiz, {enough} % sent counts as enough, like 10 of 12 facts."
    )


def caption(comparison: Comparison) -> str:
    return f"{plural(comparison.calls, 'call')} up to message {number(comparison.upto)}"


def finding(comparison: Comparison) -> list[str]:
    """The finding in two short lines, as a title."""
    if comparison.facts and not comparison.most:
        return ["No fact was told yet"]
    if comparison.good:
        best = comparison.good[0]
        name = short(best.name, NAME_CHARACTERS)
        return [f"Cheapest that {_wanted(comparison)}:", f"{name}, {_money(comparison, best)}"]
    most = _most(comparison)
    found = f"Most: {short(most.name, NAME_CHARACTERS)}, {_known(comparison, most)}"
    return [f"No strategy {_wanted(comparison)}", found]


def status(comparison: Comparison) -> tuple[Kind, str, str]:
    """The verdict: its kind, its first words, and the facts."""
    where = f"After message {number(comparison.upto)}, {plural(comparison.calls, 'call')}."
    if comparison.facts and not comparison.most:
        return "ok", "Nothing to know yet.", f"{where} No fact of the quiz was told so far."
    every = _everything(comparison)
    if comparison.good:
        best = comparison.good[0]
        verb = "knows" if comparison.facts else "sends"
        told = f"{best.name}, which {verb} {_known(comparison, best)} for {_money(comparison, best)}"
        told += f", {_against(comparison, best)}."
        return "ok", f"Cheapest that {_wanted(comparison)}:", f"{told} {where}{every}"
    most = _most(comparison)
    done = "kept" if comparison.facts else "sent"
    told = f"Most is {done} by {most.name}: {_known(comparison, most)} for {_money(comparison, most)}."
    return "over", f"No strategy {_wanted(comparison)}.", f"{told} {where}{every}"


def rows(comparison: Comparison) -> list[Row]:
    """A row for each strategy, with its mark of the chart; those that keep enough stand out and wear a ✓."""
    good = {rival.name for rival in comparison.good}
    return [_row(comparison, at, rival, rival.name in good) for at, rival in enumerate(comparison.rivals)]


def _row(comparison: Comparison, at: int, rival: Rival, good: bool) -> Row:
    course, mark = rival.course, MARKS[at]
    knows = f"{rival.knows[-1]}/{comparison.most}" if comparison.facts else f"{rival.knows[-1]} %"
    cells = (
        f"✓ {knows}" if good else knows,
        _money(comparison, rival),
        percent(_share(comparison, rival)),
        number(course.prompt),
        percent(course.reuse),
        number(course.summary_calls),
        number(course.refused),
    )
    return Row(rival.name, cells, mark.icon, mark.colour, good)


def _most(comparison: Comparison) -> Rival:
    """The strategy that keeps most, of several the cheapest."""
    return max(comparison.rivals, key=lambda rival: (rival.knows[-1], -rival.cost))


def _wanted(comparison: Comparison) -> str:
    if comparison.facts:
        return f"keeps {comparison.enough} of {plural(comparison.most, 'fact')}"
    return f"sends {comparison.enough} % of the talk"


def _known(comparison: Comparison, rival: Rival) -> str:
    known = rival.knows[-1]
    return f"{known} of {plural(comparison.most, 'fact')}" if comparison.facts else f"{known} % of the talk"


def _money(comparison: Comparison, rival: Rival) -> str:
    return comparison.pricing.show(rival.cost)


def _against(comparison: Comparison, rival: Rival) -> str:
    share = f"{percent(_share(comparison, rival))} of what sending all would cost"
    cached, new = comparison.pricing.cached_input, comparison.pricing.input
    if cached is None or cached >= new:
        return f"{share}; at these prices no cache saves anything"
    return f"{share}; {percent(rival.course.reuse)} of its prompts were reused"


def _share(comparison: Comparison, rival: Rival) -> float:
    return rival.cost / comparison.everything if comparison.everything else 1.0


def _everything(comparison: Comparison) -> str:
    refused = [rival for rival in comparison.rivals if rival.course.refused]
    if not refused:
        return ""
    parts = [f"{rival.name} ({number(rival.course.refused)})" for rival in refused]
    return f" Calls refused in this window: {', '.join(parts)}."
