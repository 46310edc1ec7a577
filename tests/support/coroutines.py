"""Lets pytest run test functions that are coroutines, on the loop that the server uses.

In a conftest.py: `from support.coroutines import pytest_pyfunc_call, runner`. Fixtures that need the loop take
`runner` and call `runner.run(...)`; the test itself runs on the same loop.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator

import pytest
import uvloop


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        yield runner


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    pyfuncitem.funcargs["runner"].run(pyfuncitem.obj(**arguments))
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if (
            isinstance(item, pytest.Function)
            and inspect.iscoroutinefunction(item.obj)
            and "runner" not in item.fixturenames
        ):
            item.fixturenames.append("runner")
