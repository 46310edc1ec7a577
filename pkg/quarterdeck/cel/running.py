"""Runs planned expressions."""

from __future__ import annotations

from typing import Any

from quarterdeck._kernels import celeval
from quarterdeck.cel import recursion


def run(kernel: celeval.Program, values: list[Any], cost_limit: int) -> tuple[Any, int]:
    """kernel.run(), with room where data nests so deeply that Python objects to showing or comparing it."""
    try:
        return kernel.run(values, cost_limit)
    except RecursionError:
        return recursion.with_room(lambda: kernel.run(values, cost_limit))
