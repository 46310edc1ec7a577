"""What the tests of the watch cache have in common: a cache over a store in memory, objects, and clients."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from support import virtual_time
from support.coroutines import pytest_collection_modifyitems, pytest_pyfunc_call, runner
from support.watch_client import Harness

__all__ = ["pytest_collection_modifyitems", "pytest_pyfunc_call", "runner"]

Body = Callable[[Harness], Coroutine[Any, Any, None]]


@pytest.fixture
def run() -> Callable[[Body], None]:
    """Runs a coroutine function with a started harness, on a clock of its own, and closes it."""

    def run_body(body: Body) -> None:
        async def main() -> None:
            harness = await Harness.start()
            try:
                await body(harness)
            finally:
                await harness.cacher.close()

        virtual_time.run(main())

    return run_body
