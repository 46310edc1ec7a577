"""Latencies of very many requests in little memory: counts by buckets, each 2 % wider than the one before."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

_GROWTH: Final = math.log(1.02)
_LEAST_S: Final = 1e-6
_BAR_MAX: Final = 40
_ROWS_A_DECADE: Final = 4


class Histogram:
    """`counts`: by bucket; bucket b holds what takes up to 1.02^b microseconds."""

    def __init__(self, counts: Mapping[int, int] | None = None) -> None:
        self.counts: dict[int, int] = dict(counts or {})

    def add(self, latency_s: float) -> None:
        bucket = max(0, math.ceil(math.log(max(latency_s, _LEAST_S) / _LEAST_S) / _GROWTH))
        self.counts[bucket] = self.counts.get(bucket, 0) + 1

    def merge(self, other: Histogram) -> None:
        for bucket, count in other.counts.items():
            self.counts[bucket] = self.counts.get(bucket, 0) + count

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def quantile_s(self, share: float) -> float:
        """The latency that `share` of all do not exceed, within 2 %; 0 where there is none."""
        left = max(1, math.ceil(self.total * share))
        for bucket in sorted(self.counts):
            left -= self.counts[bucket]
            if left <= 0:
                return _bound_s(bucket)
        return 0.0

    def draw(self) -> list[str]:
        """Rows for a person: up to which latency, how many, a bar."""
        rows: dict[int, int] = {}
        for bucket, count in self.counts.items():
            row = math.ceil(math.log10(_bound_s(bucket)) * _ROWS_A_DECADE - 1e-9)
            rows[row] = rows.get(row, 0) + count
        if not rows:
            return []
        most = max(rows.values())
        return [
            f"  up to {10 ** (row / _ROWS_A_DECADE) * 1e3:9.3f} ms {rows.get(row, 0):9} "
            + "#" * math.ceil(rows.get(row, 0) / most * _BAR_MAX)
            for row in range(min(rows), max(rows) + 1)
        ]


def _bound_s(bucket: int) -> float:
    return _LEAST_S * math.exp(bucket * _GROWTH)
