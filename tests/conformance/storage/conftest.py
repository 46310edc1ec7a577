"""One suite for every backend: add a backend by adding a row to BACKENDS."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.memory import MemoryStorage
from quarterdeck.storage.sqlite import SQLiteStorage
from quarterdeck.storage.value import aes
from quarterdeck.storage.value.storage import TransformedStorage
from quarterdeck.storage.value.transformer import Prefixed, PrefixTransformers
from reference.storage import ReferenceStorage
from support.coroutines import pytest_collection_modifyitems, pytest_pyfunc_call, runner

__all__ = ["pytest_collection_modifyitems", "pytest_pyfunc_call", "runner"]


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


BACKENDS: dict[str, Callable[[Path], Awaitable[interface.Storage]]] = {
    "reference": _open_reference,
    "sqlite": _open_sqlite,
    "memory": _open_memory,
    "encrypted": _open_encrypted,
}


@pytest.fixture(params=list(BACKENDS))
def store(request: pytest.FixtureRequest, runner: asyncio.Runner, tmp_path: Path) -> Iterator[interface.Storage]:
    async def open_it() -> interface.Storage:
        return await BACKENDS[request.param](tmp_path)

    store = runner.run(open_it())
    yield store
    runner.run(store.close())
