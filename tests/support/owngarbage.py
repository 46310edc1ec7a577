"""What a test collects: its own garbage, and not what a long run of tests has left alive."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def only_own_garbage() -> Iterator[None]:
    """Imported by modules whose tests collect often: a collection of all that a process of many tests holds takes half
    a second, one of what a test has made a millisecond."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
