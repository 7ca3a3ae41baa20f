"""The contract of transforms (C1-C5, C7, C9) as checks for any function from messages to messages."""

from __future__ import annotations

import json

from ctxkit import BudgetImpossible, TokenCounter, repair, run
from tests.histories import head, last_group, open_questions, valid_faults


def check_valid(before, after):
    """C1: what is sent is valid, and holds a user message where there was one."""
    assert valid_faults(after) == []
    if any(m.role == "user" for m in before):
        assert any(m.role == "user" for m in after)


def check_protected(before, after, as_little_as_possible=False):
    """C3: head, open questions and the last group are there, as the same objects, in their places."""
    before = repair(before)
    if not before:
        assert after == []
        return
    leading, asked, last = head(before), open_questions(before), last_group(before)
    assert _same(after[: len(leading)], leading)
    assert not asked or _same(after[-len(asked) :], asked)
    summaries = [m for m in before if m.kind == "summary"]
    assert [m for m in after if m.kind == "summary"] == summaries
    if len(leading) < len(before) and not (as_little_as_possible and before[-1].role == "assistant"):
        assert len(after) >= len(last)
        assert all(x is y or y.role == "tool" for x, y in zip(after[-len(last) :], last, strict=True))


def check_window(before, after):
    """C3: what is sent is the head, summaries, at most one user message from before, and an unbroken end."""
    before = repair(before)
    end = 0
    while end < min(len(before), len(after)) and before[-1 - end] is after[-1 - end]:
        end += 1
    window, extra = after[len(after) - end :], after[len(head(before)) : len(after) - end]
    lone = [m for m in extra if m.kind != "summary"]
    assert len(lone) <= 1
    if lone:
        earlier = [m for m in before[: len(before) - end] if m.role == "user" and m.kind != "summary"]
        assert lone[0] is earlier[-1]
        assert not any(m.role == "user" for m in window)


def check_pure(before, after):
    """C4: kept messages are the same objects in the same order."""
    objects = {id(m) for m in repair(before)}
    rest = iter(repair(before))
    assert all(any(m is other for other in rest) for m in after if id(m) in objects)


def check_explained(transform, before, outcome, counter):
    """C9: one decision a message, in order, with its cost; the plan says the same."""
    decisions = outcome.decisions
    assert [d.index for d in decisions] == list(range(len(before)))
    assert [d.tokens for d in decisions] == [counter.count(m) for m in before]
    assert transform.plan(before) == decisions
    sent = [source for source in outcome.sources if source is not None]
    assert [d.index for d in decisions if d.action in ("kept", "cleared")] == [
        i for i in sorted(sent) if decisions[i].action != "repaired"
    ]
    assert all(d.index not in sent for d in decisions if d.action == "dropped")
    assert all(d.reason for d in decisions)


def check_budget(before, apply, budget, counter, tools=()):
    """C2: within the budget when counted again, or the error names the smallest set that must be sent."""
    whole = repair(before)
    try:
        after = run(apply(before, tools=tools)).messages
    except BudgetImpossible as error:
        must = smallest_set(whole)
        assert error.budget == budget < error.tokens
        assert error.tokens == counter.count_all([whole[i] for i in must], tools)
        if before == whole:
            assert error.required == must
        return
    if after:
        assert counter.count_all(after, tools) <= budget


def smallest_set(history):
    """Indexes of what must be sent of a sound history: head, summaries, the end, and someone who asks."""
    size = len(history)
    end = range(size - max(len(open_questions(history)), len(last_group(history))), size)
    must = {*range(len(head(history))), *end, *(i for i, m in enumerate(history) if m.kind == "summary")}
    if not any(history[i].role == "user" for i in must):
        must |= set([i for i, m in enumerate(history) if m.role == "user"][-1:])
    return sorted(must)


def texts_of(message):
    """The texts of a message that a counter has to tokenise."""
    content = message.content if isinstance(message.content, list) else [message.content or ""]
    texts = [part if isinstance(part, str) else part.get("text", "") for part in content]
    texts.append(message.name or "")
    for call in message.tool_calls:
        texts += [call.name, json.dumps(call.arguments, sort_keys=True, separators=(",", ":"))]
    return [text for text in texts if text]


class CountingCounter(TokenCounter):
    """Counts words, and remembers every text it was asked to count."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def count_text(self, text):
        self.asked.append(text)
        return len(text.split())


def _same(left, right):
    return len(left) == len(right) and all(x is y for x, y in zip(left, right, strict=True))
