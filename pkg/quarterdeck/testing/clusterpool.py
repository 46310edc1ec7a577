"""Clusters that are made before they are asked for, and end after they are given back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from quarterdeck.testing.cluster import Cluster
from quarterdeck.testing.controlplane import ControlPlane

T = TypeVar("T")
_ENDING_MAX = 2


class ClusterPool(Generic[T]):
    """One that `make` has made waits for the next who takes one: it is made beside the test before. `end` ends one."""

    def __init__(self, make: Callable[[], T], end: Callable[[T], object]) -> None:
        self._make = make
        self._end = end
        self._making = ThreadPoolExecutor(1, "next cluster")
        self._ending = ThreadPoolExecutor(_ENDING_MAX, "last cluster")
        self._spare: Future[T] | None = None

    @contextlib.contextmanager
    def borrowed(self) -> Iterator[T]:
        """Raises what `make` raises."""
        taken, self._spare = self._spare or self._making.submit(self._make), None
        found = taken.result()
        self._spare = self._making.submit(self._make)
        try:
            yield found
        finally:
            self._ending.submit(self._end, found)

    def close(self) -> None:
        spare, self._spare = self._spare, None
        self._making.shutdown()
        if spare is not None and spare.exception() is None:
            self._end(spare.result())
        self._ending.shutdown()


def of_clusters(pattern: Cluster) -> ClusterPool[Cluster]:
    """Each is a fork of it."""
    return ClusterPool(pattern.fork, Cluster.delete)


def of_processes(flags: Sequence[str], sources: Sequence[str]) -> ClusterPool[ControlPlane]:
    """Each has a store of its own, which holds `sources`."""

    def make() -> ControlPlane:
        plane = ControlPlane(*flags)
        plane.begin()
        try:
            plane.wait()
            plane.apply(*sources)
        except BaseException:
            plane.stop()
            raise
        return plane

    return ClusterPool(make, ControlPlane.stop)
