"""`Running`: a conversation under one strategy, worked out as far as it was asked for.

Contract: every turn is worked out once and kept, so that stepping back and forth costs nothing, and a
simulation and a lab show the same figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ctxkit.economy.metered import Metered
from ctxkit.economy.pricing import Pricing
from ctxkit.economy.simulation import Turn
from ctxkit.economy.strategy import Strategy
from ctxkit.messages import Message
from ctxkit.models.base import ChatModel
from ctxkit.recall import Finding, Recall
from ctxkit.replay import Ledger, Made, Replayed, Step
from ctxkit.replay.replayed import LOOKS, without_messages
from ctxkit.tokens.reuse import prefix_reuse
from ctxkit.transforms import Outcome, Pipeline, SummaryCache
from ctxkit.transforms.handover import Prefix
from ctxkit.window import ContextWindow

Spent = tuple[int, int, int]
"""Calls, prompt tokens and reply tokens of summaries."""


class Running:
    """The turns of a conversation under a strategy.

    ledger: the conversation. points: ends of its calls. recall: what is asked at each turn (None: nothing).
    tools: schemas that every call carries. lean: of turns but the newest keep the figures and not what was
    sent (their `made` is then without messages); that of `upto`'s last turn is always whole.
    """

    def __init__(
        self,
        strategy: Strategy,
        ledger: Ledger,
        points: Sequence[int],
        window: ContextWindow,
        pricing: Pricing | None = None,
        recall: Recall | None = None,
        tools: Sequence[Any] = (),
        *,
        lean: bool = False,
    ) -> None:
        self._lean = lean
        self._strategy, self._ledger, self._window = strategy, ledger, strategy.window(window)
        self._pricing, self._recall = pricing, recall
        self._meters: list[Metered] = []
        self._replayed = Replayed(ledger, points, self._fresh, tools, lean=lean)
        self._turns: list[Turn] = []
        self._read: list[int | None] = [None]  # entry i: of the first i turns, the last that was not refused
        self._costs: dict[int, Spent] = {}
        self._looks: dict[int, Turn] = {}

    async def turn(self, place: int) -> Turn:
        """The turn of one of the calls, the first of them being 0."""
        while len(self._turns) <= place:
            next_one, before = len(self._turns), self._spent()
            step = await self._replayed.step(next_one)
            # Kept at once: if asking for facts is stopped, the summaries of this call were paid all the same.
            self._costs.setdefault(next_one, self._since(before))
            self._turns.append(await self._turn(step, self._costs[next_one], next_one))
            self._read.append(next_one if self._turns[-1].fits else self._read[-1])
            if self._lean and len(self._turns) > 1:
                self._turns[-2] = replace(self._turns[-2], made=without_messages(self._turns[-2].made))
        return self._turns[place]

    async def upto(self, end: int) -> list[Turn]:
        """The turns before `end`, and what a call at `end` would be."""
        calls = self._replayed.calls_before(end)
        if self._replayed.is_call(end):
            turn = await self.turn(calls)
            return [*self._turns[:calls], replace(turn, made=await self._whole(turn))]
        if calls:
            await self.turn(calls - 1)
        if end not in self._looks:
            before = self._spent()
            step = await self._replayed.look(end)
            self._looks[end] = await self._turn(step, self._since(before), calls)
            if self._lean and len(self._looks) > LOOKS:
                del self._looks[next(iter(self._looks))]
        return [*self._turns[:calls], self._looks[end]]

    async def _turn(self, step: Step, cost: Spent, place: int) -> Turn:
        history, counter = self._ledger.messages, self._ledger.counter
        calls, prompt, answer = cost
        call, end = step.call, step.call.upto
        fits = isinstance(step.made, Outcome) and call.total <= self._window.budget
        sent = step.made.sent if isinstance(step.made, Outcome) and fits else []
        cached = self._reused(await self._sent_before(place), sent)
        replies = fits and end < len(history) and history[end].role == "assistant"
        reply = counter.count(history[end]) if replies else 0
        found = await self._found(step.made, end, fits)
        known = tuple(finding.known for finding in found)
        measured = self._recall is not None and self._recall.measures
        likely = tuple(finding.probability for finding in found) if measured else ()
        turn = Turn(call, step.made, fits, cached, reply, calls, prompt, answer, None, known, likely)
        return turn if self._pricing is None else replace(turn, money=turn.cost(self._pricing))

    def _reused(self, before: Sequence[Message], sent: Sequence[Message]) -> int:
        """`prefix_reuse`; by running sums where both are known to begin alike, as long prompts do."""
        ledger, shared, known = self._ledger, min(len(before), len(sent)), 0
        if isinstance(before, Prefix) and isinstance(sent, Prefix):
            known = min(shared, sent.timeline.shared_with(before.timeline))
            tokens = self._replayed.sums.of(sent.timeline, known).total(known)
        elif before[:shared] == sent[:shared] == ledger.messages[:shared]:
            return ledger.total(shared) - ledger.total(0)
        else:
            tokens = 0
        if known == shared:
            return tokens
        return tokens + prefix_reuse(before[known:], sent[known:], ledger.counter)

    async def _sent_before(self, place: int) -> Sequence[Message]:
        """The prompt that the server read last: that of the last call that it did not refuse."""
        turn = self._read[place]
        if turn is None:
            return ()
        made = await self._whole(self._turns[turn])
        return made.sent if isinstance(made, Outcome) else ()

    async def _whole(self, turn: Turn) -> Made:
        """What was made for a turn, its messages included."""
        made = turn.made
        if not self._lean or not isinstance(made, Outcome) or made.sent:
            return made
        again = (await self._replayed.look(turn.upto)).made
        if not isinstance(again, Outcome):
            return again
        return replace(again, model_calls=made.model_calls, cache_hits=made.cache_hits, error=made.error)

    async def _found(self, made: Made, end: int, fits: bool) -> Sequence[Finding]:
        if self._recall is None:
            return ()
        if isinstance(made, Outcome) and fits:
            return await self._recall.at(end, made.sent, made.sources)
        return self._recall.refused(end)

    def _fresh(self, cache: SummaryCache) -> Pipeline:
        return self._strategy.fresh(self._ledger.counter, cache, self._metered)

    def _metered(self, model: ChatModel) -> ChatModel:
        self._meters.append(Metered(model, self._ledger.counter))
        return self._meters[-1]

    def _since(self, before: Spent) -> Spent:
        calls, prompt, answer = self._spent()
        return calls - before[0], prompt - before[1], answer - before[2]

    def _spent(self) -> Spent:
        """What all summaries took so far."""
        meters = self._meters
        return (
            sum(meter.calls for meter in meters),
            sum(meter.prompt_tokens for meter in meters),
            sum(meter.completion_tokens for meter in meters),
        )
