"""Wiring of logical clusters: the process's own server, a front before it, and what a cluster's server is made of."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

from quarterdeck.metrics.registry import Registry, read_one
from quarterdeck.openapi.documents import OpenAPIDocuments
from quarterdeck.server.clusters.cluster import Cluster, Server
from quarterdeck.server.clusters.front import ROOT, ClusterRouter
from quarterdeck.server.clusters.management import Management
from quarterdeck.server.clusters.registry import Clusters
from quarterdeck.server.config import Config, LogicalClusters
from quarterdeck.server.gcschedule import LostCycles
from quarterdeck.server.place import Place
from quarterdeck.server.reload import Watch
from quarterdeck.server.storing import Stored
from quarterdeck.storage.cacher import KnownRecords
from quarterdeck.storage.memory import MemoryStorage
from quarterdeck.transport.messages import Application

_KEYS: Final = "clusters"  # a folder for the keys of their service accounts' tokens


class Own(Server, Protocol):
    """A server that has not begun yet."""

    application: Application
    file_watches: list[Watch]
    lost: LostCycles
    published: OpenAPIDocuments | None


S = TypeVar("S", bound=Own)
Assemble = Callable[[Config, Place], Awaitable[S]]


async def build(config: Config, limits: LogicalClusters, place: Place, assemble: Assemble[S]) -> S:
    """The server of the process, at `place`, with a front before it."""
    shutil.rmtree(config.data_dir / _KEYS, ignore_errors=True)  # of clusters that ended with another process
    own = replace(config, logical_clusters=None)
    builder = _Builder(own, place, assemble)
    clusters = Clusters(limits, builder.build, partial(_forget, own), config.virtual_clock)
    clusters.templates.on_usual = lambda state: builder.known.expect(state.current)
    server = await assemble(own, place._replace(paths=[Management(clusters)]))
    builder.published = server.published
    server.application = ClusterRouter(server.application, clusters)
    clusters.lost = server.lost
    server.file_watches.append(clusters)
    _register(place.metrics, clusters)
    return server


class _Builder:
    """Nothing of a cluster's server is anybody else's but certificates, the files of flags, what audits, and what is
    told of built-in types: `published` is that of the process's own server; `known` are the records of the template."""

    def __init__(self, config: Config, place: Place, assemble: Assemble[S]) -> None:
        self._config = replace(config, is_ephemeral=True, etcd=None, election=None, audit=None)
        self._auditing, self._recording, self._tracing = place.auditing, place.recording, place.tracing
        self._assemble = assemble
        self.published: OpenAPIDocuments | None = None
        self.known = KnownRecords()

    async def build(self, cluster: Cluster, storage: MemoryStorage) -> Server:
        accounts = replace(self._config.service_accounts, own_key_file=_find_key(self._config, cluster))
        place = Place(
            Stored(storage, storage, known=self.known),
            Registry(),
            self._auditing,
            f"{ROOT}/{cluster.name}",
            is_resumed=bool(storage.state.current),
            is_settled=storage.state.is_settled,
            published=self.published,
            recording=self._recording,
            tracing=self._tracing,
            kept=cluster.kept,
        )
        return await self._assemble(replace(self._config, service_accounts=accounts), place)


def _find_key(config: Config, cluster: Cluster) -> Path:
    return config.data_dir / _KEYS / f"{cluster.uid}.key"


def _forget(config: Config, cluster: Cluster) -> None:
    _find_key(config, cluster).unlink(missing_ok=True)


def _register(metrics: Registry, clusters: Clusters) -> None:
    metrics.read_gauge("quarterdeck_logical_clusters", "Logical clusters.", read_one(lambda: len(clusters.all())))
    metrics.read_gauge(
        "quarterdeck_logical_clusters_awake",
        "Logical clusters that have a server; the others are at rest.",
        read_one(lambda: clusters.awake_count),
    )
