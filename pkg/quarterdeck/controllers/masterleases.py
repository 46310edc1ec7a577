"""Which of several servers live: each keeps a key with its address in the store, which goes some time after its server.

Source: pkg/controlplane/reconcilers/lease.go, instance.go (DefaultEndpointReconcilerTTL).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.storage.backend import Leasing
from quarterdeck.storage.cacher import ResourceCache
from quarterdeck.storage.interface import KeyNotFound, RevisionConflict, Storage

RESOURCE: Final = "masterleases"
TTL_S: Final = 15


class MasterLeases:
    """`cache` is that of the keys, which is fed from `storage`; `leasing` is the same store."""

    def __init__(self, storage: Storage, leasing: Leasing, cache: ResourceCache) -> None:
        self.cache = cache
        self._storage = storage
        self._leasing = leasing

    def addresses(self) -> list[str]:
        """In the order of their text."""
        found = []
        for entry in self.cache.state.all():
            subsets: list[dict[str, Any]] = json_codec.load(entry.data).get("subsets") or []
            found += [each["ip"] for subset in subsets[:1] for each in (subset.get("addresses") or [])[:1]]
        return sorted(found)

    async def renew(self, address: str) -> None:
        """Raises StorageError."""
        obj = {
            "apiVersion": "v1",
            "kind": "Endpoints",
            "metadata": {},
            "subsets": [{"addresses": [{"ip": address}]}],
        }
        await self._leasing.keep(self.cache.prefix + address, json_codec.encode(obj), TTL_S)
        await self.cache.shared.catch_up()

    async def give_up(self, address: str) -> None:
        """Raises StorageError."""
        key = self.cache.prefix + address
        found = await self._storage.get(key)
        if found is not None:
            with suppress(KeyNotFound, RevisionConflict):
                await self._storage.delete(key, found.revision)
