"""What a view says in words: the status sentence, and the figures on the cards.

Contract: equal views give equal words. Estimates are marked by "≈"; money by example prices says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ctxkit.economy import Course, Pricing
from ctxkit.recall import Quiz
from ctxkit.tokens import TokenCounter
from ctxkit.transforms import Outcome
from ctxkit.widgets.escape import short
from ctxkit.widgets.labs.replayed import shortfall
from ctxkit.widgets.labs.window.choices import choice
from ctxkit.widgets.labs.window.work import View
from ctxkit.widgets.palette import number, percent, plural
from ctxkit.widgets.status import Kind

MINUS, NOTHING = "\u2212", "\u2014"
"""A minus sign as wide as a plus, and what stands where there is no figure."""


@dataclass(frozen=True)
class Said:
    """A status sentence: its kind, the verdict, the facts."""

    kind: Kind
    verdict: str
    facts: str


@dataclass(frozen=True)
class Card:
    """A key figure: what it is of, the figure, what it is measured by, and a word more."""

    label: str
    figure: str
    note: str
    more: str = ""

    def __str__(self) -> str:
        more = f" ({self.more})" if self.more else ""
        return f"{self.label}: {self.figure} {self.note}{more}"


def status(view: View) -> Said:
    """How things stand at a view."""
    made = view.now.made
    if not isinstance(made, Outcome):
        return Said("over", "Cannot fit.", f"{shortfall(made)} Nothing is sent.{_so_far(view)}")
    facts = f"{_became(view, made)}: {_tokens(view)}."
    if made.error is not None:
        what = short(str(made.error)).rstrip(".")
        return Said("over", "No summary.", f"It failed: {what}. {facts}{_so_far(view)}")
    if not view.now.fits:
        reserve = view.setting.window.reserve
        held = f", of which {number(reserve)} are kept for the reply," if reserve else ""
        return Said("over", "Too long.", f"{facts} The window{held} cannot hold it: the call is refused.")
    nearly = view.now.call.total >= view.setting.window.warn_at * view.limit
    facts += f"{_so_far(view)}{_cached(view)}"
    return Said("nearly", "Nearly full.", facts) if nearly else Said("ok", "Fits.", facts)


def _became(view: View, made: Outcome) -> str:
    upto, sent = view.now.upto, len(made.messages)
    actions = Counter(decision.action for decision in made.decisions)
    summaries = sum(message.kind == "summary" for message in made.messages)
    shortened = actions["shortened"]
    if summaries:
        parts = f" ({plural(summaries, 'summary').replace('summarys', 'summaries')}"
        parts += f" + {number(sent - summaries)} recent"
        parts += f", {number(shortened)} of them shortened)" if shortened else ")"
        return f"{plural(upto, 'message')} became {number(sent)}{parts}"
    words = f"{number(shortened)} of them shortened" if shortened else ""
    left_out = upto - sum(source is not None for source in made.sources)
    if left_out:
        return f"{plural(upto, 'message')} became {number(sent)}{f', {words}' if words else ''}"
    is_sent = ("is" if upto == 1 else "are") if view.now.fits else "would be"
    everything = "The message" if upto == 1 else f"All {plural(upto, 'message')}"
    return f"{everything} {is_sent} sent{f', {words}' if words else ''}"


def _tokens(view: View) -> str:
    call, whole = view.now.call, view.everything[-1].call.total
    mark = "" if call.exact else "≈ "
    change = "" if call.total == whole else f"{number(whole)} → "
    share = f"{percent(call.total / view.limit)} of the {number(view.limit)}-token window"
    return f"{mark}{change}{plural(call.total, 'token')}, {share}"


def _so_far(view: View) -> str:
    calls = sum(turn.summary_calls for turn in view.turns)
    return f" {plural(calls, 'summary call')} so far." if calls else ""


def _cached(view: View) -> str:
    now = view.now
    if len(view.turns) == 1:
        return ""
    return f" {percent(now.cached / now.prompt)} of this prompt was already cached." if now.prompt else ""


def cards(view: View, pricing: Pricing, quiz: Quiz | None) -> list[Card]:
    """The four key figures."""
    return [_prompt(view), _cost(view, pricing), _reused(view.course), _known(view, quiz)]


def _prompt(view: View) -> Card:
    now, window = view.now, view.setting.window
    note = f"of {number(window.budget)} tokens"
    if window.reserve:
        note += f", {number(window.limit)} less {number(window.reserve)} for the reply"
    if not isinstance(now.made, Outcome):
        return Card("Prompt now", "nothing", note, "what must be sent is too long")
    mark = "" if now.call.exact else "≈ "
    free = window.budget - now.call.total
    more = f"{number(free)} free" if free >= 0 else f"{number(-free)} too many: refused"
    return Card("Prompt now", f"{mark}{number(now.call.total)}", note, more)


def _cost(view: View, pricing: Pricing) -> Card:
    whole = view.now.upto == view.messages
    label, note = "Whole chat cost" if whole else "Chat cost so far", "against sending everything"
    course, everything = view.course, view.course_of_everything
    mine, all_sent = course.money, everything.money
    if mine is None or not all_sent:
        return Card(label, NOTHING, note, "no call yet" if not course.turns else "nothing costs anything")
    refused = course.refused
    if refused == len(course.turns):
        return Card(label, NOTHING, note, "every call was refused")
    prices = "example prices" if pricing.example else "your prices"
    setting = view.setting
    if not choice(setting.strategy).stages(setting.values, setting.window):  # it is what is compared with
        return Card(label, pricing.show(mine), _refusals(refused) or "for sending everything", prices)
    more = _refusals(refused) or f"{pricing.show(mine)}, not {pricing.show(all_sent)} ({prices})"
    too_long = sum(turn.call.total > setting.window.budget for turn in everything.turns)
    if too_long:
        more += f"; sending everything, {plural(too_long, 'call')} would be too long"
    return Card(label, _change(mine / all_sent - 1), note, more)


def _refusals(calls: int) -> str:
    """What became of calls that were refused.

    >>> _refusals(1), _refusals(0)
    ('1 call was refused and cost nothing', '')
    """
    were = "was" if calls == 1 else "were"
    return f"{plural(calls, 'call')} {were} refused and cost nothing" if calls else ""


def _change(share: float) -> str:
    """A change in whole per cent, with its sign.

    >>> _change(-0.583) == f"{MINUS}58 %", _change(0.12), _change(0.001)
    (True, '+12 %', '±0 %')
    """
    whole = round(100 * share)
    return f"{MINUS if whole < 0 else '+' if whole else '±'}{number(abs(whole))} %"


def _reused(course: Course) -> Card:
    label, note = "Prompt reused", "read again from the cache"
    if not course.prompt:
        return Card(label, NOTHING, note, "no call yet")
    more = f"{number(course.cached)} of {plural(course.prompt, 'token')}"
    return Card(label, percent(course.reuse), note, more)


def _known(view: View, quiz: Quiz | None) -> Card:
    label = "Facts still answerable"
    if quiz is None or not len(quiz):
        return Card(label, NOTHING, "no quiz for this conversation")
    now = view.now
    lost = [fact for fact, known in zip(quiz, now.known, strict=True) if known is False]
    if not now.told:
        return Card(label, NOTHING, f"none of {number(len(quiz))} told yet")
    note = f"{number(len(lost))} lost" if lost else "none lost"
    more = f"“{short(lost[0].question, 60)}”" if lost else ""
    return Card(label, f"{number(now.facts)} / {number(now.told)}", note, more)


def counted_by(counter: TokenCounter) -> str:
    """What the numbers are counted with.

    >>> counted_by(TokenCounter("llama3.2"))
    'counts by cl100k_base, an estimate'
    """
    name = getattr(counter, "encoding", type(counter).__name__)
    return f"counts by {name}{'' if counter.exact else ', an estimate'}"
