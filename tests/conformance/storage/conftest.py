"""One suite for every backend: add a backend by adding a row to BACKENDS."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3.settings import Settings
from quarterdeck.storage.etcd3.store import EtcdStorage
from quarterdeck.storage.memory import MemoryStorage
from quarterdeck.storage.sqlite import SQLiteStorage
from quarterdeck.storage.value import aes
from quarterdeck.storage.value.storage import TransformedStorage
from quarterdeck.storage.value.transformer import Prefixed, PrefixTransformers
from reference.storage import ReferenceStorage
from support import etcd
from support.coroutines import pytest_collection_modifyitems, pytest_pyfunc_call, runner

__all__ = ["pytest_collection_modifyitems", "pytest_pyfunc_call", "runner"]


_prefixes = count(1)


async def _open_reference(_: Path) -> interface.Storage:
    return ReferenceStorage()


async def _open_sqlite(folder: Path) -> interface.Storage:
    return await SQLiteStorage.open(folder / "store.db", compaction_interval_s=0)


async def _open_memory(_: Path) -> interface.Storage:
    return MemoryStorage()


async def _open_encrypted(folder: Path) -> interface.Storage:
    backend = await _open_sqlite(folder)
    providers = [Prefixed(b"k8s:enc:aesgcm:v1:", aes.GCM(bytes(16)))]
    return TransformedStorage(backend, {("*", "*"): PrefixTransformers("none", providers)})


async def open_etcd(cluster: etcd.Cluster) -> EtcdStorage:
    """Each test has a prefix of its own in an etcd that has been compacted once."""
    settings = Settings(cluster.urls, f"/test{next(_prefixes)}/", compaction_interval_s=0)
    store = await EtcdStorage.open(settings)
    if store.compacted_revision == 1:
        await store.delete("/registry/first", await store.create("/registry/first", b"x"))
        await store.compact(store.revision)
    return store


BACKENDS = {"reference": _open_reference, "sqlite": _open_sqlite, "memory": _open_memory, "encrypted": _open_encrypted}


# Of one file: members that live on keep a machine busy with their heartbeats.
@pytest.fixture(scope="module")
def etcd_single() -> Iterator[etcd.Cluster]:
    with etcd.cluster() as made:
        yield made


@pytest.fixture(scope="module")
def etcd_three() -> Iterator[etcd.Cluster]:
    with etcd.cluster(3) as made:
        yield made


@pytest.fixture(params=[*BACKENDS, "etcd_single", "etcd_three"])
def store(request: pytest.FixtureRequest, runner: asyncio.Runner, tmp_path: Path) -> Iterator[interface.Storage]:
    async def open_it() -> interface.Storage:
        if request.param in BACKENDS:
            return await BACKENDS[request.param](tmp_path)
        return await open_etcd(request.getfixturevalue(request.param))

    store = runner.run(open_it())
    yield store
    runner.run(store.close())
