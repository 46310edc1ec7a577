"""Mutated credentials are refused, and never more than that; tests/fuzz/fuzz_credentials.py tries many more."""

from __future__ import annotations

from fuzz import fuzz_credentials


def test_mutated_credentials_are_refused() -> None:
    assert fuzz_credentials.run(seed=7, count=600) == 600
