"""Shows which addresses services have taken, by objects of networking.k8s.io.

The services themselves tell what is taken (registry/builtin/core/service/allocation.py); these objects follow them.
Source: pkg/registry/core/service/ipallocator/ipallocator.go (createIPAddress).
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import ownwrites
from quarterdeck.registry.builtin.core.service.allocation import MANAGED_BY, MANAGER, addresses_of
from quarterdeck.registry.builtin.core.service.portrange import Taken
from quarterdeck.registry.builtin.core.service.ranges import family_of
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import UNADMITTED, Identity
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Entry

_FAMILY: Final = "ipaddress.kubernetes.io/ip-family"
_API_VERSION: Final = "networking.k8s.io/v1"
_LOG: Final = logging.getLogger(__name__)


class ServiceAddresses:
    """`services` and `addresses` are scopes. Each write of a service is answered when its addresses are shown.

    Where others write to the store these objects are what the addresses are given away by: a service is written when
    they are there (registry/builtin/core/service/sharing.py)."""

    def __init__(self, services: Scope, addresses: Scope) -> None:
        self.identity: Identity = UNADMITTED
        self._addresses = addresses
        if not services.store.lags:
            services.store.after_write = self.settle

    async def settle(self, namespace: str, name: str, old: Entry | None, new: Object | None) -> None:
        """After a write: what the service has got is shown, and what it has lost is not any more, whoever has made the
        object of it and whatever that says."""
        had = set(addresses_of(json_codec.load(old.data))) if old is not None else set()
        has = set(addresses_of(new)) if new is not None else set()
        for address in sorted(has - had):
            await self._show(address, namespace, name)
        for address in sorted(had - has):
            await self._hide(address)

    async def claim(self, address: str, namespace: str, name: str) -> None:
        try:
            await ownwrites.create(self.identity, self._addresses, build_address(address, namespace, name))
        except errors.AlreadyExists as error:
            raise Taken(address) from error

    async def give_back(self, address: str, namespace: str, name: str) -> None:
        found = self._addresses.store.cache.get("", address)
        metadata = json_codec.load(found.data)["metadata"] if found is not None else {}
        if found is None or _parent_of(found) != f"{namespace}/{name}":
            return
        with suppress(errors.NotFound, errors.Conflict):
            await self.identity.delete(self._addresses, "", address, Options(precondition_uid=metadata["uid"]))

    async def _show(self, address: str, namespace: str, name: str) -> None:
        try:
            await ownwrites.create(self.identity, self._addresses, build_address(address, namespace, name))
        except errors.APIStatus as error:  # somebody else has made one, say
            _LOG.warning("the address %s of the service %s/%s cannot be shown: %s", address, namespace, name, error)

    async def _hide(self, address: str) -> None:
        if self._addresses.store.cache.get("", address) is None:
            return
        try:
            await self.identity.delete(self._addresses, "", address, Options())
        except errors.APIStatus as error:
            _LOG.warning("the address %s is shown no more, but not removed: %s", address, error)


def _parent_of(entry: Entry) -> str:
    parent: dict[str, Any] = json_codec.load(entry.data)["spec"].get("parentRef") or {}
    return f"{parent.get('namespace', '')}/{parent.get('name', '')}"


def build_address(address: str, namespace: str, name: str) -> dict[str, Any]:
    """The object of an address of a service."""
    return {
        "apiVersion": _API_VERSION,
        "kind": "IPAddress",
        "metadata": {"name": address, "labels": {_FAMILY: family_of(address), MANAGED_BY: MANAGER}},
        "spec": {"parentRef": {"resource": "services", "namespace": namespace, "name": name}},
    }
