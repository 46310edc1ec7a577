"""Opens the store, in a file or in memory, and puts encryption between it and everything above where that is on; makes
the stores of resources on it.

Encryption is imported only then; without it nothing stands in between. A directory whose values were encrypted once has
a mark: a server without the keys then tells what it cannot read, instead of taking it for damage.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from quarterdeck.endpoints.router import PlainHandler
from quarterdeck.endpoints.snapshots import RefusedSnapshotPath, SnapshotPath
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.hotobjects import HotObjects
from quarterdeck.registry.store import Store
from quarterdeck.registry.strategy import Object
from quarterdeck.server import health
from quarterdeck.server.config import Config, ConfigError
from quarterdeck.server.datadir import STORE_FILE
from quarterdeck.server.files import PRIVATE, write_atomically
from quarterdeck.server.health import Check
from quarterdeck.storage.backend import Backend
from quarterdeck.storage.cacher import Attributes, Cacher, KnownRecords, Limits, build_prefix
from quarterdeck.storage.interface import Storage
from quarterdeck.storage.snapshot.reading import snapshot
from quarterdeck.storage.value.resources import KeyPrefixes

if TYPE_CHECKING:
    from pathlib import Path

    from quarterdeck.server.encryption.running import Encryption
    from quarterdeck.storage.snapshot.ordering import Readable

OnFatal = Callable[[BaseException], None]

EXIT_STORE_FAILED: Final = 5
MARK: Final = "encrypted"
HEALTH_CHECK: Final = "kms-providers"


@dataclass(frozen=True, slots=True)
class Stored:
    """`backend` owns the file, or the memory; `storage` is what everything above reads and writes. `others`: the
    backends that some resources are kept in instead, `overrides` which ones, by the prefix of their keys. `known`: what
    it may have in common with other stores."""

    backend: Backend
    storage: Storage
    encryption: Encryption | None = None
    others: Sequence[Backend] = ()
    overrides: Mapping[str, Backend] = field(default_factory=dict)
    known: KnownRecords | None = None

    def build_cacher(self, config: Config) -> Cacher:
        sizes = {build_prefix(*resource): size for resource, size in config.watch_cache_sizes.items()}
        # Upstream takes no sizes of custom resources.
        uncached = frozenset(prefix for prefix, size in sizes.items() if not size and KeyPrefixes(prefix).is_builtin)
        limits = Limits(config.default_watch_cache_size, sizes, config.has_watch_cache, uncached)
        cacher = Cacher(self.storage, limits, self.overrides, self.known)
        if self.backend.lags:
            from quarterdeck.server.builtin import service_ranges_of
            from quarterdeck.server.etcdstoring import EtcdBackend, find_defaults

            if isinstance(self.backend, EtcdBackend):
                self.backend.use_defaults(find_defaults(cacher, service_ranges_of(config), config.enablement))
        return cacher

    @property
    def paths(self) -> list[PlainHandler]:
        """Of what it holds, as it is in the file: values stay sealed."""
        if self.others:
            return [RefusedSnapshotPath()]
        if self.backend.lags:
            from quarterdeck.server.etcdstoring import SealedAsInFile, in_key_order

            source: Readable = self.backend
            if self.encryption is not None:
                source = SealedAsInFile(source, self.encryption.transformers)
            return [SnapshotPath(lambda: snapshot(in_key_order(source)))]
        return [SnapshotPath(partial(snapshot, self.backend))]

    def serve(self, cacher: Cacher, checks: dict[str, Check]) -> None:
        """What could not be decrypted is read again into `cacher`; `checks` get those of other stores and of the
        plugins."""
        others = [(partial(check_storage, each), partial(check_space, each)) for each in self.others]
        health.add_overrides(checks, others)
        if self.encryption is not None:
            from quarterdeck.storage.cacher import recovery

            self.encryption.retry = partial(recovery.retry, cacher)
            if self.encryption.has_check:
                checks[HEALTH_CHECK] = self.encryption.check


async def open_storage(config: Config, metrics: Registry, on_fatal: OnFatal) -> Stored:
    """Raises ConfigError for an encryption configuration that cannot be used, StorageError, OSError."""
    if config.encryption_provider_config is not None:
        return await _open_encrypted(config, config.encryption_provider_config, metrics, on_fatal)
    if config.etcd is not None:
        from quarterdeck.server.etcdstoring import open_etcd

        etcd = await open_etcd(config.etcd, on_fatal)
        return Stored(etcd, etcd, None, etcd.others, etcd.overrides)
    backend = await _open(config, on_fatal)
    if not (config.data_dir / MARK).exists():
        return Stored(backend, backend)
    from quarterdeck.storage.value.storage import TransformedStorage

    return Stored(backend, TransformedStorage(backend, {}))


async def _open_encrypted(config: Config, path: Path, metrics: Registry, on_fatal: OnFatal) -> Stored:
    from quarterdeck.server.encryption import running

    prepared = running.prepare(path, metrics, reloads=config.is_encryption_reloaded)
    if config.etcd is not None:
        from quarterdeck.server.etcdstoring import build_values, open_etcd

        values = build_values(config.etcd, prepared.built.transformers)
        etcd = await open_etcd(config.etcd, on_fatal, values)
        encryption = running.Encryption(values, prepared)
        stored = Stored(etcd, etcd, encryption, etcd.others, etcd.overrides)
    else:
        from quarterdeck.storage.value.storage import TransformedStorage

        write_atomically(config.data_dir / MARK, b"values of the store may be encrypted\n", PRIVATE)
        backend = await _open(config, on_fatal)
        transformed = TransformedStorage(backend, prepared.built.transformers)
        encryption = running.Encryption(transformed, prepared)
        stored = Stored(backend, transformed, encryption)
    await encryption.prime()
    try:
        await encryption.wait_until_writable()
    except ConfigError:
        await encryption.stop()
        await stored.backend.close()
        raise
    return stored


async def _open(config: Config, on_fatal: OnFatal) -> Backend:
    if config.is_ephemeral:
        from quarterdeck.storage.memory import MemoryStorage

        return MemoryStorage(on_fatal=on_fatal)
    from quarterdeck.storage.sqlite import SQLiteStorage

    return await SQLiteStorage.open(config.data_dir / STORE_FILE, on_fatal=on_fatal)


def store_of(
    storage: Storage,
    cacher: Cacher,
    hot: HotObjects,
    group: str,
    plural: str,
    namespaced: bool,
    attributes: Callable[[Object], Attributes],
    fields: Callable[[Object], dict[str, str]] | None = None,
) -> Store:
    """`attributes` of what is being written; `fields` of what is stored, where that takes more."""
    cache = cacher.resource(group, plural, fields or _fields_by(attributes))
    store = Store(
        group,
        plural,
        namespaced=namespaced,
        key_prefix=cache.prefix,
        storage=storage,
        cache=cache,
        attributes=attributes,
    )
    store.hot = hot
    return store


@lru_cache(maxsize=1024)
def _fields_by(attributes: Callable[[Object], Attributes]) -> Callable[[Object], dict[str, str]]:
    return lambda obj: attributes(obj).fields


def check_storage(storage: Backend) -> str | None:
    return None if storage.is_available else "the store has stopped"


def check_space(storage: Backend) -> str | None:
    return check_storage(storage) or ("the disk is full: only deletions are taken" if storage.is_space_short else None)


def exit_without_store(error: BaseException) -> None:
    """The store cannot make writes durable any more: the next start finds out which ones are."""
    print(f"quarterdeck: the store has failed and nothing more can be acknowledged: {error}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(EXIT_STORE_FAILED)
