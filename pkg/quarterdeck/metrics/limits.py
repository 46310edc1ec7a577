"""What of the metrics is shown: names that are left out, and the values that labels may have.

A value that is not among them is shown as "unexpected", and all that was counted under such values is shown as one. The
values are told apart until somebody asks for them, so that nobody who counts pays for it.

Differs from upstream: gauges of such values are added up, where upstream shows the one that was set last.

Source: component-base/metrics/{options,opts}.go (MetricLabelAllowList).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from quarterdeck._kernels import metrics as kernel

UNEXPECTED: Final = "unexpected"

LabelValues = tuple[str, ...]
Value = float | kernel.Counter | kernel.Gauge | kernel.Histogram


class Summed:
    """Several histograms of the same buckets as one."""

    def __init__(self, parts: Sequence[kernel.Histogram]) -> None:
        self.bounds = parts[0].bounds
        self.sum = sum(part.sum for part in parts)
        self._parts = parts

    def cumulate(self) -> list[int]:
        return [sum(counts) for counts in zip(*(part.cumulate() for part in self._parts), strict=True)]


@dataclass(frozen=True, slots=True)
class Limits:
    """`allowed`: by the name of a metric and that of a label, the values that it may have."""

    disabled: frozenset[str] = frozenset()
    allowed: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)

    def apply(
        self, name: str, label_names: LabelValues, children: Iterable[tuple[LabelValues, Value]]
    ) -> Iterable[tuple[LabelValues, Value | Summed]]:
        """The children of a metric as they are shown."""
        if name not in self.allowed:
            return children
        shown: dict[LabelValues, list[Value]] = {}
        for values, value in children:
            shown.setdefault(self._constrain(name, label_names, values), []).append(value)
        return [(values, _add(parts)) for values, parts in shown.items()]

    def count_unexpected(
        self, name: str, label_names: LabelValues, children: Iterable[tuple[LabelValues, Value]]
    ) -> float:
        """How often a value was counted that is not shown. What has been set, and not counted, is one each."""
        found = 0.0
        for values, value in children:
            labels = self._constrain(name, label_names, values)
            changed = sum(before != after for before, after in zip(values, labels, strict=True))
            found += changed * _times(value)
        return found

    def _constrain(self, name: str, label_names: LabelValues, values: LabelValues) -> LabelValues:
        allowed = self.allowed[name]
        return tuple(
            UNEXPECTED if label in allowed and value not in allowed[label] else value
            for label, value in zip(label_names, values, strict=True)
        )


ALL_SHOWN: Final = Limits()


def _add(parts: list[Value]) -> Value | Summed:
    if len(parts) == 1:
        return parts[0]
    histograms = [part for part in parts if isinstance(part, kernel.Histogram)]
    return Summed(histograms) if histograms else sum(_number(part) for part in parts)


def _times(value: Value) -> float:
    if isinstance(value, kernel.Histogram):
        return value.count
    return value.value if isinstance(value, kernel.Counter) else 1


def _number(value: Value) -> float:
    if isinstance(value, kernel.Histogram):
        return value.sum
    return value if isinstance(value, (int, float)) else value.value
