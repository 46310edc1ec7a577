"""Removes the Endpoints of a service's name with the service, before its deletion is answered.

Source: pkg/registry/core/service/storage/storage.go (afterDelete).
"""

from __future__ import annotations

import logging

from quarterdeck.apimachinery import errors
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Entry

_LOG = logging.getLogger(__name__)


class EndpointsRemoval:
    """`services` and `endpoints` are scopes. What is to be done after a write of a service already is done first."""

    def __init__(self, services: Scope, endpoints: Scope) -> None:
        self._endpoints = endpoints
        self._first = services.store.after_write
        services.store.after_write = self.after_write

    async def after_write(self, namespace: str, name: str, old: Entry | None, new: Object | None) -> None:
        if self._first is not None:
            await self._first(namespace, name, old, new)
        if new is None:
            await self._remove(namespace, name)

    async def _remove(self, namespace: str, name: str) -> None:
        try:
            await UNADMITTED.delete(self._endpoints, namespace, name, Options())
        except errors.NotFound:
            return
        except errors.APIStatus as error:  # as upstream, whose deletion of the service stands
            _LOG.warning("the endpoints of the service %s/%s are not removed: %s", namespace, name, error)
