"""What a collection walks: what a file of tests has made, and not what a long run of tests has left alive.

A process of many tests holds millions of objects. A collection of all of them takes half a second, and they come often:
by themselves, since much is made, and because tests ask for them.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest


class OwnGarbage:
    """A plugin of pytest. What is alive when the tests have been found, and at the end of each file, is walked no more:
    it goes when nothing holds it, cycles stay. Who has to see them go calls gc.unfreeze before a collection."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        gc.disable()
        try:
            return (yield)
        finally:
            gc.enable()
            gc.freeze()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
        yield
        if nextitem is None or nextitem.path != item.path:
            gc.collect()
            gc.freeze()
