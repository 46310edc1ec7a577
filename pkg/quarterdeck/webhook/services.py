"""The address behind a service that a webhook or an APIService names.

Differs from upstream: an endpoint of the service is called where there is a ready one (there: with
--enable-aggregator-routing), since no network may lead to cluster addresses; else its cluster address.

Source: apiserver/pkg/util/proxy/proxy.go (ResolveEndpoint, ResolveCluster).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.apimachinery import gofmt
from quarterdeck.webhook.client import ServiceUnresolved
from quarterdeck.webhook.config import Service

Pick = Callable[[str, str, str], tuple[str, int] | None]
Lookup = Callable[[str, str], Mapping[str, Any] | None]


class Services:
    """`lookup` gives the live service of a namespace and name. `known`: where services are, whatever their objects say;
    port 0 stands for all ports of one. `pick` gives a ready endpoint for (namespace, service, name of the port)."""

    def __init__(
        self, lookup: Lookup, known: Mapping[Service, tuple[str, int]] | None = None, pick: Pick | None = None
    ) -> None:
        self._lookup = lookup
        self._pick = pick
        self._known = known or {}

    def is_known(self, namespace: str, name: str, port: int) -> bool:
        """Whether it is found whatever its object says."""
        return self.find_known(namespace, name, port) is not None

    def find_known(self, namespace: str, name: str, port: int) -> tuple[str, int] | None:
        """Where it is found whatever its object says."""
        return self._known.get(Service(namespace, name, port)) or self._known.get(Service(namespace, name, 0))

    def resolve(self, service: Service) -> tuple[str, int]:
        """The address to dial. Raises ServiceUnresolved."""
        known = self.find_known(*service)
        if known is not None:
            return known
        found = self._lookup(service.namespace, service.name)
        if found is None:
            raise ServiceUnresolved(f"service {gofmt.quote(service.name)} not found")
        spec = found.get("spec") or {}
        kind = spec.get("type") or "ClusterIP"
        if kind == "ExternalName":
            return str(spec.get("externalName") or ""), service.port
        if kind not in ("ClusterIP", "NodePort", "LoadBalancer"):
            raise ServiceUnresolved(f"unsupported service type {gofmt.quote(kind)}")
        port = next((port for port in spec.get("ports") or () if port.get("port") == service.port), None)
        if port is not None and self._pick is not None:
            endpoint = self._pick(service.namespace, service.name, port.get("name") or "")
            if endpoint is not None:
                return endpoint
        if kind == "ClusterIP" and spec.get("clusterIP") == "None":
            raise ServiceUnresolved('cannot route to service with ClusterIP "None"')
        if port is None:
            raise ServiceUnresolved(f"no service port {service.port} found for service {gofmt.quote(service.name)}")
        return str(spec.get("clusterIP") or ""), service.port
