"""Where the endpoints of services are found: EndpointSlices, else the Endpoints object of the service's name."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import labels
from quarterdeck.apimachinery.codec import json
from quarterdeck.registry.scope import Builtin
from quarterdeck.storage.cacher import ResourceCache, build_selection
from quarterdeck.webhook import endpoints

_SERVICE_NAME: Final = "kubernetes.io/service-name"


class ServiceEndpoints:
    """`served` need not have either kind."""

    def __init__(self, served: Builtin) -> None:
        self._slices = _cache(served, "discovery.k8s.io", "endpointslices")
        self._endpoints = _cache(served, "", "endpoints")

    def pick(self, namespace: str, service: str, port: str) -> endpoints.Address | None:
        """The address of a ready endpoint with the service's port of this name; None where there is none."""
        if self._slices is not None:
            cache = self._slices
            selector = labels.from_label_selector({"matchLabels": {_SERVICE_NAME: service}})
            found = cache.select(build_selection(namespace, "", selector), list(cache.state.range(f"{namespace}/")))
            if (address := endpoints.pick([json.load(entry.data) for entry in found], port)) is not None:
                return address
        entry = self._endpoints.get(namespace, service) if self._endpoints is not None else None
        return endpoints.pick_from_endpoints(json.load(entry.data), port) if entry is not None else None


def _cache(served: Builtin, group: str, resource: str) -> ResourceCache | None:
    scopes = served.get((group, "v1", resource))
    return scopes[""].store.cache if scopes is not None else None
