"""Hubs of the watch kernel for tests that do not ask what sizes were sent."""

from __future__ import annotations

from quarterdeck._kernels import metrics, watch


def build(encode: watch.Encode, decode: watch.Decode, frames_max: int, bytes_max: int) -> watch.Hub:
    return watch.Hub(encode, decode, metrics.Histogram(metrics.Buckets([1024])), frames_max, bytes_max)
