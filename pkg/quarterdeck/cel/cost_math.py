"""Sizes, costs and their arithmetic: what the static estimate computes with.

Sizes are (least, most); costs are only the most, since no limit looks at the least. Everything saturates at 2^64-1, and
factors are applied in float64 as upstream does, rounding included: the results decide which rules a server accepts.
Source: cel-go's checker/cost.go and common/cost.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

COST_MAX: Final = (1 << 64) - 1
Size = tuple[int, int]
UNKNOWN: Final[Size] = (0, COST_MAX)

# What the data may hold at a path, or None where nothing is known.
SizeEstimator = Callable[[tuple[str, ...]], Size | None]

STRING_FACTOR: Final = 0.1
REGEX_FACTOR: Final = 0.25
LIST_COST: Final = 10
MAP_COST: Final = 30
STRUCT_COST: Final = 40
CHECK_COST: Final = 350_000  # two authorization checks an expression are meant to be possible
FORMAT_REGEX_SIZE_MAX: Final = 128
FORMAT_SIZE_MAX: Final = 64


def add(a: int, b: int) -> int:
    total = a + b
    return total if total < COST_MAX else COST_MAX


def multiply(a: int, b: int) -> int:
    product = a * b
    return product if product < COST_MAX else COST_MAX


def by_factor(size: int, factor: float) -> int:
    product = math.ceil(float(size) * factor) if factor < math.inf else COST_MAX
    return product if product < COST_MAX else COST_MAX


def add_sizes(a: Size, b: Size) -> Size:
    return add(a[0], b[0]), add(a[1], b[1])


def union(a: Size, b: Size) -> Size:
    return min(a[0], b[0]), max(a[1], b[1])
