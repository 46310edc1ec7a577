"""Tests here may be coroutines, on a loop whose clock only sleeps move."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from support import virtual_time
from support.coroutines import pytest_collection_modifyitems, pytest_pyfunc_call

__all__ = ["pytest_collection_modifyitems", "pytest_pyfunc_call"]


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with virtual_time.new_runner() as runner:
        yield runner
