"""Benchmarks in a group are compared with the group's floor: the one with `floor` in its name."""

from __future__ import annotations

from typing import Any

import pytest


def group(name: str) -> Any:
    return pytest.mark.benchmark(group=name)
