"""The embedded model where it is installed."""

from __future__ import annotations

import os

import pytest

from ctxkit import EmbeddedModel
from ctxkit.models.embedded import embedded_available


@pytest.fixture(scope="session")
def available():
    found = embedded_available()
    if not found:
        if os.environ.get("CI") == "true":
            pytest.fail(found.reason)
        pytest.skip(found.reason)


@pytest.fixture(scope="session")
def model(available):
    return EmbeddedModel(num_ctx=1024)
