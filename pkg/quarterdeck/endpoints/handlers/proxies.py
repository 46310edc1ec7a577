"""The `proxy` subresources of pods, services and nodes, up to the call itself: no node answers here.

Source: pkg/registry/core/{pod,node}/strategy.go, pkg/registry/core/service/storage/storage.go (ResourceLocation),
pkg/kubelet/client/kubelet_client.go (GetConnectionInfo), apimachinery/pkg/util/net (SplitSchemeNamePort).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Final

from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.transport.messages import Response

_SCHEMES: Final = ("", "http", "https")
_PREFERRED: Final = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")
_SERVICE_PARTS_MAX: Final = 3


class ProxyHandler:
    """`endpoints` tells which pods are behind a service, `pods` whether they are there."""

    def __init__(self, endpoints: Scope, pods: Scope) -> None:
        self._endpoints = endpoints
        self._pods = pods

    def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        kind, namespace = scope.resource.singular, info.address.namespace
        name, port = _split(info.address.name, kind)
        if kind == "pod":
            host = _address_of_pod(_get(scope, namespace, name))
        elif kind == "node":
            host = _address_of_node(_get(scope, "", name))
        else:
            host = self._address_of_service(scope, namespace, name, port, info.address.name)
        raise errors.ServiceUnavailable(f"error trying to reach service: no route to {host}")

    def _address_of_service(self, scope: Scope, namespace: str, name: str, port: str, shown: str) -> str:
        if port.isdigit():
            port = _name_of_port(_get(scope, namespace, name), name, int(port))
        subsets = _get(self._endpoints, namespace, name).get("subsets") or []
        if not subsets:
            raise errors.ServiceUnavailable(f"no endpoints available for service {gofmt.quote(name)}")
        for address in _addresses(subsets, port):
            if self._is_of_pod(address, namespace):
                return str(address["ip"])
        raise errors.ServiceUnavailable(f"no endpoints available for service {gofmt.quote(shown)}")

    def _is_of_pod(self, address: Object, namespace: str) -> bool:
        target = address.get("targetRef")
        if target is None or target.get("namespace", "") != namespace:
            return False
        try:
            pod = _get(self._pods, namespace, target.get("name", ""))
        except errors.NotFound:
            return False
        return any(each.get("ip") == address.get("ip") for each in (pod.get("status") or {}).get("podIPs") or ())


def _split(text: str, kind: str) -> tuple[str, str]:
    """NAME, NAME:PORT or SCHEME:NAME:PORT. Raises BadRequest."""
    parts = text.split(":")
    scheme = parts.pop(0) if len(parts) == _SERVICE_PARTS_MAX else ""
    if len(parts) >= _SERVICE_PARTS_MAX or not parts[0] or scheme not in _SCHEMES:
        raise errors.BadRequest(f"invalid {kind} request {gofmt.quote(text)}")
    return parts[0], parts[1] if len(parts) > 1 else ""


def _get(scope: Scope, namespace: str, name: str) -> Object:
    """Raises NotFound."""
    return json_codec.load(scope.store.get(namespace, name).data)


def _address_of_pod(pod: Object) -> str:
    addresses = (pod.get("status") or {}).get("podIPs") or [{}]
    text: str = addresses[0].get("ip", "")
    if not _is_global(text):
        raise errors.BadRequest("address not allowed")
    return text


def _address_of_node(node: Object) -> str:
    addresses = (node.get("status") or {}).get("addresses") or []
    for wanted in _PREFERRED:
        for address in addresses:
            if address.get("type") == wanted:
                return str(address.get("address", ""))
    known = " ".join(f"{{{each.get('type', '')} {each.get('address', '')}}}" for each in addresses)
    raise errors.Unreasoned(f"no preferred addresses found; known addresses: [{known}]")


def _name_of_port(service: Object, name: str, number: int) -> str:
    for port in service["spec"].get("ports") or []:
        if port.get("port") == number:
            return str(port.get("name", ""))
    raise errors.ServiceUnavailable(f"no service port {number} found for service {gofmt.quote(name)}")


def _addresses(subsets: list[Object], port: str) -> Iterator[Object]:
    for subset in subsets:
        if any(each.get("name", "") == port for each in subset.get("ports") or ()):
            yield from subset.get("addresses") or ()


def _is_global(text: str) -> bool:
    """Go's IsGlobalUnicast."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    is_local = address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    return not is_local and text != "255.255.255.255"
