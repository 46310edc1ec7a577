"""Tests here may be coroutines."""

from support.coroutines import pytest_collection_modifyitems, pytest_pyfunc_call, runner

__all__ = ["pytest_collection_modifyitems", "pytest_pyfunc_call", "runner"]
