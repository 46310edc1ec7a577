"""All logical clusters of a process: made, forked, restored, put to rest and ended; within bounds.

A new cluster is a fork of a template, a server's state once it has made all that every server makes. At most so many
clusters are awake at once; when another one wakes, the one rests that was used longest ago and that nobody would miss.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from quarterdeck.apimachinery import errors, names
from quarterdeck.server.clusters import clusterclock
from quarterdeck.server.clusters.cluster import Build, Cluster, Server
from quarterdeck.server.clusters.template import Templates
from quarterdeck.server.config import LogicalClusters, VirtualClockSettings
from quarterdeck.server.gcschedule import LostCycles
from quarterdeck.storage.memory import State

CLUSTERS: Final = "logicalclusters"
SNAPSHOTS: Final = "logicalclustersnapshots"
_RETRY_S: Final = 1
_PAGE_MIB: Final = os.sysconf("SC_PAGE_SIZE") / (1 << 20)


class Clusters:
    """`build` makes a cluster's server, `forget` removes what is left of one, `clock` is that of new clusters. Begins
    and ends with the process's own server (reload.Watch). Every method that changes something raises APIStatus."""

    def __init__(
        self,
        limits: LogicalClusters,
        build: Build,
        forget: Callable[[Cluster], None],
        clock: VirtualClockSettings | None = None,
    ) -> None:
        self._limits = limits
        self._forget = forget
        self._build = build
        self._clusters: dict[str, Cluster] = {}
        self._snapshots: dict[str, State] = {}
        self.templates = Templates(build)
        self._clock = clock
        self.lost = LostCycles()
        self._uses = 0
        self._waking = 0

    def start(self) -> None:
        """Nothing is made before it is asked for."""

    async def stop(self) -> None:
        for cluster in list(self._clusters.values()):
            await cluster.end()
        self._clusters.clear()
        self._snapshots.clear()

    # - looking

    def find(self, name: str) -> Cluster | None:
        return self._clusters.get(name)

    def all(self) -> Sequence[Cluster]:
        return list(self._clusters.values())

    def snapshots(self) -> Iterable[tuple[str, State]]:
        return list(self._snapshots.items())

    def require(self, name: str) -> Cluster:
        cluster = self._clusters.get(name)
        if cluster is None:
            raise errors.NotFound.of("", CLUSTERS, name)
        return cluster

    @property
    def awake_count(self) -> int:
        return sum(cluster.server is not None for cluster in self._clusters.values())

    def note_use(self, cluster: Cluster) -> None:
        self._uses += 1
        cluster.used = self._uses

    # - changing

    async def create(
        self, name: str, *, fork_of: str = "", snapshot: str = "", clock: VirtualClockSettings | None = None
    ) -> Cluster:
        """A fork of another cluster as it is now, of a snapshot, or of what every fresh server has; by a clock of its
        own where one is named, or what it is a fork of has one."""
        self._check_new(name)
        original = self.require(fork_of) if fork_of else None
        settings = clock or clusterclock.settings_of(original) or self._clock
        if original is not None or snapshot:
            state = (original.state if original is not None else self._require_snapshot(snapshot)).fork()
            virtual = clusterclock.make(settings, f"from {state.revision}")
        else:
            virtual = clusterclock.make(settings, "new")
            state = await self.templates.build_state(virtual)
            self._check_new(name)  # another one may have come meanwhile
        cluster = self._clusters[name] = Cluster(name, state, self._build, virtual)
        self.note_use(cluster)
        return cluster

    async def wake(self, cluster: Cluster) -> Server:
        if cluster.server is None:
            self._check_memory()
            await self._make_room()
        self._waking += 1
        try:
            server = await cluster.wake()
        finally:
            self._waking -= 1
        if server is None:
            raise errors.NotFound.of("", CLUSTERS, cluster.name)
        self.note_use(cluster)
        return server

    async def delete(self, name: str) -> None:
        cluster = self.require(name)
        del self._clusters[name]
        await self._end(cluster.end(), was_awake=cluster.server is not None)
        self._forget(cluster)

    def take_snapshot(self, name: str, *, cluster: str) -> State:
        """`name` may be that of an older one, which it takes the place of."""
        _check_name(SNAPSHOTS, name)
        if name not in self._snapshots and len(self._snapshots) >= self._limits.snapshots_max:
            raise _too_many(SNAPSHOTS, name, self._limits.snapshots_max)
        snapshot = self._snapshots[name] = self.require(cluster).state.snapshot()
        return snapshot

    def drop_snapshot(self, name: str) -> None:
        self._require_snapshot(name)
        del self._snapshots[name]

    async def restore(self, name: str, *, snapshot: str) -> Cluster:
        cluster = self.require(name)
        ending = cluster.restore(self._require_snapshot(snapshot))
        await self._end(ending, was_awake=cluster.server is not None)
        return cluster

    def _require_snapshot(self, name: str) -> State:
        snapshot = self._snapshots.get(name)
        if snapshot is None:
            raise errors.NotFound.of("", SNAPSHOTS, name)
        return snapshot

    async def _end(self, ending: Awaitable[None], *, was_awake: bool) -> None:
        await ending
        if was_awake:
            self.lost.add()

    # - bounds

    def _check_new(self, name: str) -> None:
        _check_name(CLUSTERS, name)
        if name in self._clusters:
            raise errors.AlreadyExists.of("", CLUSTERS, name)
        if len(self._clusters) >= self._limits.clusters_max:
            raise _too_many(CLUSTERS, name, self._limits.clusters_max)
        self._check_memory()

    def _check_memory(self) -> None:
        memory_max = self._limits.memory_max_mib
        if memory_max and (used := _read_memory_mib()) > memory_max:
            text = (
                f"the server uses {used:.0f} MiB, with more than {memory_max} MiB no logical cluster is made or woken"
            )
            raise errors.ServiceUnavailable(text, {"retryAfterSeconds": _RETRY_S})

    async def _make_room(self) -> None:
        """Raises TooManyRequests where so many are in use."""
        while self.awake_count + self._waking >= self._limits.awake_max:
            idle = [cluster for cluster in self._clusters.values() if cluster.is_idle]
            if not idle:
                text = f"{self._limits.awake_max} logical clusters are awake and in use, please try again later"
                raise errors.TooManyRequests(text, {"retryAfterSeconds": _RETRY_S})
            await self._end(min(idle, key=lambda each: each.used).rest(), was_awake=True)


def _check_name(resource: str, name: str) -> None:
    if problems := names.dns1123_label(name):
        raise errors.BadRequest(f"{resource} {name!r}: {'; '.join(problems)}", {})


def _too_many(resource: str, name: str, count_max: int) -> errors.Forbidden:
    return errors.Forbidden.of("", resource, name, f"there are {count_max} already, and no more may be made")


def _read_memory_mib() -> float:
    """What the process has in memory; 0 where that is not told."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE_MIB
    return 0.0
