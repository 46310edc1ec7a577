"""The APIServices as requests need them: which of them lead to other servers, found by the path of a request.

Source: kube-aggregator/pkg/apiserver/apiserver.go (AddAPIService: the paths), handler_proxy.go (updateAPIService).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote

from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.crdregistration import LABEL
from quarterdeck.registry.builtin.apiregistration.apiservice import SERVICE_PORT
from quarterdeck.storage.cacher import Change, ResourceCache
from quarterdeck.webhook.config import Service

_KNOWN_MAX: Final = 128
_KNOWN_BYTES_MAX: Final = 4096
_LEGACY: Final = "v1."  # stands for everything below /api


@dataclass(frozen=True, slots=True)
class APIService:
    """`service` is None for what this server serves itself. `is_managed`: this server keeps it for what it serves."""

    name: str
    group: str
    version: str
    group_priority: int
    version_priority: int
    is_available: bool
    is_managed: bool
    service: Service | None = None
    bundle: bytes = b""
    is_verified: bool = True

    @property
    def path(self) -> str:
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


Listener = Callable[[str, APIService | None], None]
"""Told of each APIService that changed, by name; None: it is gone."""


class APIServices:
    """Follows `cache` from `take_up` on; within the feed of changes."""

    def __init__(self, cache: ResourceCache) -> None:
        self._cache = cache
        self._remote: dict[str, APIService] = {}
        self.listeners: list[Listener] = []

    def take_up(self) -> None:
        """Of those that this server keeps for what it serves itself one stands for all: nobody knows any yet."""
        is_told = False
        for entry in self._cache.state.all():
            found = _read_stored(entry.data)
            is_own = found.service is None and (found.is_managed or not found.group)
            if not (is_own and is_told):
                self._put(entry.name, found)
            is_told |= is_own
        self._cache.listeners.append(self._on_change)

    def get(self, name: str) -> APIService | None:
        """One that leads to another server."""
        return self._remote.get(name)

    def remote(self) -> Iterator[APIService]:
        yield from self._remote.values()

    @property
    def has_remote(self) -> bool:
        return bool(self._remote)

    def find(self, path: str) -> APIService | None:
        """Which other server has this path (as sent): a group and version, and all below them."""
        parts = (unquote(path) if "%" in path else path).split("/", 4)
        if len(parts) > 3 and parts[1] == "apis":
            return self._remote.get(f"{parts[3]}.{parts[2]}")
        return self._remote.get(_LEGACY) if len(parts) > 1 and parts[1] == "api" else None

    def _on_change(self, change: Change) -> None:
        if change.entry is not None:
            self._put(change.entry.name, _read_stored(change.entry.data))
        elif change.old is not None:
            self._put(change.old.name, None)

    def _put(self, name: str, found: APIService | None) -> None:
        if found is not None and found.service is not None:
            self._remote[name] = found
        else:
            self._remote.pop(name, None)
        for listener in self.listeners:
            listener(name, found)


def _read_stored(data: bytes) -> APIService:
    return _read_known(data) if len(data) <= _KNOWN_BYTES_MAX else read(json_codec.load(data))


@lru_cache(_KNOWN_MAX)
def _read_known(data: bytes) -> APIService:
    """What every server has is the same in all logical clusters."""
    return read(json_codec.load(data))


def read(obj: dict[str, Any]) -> APIService:
    """Of a decoded APIService, which need not be valid."""
    spec = obj.get("spec") or {}
    reference = spec.get("service")
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return APIService(
        name=obj["metadata"]["name"],
        group=spec.get("group") or "",
        version=spec.get("version") or "",
        group_priority=spec.get("groupPriorityMinimum") or 0,
        version_priority=spec.get("versionPriority") or 0,
        is_available=any(each.get("type") == "Available" and each.get("status") == "True" for each in conditions),
        is_managed=bool(meta.labels(obj).get(LABEL)),
        service=None if reference is None else _read_service(reference),
        bundle=_read_bundle(spec.get("caBundle")),
        is_verified=not spec.get("insecureSkipTLSVerify"),
    )


def _read_service(reference: dict[str, Any]) -> Service:
    port = reference.get("port")
    return Service(
        reference.get("namespace") or "", reference.get("name") or "", SERVICE_PORT if port is None else port
    )


def _read_bundle(text: str | None) -> bytes:
    try:
        return base64.b64decode(text or "")
    except binascii.Error:
        return b"?"  # no certificate: the connection cannot be made
