"""The process as Prometheus' client libraries describe it: process_*, and Python's garbage collector.

Source of the names: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics. Where there is no
/proc only what the interpreter knows is told.
"""

from __future__ import annotations

import gc
import os
import resource
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from quarterdeck.metrics.registry import LabelValues, Read, Registry, read_one

_PROC: Final = Path("/proc/self")


def register(registry: Registry) -> None:
    register_start(registry)
    registry.read_counter(
        "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", read_one(time.process_time)
    )
    registry.read_gauge("process_max_fds", "Maximum number of open file descriptors.", read_one(_read_files_limit))
    registry.read_counter(
        "python_gc_collections_total",
        "Number of times each generation of Python's garbage collector was collected.",
        _read_collections,
        ("generation",),
    )
    if (_PROC / "stat").exists():
        registry.read_gauge(
            "process_open_fds",
            "Number of open file descriptors.",
            read_one(lambda: sum(1 for _ in (_PROC / "fd").iterdir())),
        )
        registry.read_gauge("process_resident_memory_bytes", "Resident memory size in bytes.", _read_pages(column=1))
        registry.read_gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", _read_pages(column=0))


def register_start(registry: Registry, stability: str = "") -> None:
    """When the process began. `stability`: what the help says first (component-base/metrics/processstarttime.go)."""
    if (_PROC / "stat").exists():
        text = f"{stability}Start time of the process since unix epoch in seconds."
        registry.read_gauge("process_start_time_seconds", text, read_one(read_start_time_s))


def _read_files_limit() -> float:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return float("inf") if soft == resource.RLIM_INFINITY else soft


def _read_collections() -> Iterable[tuple[LabelValues, float]]:
    return [((str(generation),), stats["collections"]) for generation, stats in enumerate(gc.get_stats())]


def _read_pages(column: int) -> Read:
    page_bytes = os.sysconf("SC_PAGE_SIZE")
    return read_one(lambda: int((_PROC / "statm").read_bytes().split()[column]) * page_bytes)


def read_start_time_s() -> float:
    """When this process began, in seconds since the epoch."""
    ticks = int((_PROC / "stat").read_bytes().rpartition(b")")[2].split()[19])
    age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return round(time.time() - age_s, 2)
