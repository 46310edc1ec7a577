"""Wiring of logical clusters: the process's own server, a front before it, and what a cluster's server is made of."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarterdeck.metrics.registry import Registry, read_one
from quarterdeck.server.clusters.cluster import Cluster, Server
from quarterdeck.server.clusters.front import ROOT, Front
from quarterdeck.server.clusters.management import Management
from quarterdeck.server.clusters.registry import Clusters
from quarterdeck.server.config import Config, LogicalClusters
from quarterdeck.server.place import Place
from quarterdeck.server.storing import Stored
from quarterdeck.storage.memory import MemoryStorage

if TYPE_CHECKING:
    from quarterdeck.server.apiserver import APIServer

_KEYS: Final = "clusters"  # a folder for the keys of their service accounts' tokens

Assemble = Callable[[Config, Place], Awaitable["APIServer"]]


async def build(config: Config, limits: LogicalClusters, place: Place, assemble: Assemble) -> APIServer:
    """The server of the process, at `place`, with a front before it."""
    shutil.rmtree(config.data_dir / _KEYS, ignore_errors=True)  # of clusters that ended with another process
    own = replace(config, logical_clusters=None)
    clusters = Clusters(limits, partial(_build_server, own, place, assemble), partial(_forget, own))
    server = await assemble(own, place._replace(paths=[Management(clusters)]))
    server.application = Front(server.application, clusters)
    clusters.lost = server.lost
    server.file_watches.append(clusters)
    _register(place.metrics, clusters)
    return server


async def _build_server(
    config: Config, place: Place, assemble: Assemble, cluster: Cluster, storage: MemoryStorage
) -> Server:
    """Nothing of it is anybody else's but the certificates, the files of flags and what audits."""
    accounts = replace(config.service_accounts, own_key_file=_find_key(config, cluster))
    changed = replace(config, service_accounts=accounts, is_ephemeral=True, etcd=None, audit=None)
    stored = Stored(storage, storage)
    base, is_resumed = f"{ROOT}/{cluster.name}", bool(storage.state.current)
    return await assemble(changed, Place(stored, Registry(), place.auditing, base, is_resumed=is_resumed))


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
