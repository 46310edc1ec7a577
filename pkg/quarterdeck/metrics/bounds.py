"""Bounds of histograms that several parts share. Source: prometheus/client_golang (DefBuckets); the `metrics.go` beside
each of upstream's packages."""

from __future__ import annotations

from typing import Final

DEFAULT: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
# 1 ms to 16 s, each twice the one before it.
DOUBLING_S: Final = tuple(0.001 * 2**power for power in range(15))
# Of requests, and of what they ask of etcd.
REQUESTS_S: Final = (
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
)  # fmt: skip
