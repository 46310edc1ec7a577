"""What a test collects: its own garbage, and not what a long run of tests has left alive."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def set_aside() -> Iterator[None]:
    """No collection walks through what lives now, until the end."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@pytest.fixture(scope="module", autouse=True)
def only_own_garbage() -> Iterator[None]:
    """Imported by modules whose tests collect often: a collection of all that a process of many tests holds takes half
    a second, one of what a test has made a millisecond."""
    with set_aside():
        yield
