"""What a conversation costs under a strategy, and what of it the model still knows.

Read in this order: `pricing` (money; what a server reads again from its cache is in `ctxkit.tokens.reuse`),
`strategy` (named transforms, made fresh for each run), `usual` (those that one would try first), `metered`
(what a summariser was sent), `simulation` (the figures, call by call), `running` (how they come about),
`simulate` (all strategies side by side).
"""

from ctxkit.economy.pricing import Pricing
from ctxkit.economy.simulate import simulate
from ctxkit.economy.simulation import Course, Simulation, Turn
from ctxkit.economy.strategy import Strategy, ollama_alone, send_everything
from ctxkit.economy.usual import usual_strategies
from ctxkit.tokens.reuse import prefix_reuse

__all__ = [
    "Course",
    "Pricing",
    "Simulation",
    "Strategy",
    "Turn",
    "ollama_alone",
    "prefix_reuse",
    "send_everything",
    "simulate",
    "usual_strategies",
]
