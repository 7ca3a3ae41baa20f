"""The generator really makes every kind of history that the properties speak of."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings

from ctxkit import check
from tests.histories import head, histories, open_questions


def _codes(history):
    return {violation.code for violation in check(history)}


def _ids(history):
    return [call.id for m in history for call in m.tool_calls]


KINDS = {
    "a sound history with tools": lambda h: not check(h) and any(m.tool_calls for m in h),
    "a single call": lambda h: any(len(m.tool_calls) == 1 for m in h),
    "two calls with one id": lambda h: "duplicate_call" in _codes(h),
    "parallel calls": lambda h: any(len(m.tool_calls) > 1 for m in h),
    "an id used again": lambda h: len(set(_ids(h))) < len(_ids(h)),
    "an orphan": lambda h: "orphan_result" in _codes(h),
    "an unanswered call": lambda h: "unanswered_call" in _codes(h),
    "an unanswered call at the end": lambda h: bool(h) and bool(h[-1].tool_calls),
    "half a parallel pair": lambda h: any(
        len(m.tool_calls) > 1 and v.code == "unanswered_call" and h[v.index] is m for m in h for v in check(h)
    ),
    "a late result": lambda h: "misplaced_result" in _codes(h),
    "a duplicate result": lambda h: "duplicate_result" in _codes(h),
    "a result before its call": lambda h: "result_before_call" in _codes(h),
    "no user message": lambda h: "no_user_message" in _codes(h),
    "None content": lambda h: any(m.content is None for m in h),
    "list content": lambda h: any(isinstance(m.content, list) for m in h),
    "a system note in the middle": lambda h: any(m.role == "system" for m in h[len(head(h)) :]),
    "a developer head": lambda h: any(m.role == "developer" for m in head(h)),
    "a summary": lambda h: any(m.kind == "summary" for m in h),
    "open questions": lambda h: len(open_questions(h)) > 1,
    "an empty history": lambda h: not h,
}


def test_every_kind_is_met_more_than_once_in_the_examples_of_a_property():
    met = Counter()

    @settings(max_examples=300, database=None)
    @given(history=histories())
    def look(history):
        met.update(kind for kind, is_so in KINDS.items() if is_so(history))

    look()
    assert met.pop("an empty history") >= 1  # hypothesis makes it once
    assert {kind: met[kind] for kind in KINDS if kind in met and met[kind] < 5} == {}
    assert len(met) == len(KINDS) - 1
