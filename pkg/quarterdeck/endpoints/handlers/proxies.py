"""The `proxy` subresources of pods, services and nodes: what is sent there goes on to them.

Differs from upstream: a request's body is read whole before it goes on, within the limit of all requests.

Source: pkg/registry/core/{pod,node,service}/proxy and rest; locations.py says where it goes.
"""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.proxy import connecting, locations
from quarterdeck.endpoints.proxy.connecting import Connecting
from quarterdeck.endpoints.proxy.locations import Location, NamedPort
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.transport.messages import Response

_PARTS_BEFORE = 3  # the resource, the name, `proxy`

FindKnown = Callable[[str, str, int], tuple[str, int] | None]
"""Where a service is whatever the objects say, for its namespace, name and port (0: any)."""


class ProxyHandler:
    """`endpoints` tells which pods are behind a service, `pods` whether they are there."""

    def __init__(self, connecting: Connecting, endpoints: Scope, pods: Scope, find_known: FindKnown) -> None:
        self._connecting = connecting
        self._endpoints = endpoints
        self._pods = pods
        self._find_known = find_known

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        connecting.refuse_dry_run(request)
        address = info.address
        path = locations.path_behind(address.parts[_PARTS_BEFORE:], info.path)
        admitted = await self._connecting.admit(request, scope, {"path": path} if path else {})
        kind, namespace = scope.resource.singular, address.namespace
        named = locations.split(address.name, kind)
        if kind == "pod":
            where = locations.locate_pod(_get(scope, namespace, named.name), named)
        elif kind == "node":
            where = await locations.locate_node(self._connecting.kubelets.server_of(_get(scope, "", named.name)), named)
        else:
            where = self._locate_service(scope, namespace, named, address.name)
        return await self._connecting.proxy(request, where, str(admitted.get("path") or ""))

    def _locate_service(self, scope: Scope, namespace: str, named: NamedPort, shown: str) -> Location:
        port = named.port
        known = self._find_known(namespace, named.name, int(port) if port.isdecimal() else 0)
        if known is not None:
            return locations.locate(named.scheme, known[0], str(known[1]))
        if port.isdecimal():
            port = locations.name_of_port(_get(scope, namespace, named.name), named.name, int(port))
        try:
            endpoints = _get(self._endpoints, namespace, named.name)
        except errors.NotFound as error:  # told of the resource that the request names
            raise errors.NotFound.of("", "services", named.name) from error
        if not endpoints.get("subsets"):
            raise errors.ServiceUnavailable(f"no endpoints available for service {gofmt.quote(named.name)}")
        for address, number in locations.addresses_of(endpoints, port):
            if self._is_of_pod(address, namespace):
                return locations.locate(named.scheme, str(address["ip"]), str(number))
        raise errors.ServiceUnavailable(f"no endpoints available for service {gofmt.quote(shown)}")

    def _is_of_pod(self, address: Object, namespace: str) -> bool:
        """Else whoever may write Endpoints could lead requests anywhere."""
        target = address.get("targetRef")
        if target is None or target.get("namespace", "") != namespace:
            return False
        try:
            pod = _get(self._pods, namespace, target.get("name", ""))
        except errors.NotFound:
            return False
        return any(each.get("ip") == address.get("ip") for each in (pod.get("status") or {}).get("podIPs") or ())


def _get(scope: Scope, namespace: str, name: str) -> Object:
    """Raises NotFound."""
    return json_codec.load(scope.store.get(namespace, name).data)
