"""Tests here may be coroutines, and may have a disk that fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.coroutines import pytest_collection_modifyitems, pytest_pyfunc_call, runner
from support.faultvfs import FaultVFS, Trace

__all__ = ["pytest_collection_modifyitems", "pytest_pyfunc_call", "runner"]


@pytest.fixture
def trace() -> Iterator[Trace]:
    """Of what is written through the VFS `fault`; through `calm` nothing fails and nothing is noted."""
    trace = Trace()
    vfs, calm = FaultVFS("fault", trace), FaultVFS("calm", Trace(is_recording=False))
    yield trace
    vfs.unregister()
    calm.unregister()
