"""Tests here may be coroutines, and none sees what another one's request has written down empty."""

import pytest

from quarterdeck.registry.builtin import written
from support.coroutines import pytest_collection_modifyitems, pytest_pyfunc_call, runner

__all__ = ["pytest_collection_modifyitems", "pytest_pyfunc_call", "runner"]


@pytest.fixture(autouse=True)
def _no_request_before() -> None:
    written.note({})
