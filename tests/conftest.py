"""Settings shared by all tests: the same generated examples in every run, and no network-facing model."""

import os

from hypothesis import settings

# Set before anything imports ctxkit, and inherited by every kernel and child process a test starts.
os.environ["CTXKIT_MODEL"] = "offline"

# The same examples each time, however slow the machine: a red test is red for everyone.
settings.register_profile("ctxkit", derandomize=True, deadline=None)
settings.load_profile("ctxkit")
