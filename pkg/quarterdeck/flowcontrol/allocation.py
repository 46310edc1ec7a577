"""Divides seats among classes: each gets the same multiple of its target, but not less or more than its bounds.

The multiple is found by walking through the bounds in rising order: between two of them the sum grows linearly, with
the targets of those classes that are at no bound.

Source: apiserver/pkg/util/flowcontrol/conc_alloc.go (computeConcurrencyAllocation).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

_TARGET_MIN: Final = 0.001  # so that nothing is divided by 0
_EPSILON: Final = 1e-7


class Class(NamedTuple):
    """0 ≤ low ≤ target, low ≤ high."""

    target: float
    low: float
    high: float


class Allocation(NamedTuple):
    seats: list[float]
    fraction: float
    """The multiple."""


def allocate(total: int, classes: Sequence[Class]) -> Allocation:
    """Seats that sum to `total`. Raises ValueError where the bounds do not allow that."""
    targets = [max(each.target, _TARGET_MIN) for each in classes]
    lows, highs = sum(each.low for each in classes), sum(each.high for each in classes)
    if lows - total > _EPSILON:
        raise ValueError(f"the lower bounds sum to {lows}, which is more than {total}")
    if total - highs > _EPSILON:
        raise ValueError(f"the upper bounds sum to {highs}, which is less than {total}")
    if total == 0:
        return Allocation([0.0] * len(classes), 0.0)
    least = min(each.low / target for each, target in zip(classes, targets, strict=True))
    if total - lows < _EPSILON:
        return Allocation([each.low for each in classes], least)
    if highs - total < _EPSILON:
        most = max(each.high / target for each, target in zip(classes, targets, strict=True))
        return Allocation([each.high for each in classes], most)
    fraction = _find_fraction(total, lows, classes, targets)
    shares = [
        max(each.low, min(each.high, fraction * target)) for each, target in zip(classes, targets, strict=True)
    ]  # fmt: skip
    return Allocation(shares, fraction)


def _find_fraction(total: float, lows: float, classes: Sequence[Class], targets: Sequence[float]) -> float:
    """A class begins to grow where the multiple passes its lower bound, and stops at its upper one."""
    steps: list[tuple[float, float]] = []
    for each, target in zip(classes, targets, strict=True):
        steps.append((each.low / target, target))
        steps.append((each.high / target, -target))
    steps.sort(key=lambda step: step[0])
    fraction, reached, growing = steps[0][0], lows, 0.0
    for bound, change in steps:
        grown = (bound - fraction) * growing
        if growing > 0 and reached + grown >= total:
            return fraction + (total - reached) / growing
        reached += grown
        fraction = bound
        growing = max(growing + change, 0.0)
    return fraction
