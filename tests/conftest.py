"""Settings shared by all tests: the same generated examples each time, no network-facing model, no proxy."""

import os

from hypothesis import settings

# Set before anything imports ctxkit, and inherited by every kernel and child process a test starts.
os.environ["CTXKIT_MODEL"] = "offline"

# A developer's proxy can't reach the test servers on loopback; the tests that want one set it themselves.
for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
    os.environ.pop(name, None)
    os.environ.pop(name.lower(), None)

# The same examples each time, however slow the machine: a red test is red for everyone.
settings.register_profile("ctxkit", derandomize=True, deadline=None)
settings.load_profile("ctxkit")
