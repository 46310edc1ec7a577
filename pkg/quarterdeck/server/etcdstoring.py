"""A server's etcd: keys and values as kube-apiserver's, and how it is.

Imported only where etcd is used.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Final

from quarterdeck.apis.enablement import USUAL, Enablement
from quarterdeck.apis.storednames import STORED
from quarterdeck.registry.builtin import resources
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.core.service.allocation import ServiceRanges
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.schema import gotypes
from quarterdeck.server.config import ConfigError
from quarterdeck.server.etcdversions import STORED_KINDS
from quarterdeck.storage.backend import Stats
from quarterdeck.storage.cacher import Cacher, build_prefix
from quarterdeck.storage.etcd3.layout import KubernetesKeys
from quarterdeck.storage.etcd3.sealing import SealedValues
from quarterdeck.storage.etcd3.settings import ROOT, Override, Settings
from quarterdeck.storage.etcd3.store import EtcdStorage, OnFatal
from quarterdeck.storage.etcd3.values import Defaults, KubernetesValues
from quarterdeck.storage.etcd3.versions import find_fault
from quarterdeck.storage.interface import KeyValue, RangeResult, StorageError, Untransformable
from quarterdeck.storage.snapshot.ordering import InKeyOrder, Readable
from quarterdeck.storage.value.resources import TransformerLookup, Transformers
from quarterdeck.storage.value.transformer import TransformError

_LOG: Final = logging.getLogger(__name__)
_CHECK_S: Final = 2.0
# What no client sees, and servers agree by: node ports that are taken, and who is there.
_SHARED: Final = (("", "ranges"), ("", "masterleases"))
_NEVER_MOVED: Final = (("apiextensions.k8s.io", "customresourcedefinitions"), ("apiregistration.k8s.io", "apiservices"))


class EtcdBackend(EtcdStorage):
    """What the server asks of its backend beside reading and writing. etcd is asked every 2 s: health checks answer at
    once, by the last answer and by whether the watch is there."""

    values: SealedValues
    overrides: Mapping[str, EtcdBackend]
    """The backends of resources that are kept in other etcds, by the prefix of their keys; `others` are all of those
    etcds, in the order of the flag."""
    others: tuple[EtcdBackend, ...] = ()
    _is_well = True
    _size_bytes = 0
    _version = ""
    _watching: asyncio.Task[None] | None = None

    @property
    def kind(self) -> str:
        return "etcd"

    @property
    def is_available(self) -> bool:
        return self._is_well and super().is_available

    @property
    def is_space_short(self) -> bool:
        """etcd refuses writes by itself then."""
        return False

    def stats(self) -> Stats:
        return Stats(0, 0, self.pending_count, 0, self._size_bytes)

    def use_defaults(self, defaults: Defaults) -> None:
        """From now on what others have written gets what its kind has by default."""
        self.values.use_defaults(defaults)

    def watch_health(self) -> None:
        self._watching = asyncio.get_running_loop().create_task(self._watch_health())

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])
        for other in self.others:
            await other.close()
        await super().close()

    async def _watch_health(self) -> None:
        while True:
            self._is_well = await self.check(self.settings.health_timeout_s) is None
            try:
                version, self._size_bytes = await self.status()
                self._note_version(version)
            except StorageError:
                pass  # the check tells
            await asyncio.sleep(_CHECK_S)

    def _note_version(self, version: str) -> None:
        """Of the member that was asked: told once, and again after an upgrade."""
        fault = find_fault(version) if version != self._version else None
        self._version = version
        if fault is not None:
            _LOG.warning("%s", fault)


class SealedAsInFile:
    """Reads a store whose values come in the clear as a file of this server's holds them: sealed, where they are to be.
    `transformers()`: those of now."""

    def __init__(self, storage: Readable, transformers: Callable[[], Transformers]) -> None:
        self._storage = storage
        self._transformers = transformers

    @property
    def revision(self) -> int:
        return self._storage.revision

    async def range(self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0) -> RangeResult:
        """Raises StorageError."""
        page = await self._storage.range(prefix, start_key=start_key, limit=limit, revision=revision)
        chosen = TransformerLookup(self._transformers())
        return replace(page, items=[_sealed(item, chosen) for item in page.items])


def _sealed(item: KeyValue, chosen: TransformerLookup) -> KeyValue:
    place, transformer = chosen.of(item.key)
    try:
        return item._replace(value=transformer.seal(item.value, place.context(item.key)))
    except TransformError as error:
        raise Untransformable(item.key, str(error)) from error


def in_key_order(storage: Readable) -> InKeyOrder:
    """What clients have stored, as a snapshot has it."""
    return InKeyOrder(storage, {f"{ROOT}{group or 'core'}/{resource}/" for group, resource in _SHARED})


def build_values(settings: Settings, transformers: Transformers) -> SealedValues:
    values = KubernetesValues(restore, is_protobuf=settings.is_protobuf, versions=STORED_KINDS)
    return SealedValues(values, transformers)


async def open_alone(settings: Settings) -> tuple[EtcdStorage, SealedValues]:
    """A store that is only read and written, and what it makes of values, which are not encrypted. Raises StorageError,
    OSError."""
    values = build_values(settings, {})
    layout = KubernetesKeys((*STORED, *_SHARED), settings.prefix)
    return await EtcdStorage.open(settings, layout=layout, values=values), values


async def open_etcd(settings: Settings, on_fatal: OnFatal, values: SealedValues | None = None) -> EtcdBackend:
    """Raises ConfigError, StorageError."""
    values = values or build_values(settings, {})
    moved = find_moved(settings.overrides)
    own = [resource for resource in (*STORED, *_SHARED) if resource not in moved]
    storage = await _open_one(settings, KubernetesKeys(own, settings.prefix), values, on_fatal)
    try:
        await _open_others(storage, moved, values, on_fatal)
    except BaseException:
        await storage.close()
        raise
    return storage


def find_moved(overrides: Sequence[Override]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Where resources are that are kept in another etcd: what names one counts more than what names all of its group,
    and of several the last. Definitions and APIServices stay, as all custom resources (upstream: SimpleStorageFactory).
    """
    named = {(each.group, each.resource): each.servers for each in overrides}
    found = {}
    for group, resource in STORED:
        servers = named.get((group, resource)) or named.get((group, "*"))
        if servers is not None and (group, resource) not in _NEVER_MOVED:
            found[group, resource] = servers
    return found


async def _open_others(
    storage: EtcdBackend,
    moved: Mapping[tuple[str, str], tuple[str, ...]],
    values: SealedValues,
    on_fatal: OnFatal,
) -> None:
    """Raises ConfigError, StorageError. What is open belongs to `storage` then."""
    opened: dict[tuple[str, ...], EtcdBackend] = {}
    for override in storage.settings.overrides:
        name = tuple(sorted(override.servers))
        if name in opened:
            continue
        own = [resource for resource, servers in moved.items() if tuple(sorted(servers)) == name]
        settings = replace(storage.settings, servers=override.servers, overrides=())
        layout = KubernetesKeys(own, settings.prefix, has_custom=False)
        opened[name] = await _open_one(settings, layout, values, on_fatal)
        storage.others = tuple(opened.values())
    storage.overrides = {build_prefix(*resource): opened[tuple(sorted(servers))] for resource, servers in moved.items()}


async def _open_one(settings: Settings, layout: KubernetesKeys, values: SealedValues, on_fatal: OnFatal) -> EtcdBackend:
    try:
        storage = await EtcdBackend.open(settings, layout=layout, values=values, on_fatal=on_fatal)
    except OSError as error:
        raise ConfigError(f"the files for etcd cannot be read: {error}") from error
    storage.values, storage.overrides = values, {}
    storage.watch_health()
    return storage


def find_defaults(cacher: Cacher, service_ranges: ServiceRanges, enablement: Enablement = USUAL) -> Defaults:
    """Of all kinds, in the versions in which they are stored."""
    found: dict[tuple[str, str], Callable[[dict[str, Any]], None]] = {}
    for definition in resources.definitions(cacher, service_ranges, enablement):
        if definition.default is not None and not definition.is_converted:
            found[definition.resource.api_version, definition.resource.kind] = _default_stored(definition)
    return found


def _default_stored(definition: Definition) -> Callable[[dict[str, Any]], None]:
    default, complete = definition.default, definition.complete_stored
    assert default is not None
    if complete is None:
        return default

    def run(obj: dict[str, Any]) -> None:
        default(obj)
        complete(obj)

    return run


def restore(obj: dict[str, Any], default: Callable[[dict[str, Any]], None] | None) -> bytes:
    """The JSON of an object of a built-in kind as this server writes it; of empty lists protobuf says less."""
    codec = _codec_of(obj["apiVersion"], obj["kind"])
    codec.normalize(obj, report_unknown=False)
    if default is not None:
        default(obj)
    return codec.encode_unconverted(obj)


@cache
def _codec_of(api_version: str, kind: str) -> BuiltinCodec:
    return BuiltinCodec(api_version, kind, partial(gotypes.struct_of, api_version, kind), None)
