"""The window lab in tests: all that it shows as data, and what a page sends it."""

from __future__ import annotations

from tests.histories import A, U


def drawn(figure):
    data = figure.to_dict()
    return [{k: v for k, v in trace.items() if k != "uid"} for trace in data["data"]], data["layout"]


def picture(lab):
    """All that a lab shows, as data."""
    panes = lab.panes
    answers = [one for one in panes.asking.page.state["answers"] if "Keep recent" not in one[1]]
    shown = panes.figures.widget.state, panes.table.widget.state, panes.code.widget.state
    return drawn(panes.chart), drawn(panes.bar), shown, answers, lab.status


def long_talk(messages=260):
    return [U(f"Question {i}?") if i % 2 == 0 else A(f"Answer {i}. " * 8) for i in range(messages)]


def pasted(lab, text):
    lab.loading.text.value = text
    lab.loading.paste.click()


def enter(part, text):
    """What a page sends when Enter is pressed in the box of a part, with this text in it."""
    part.enter._handle_custom_msg({"text": text}, [])
