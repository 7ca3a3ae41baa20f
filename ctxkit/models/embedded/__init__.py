"""A real language model inside Python, with no server and no network: 135 million parameters, 127 MB.

Optional (`make embedded`). Read in this order: `files` (where its parts are), `llama` (llama.cpp, opened
with all that must not vary), `trial` (does it run on this machine? tried in a child process), `worker`
(requests off the event loop, with a stop), `spelling` (how likely a word is, piece by piece), `probe` (what
comes next), `model` (`EmbeddedModel`).
"""

from ctxkit.models.embedded.files import EmbeddedUnavailable
from ctxkit.models.embedded.model import EmbeddedModel
from ctxkit.models.embedded.probe import Probe
from ctxkit.models.embedded.trial import Availability, embedded_available

__all__ = ["Availability", "EmbeddedModel", "EmbeddedUnavailable", "Probe", "embedded_available"]
