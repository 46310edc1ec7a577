"""Where a request to the `proxy` of a pod, a service or a node goes, and which path it has there.

Source: pkg/registry/core/{pod,node}/strategy.go, pkg/registry/core/service/storage/storage.go (ResourceLocation),
apimachinery/pkg/util/net (SplitSchemeNamePort, JoinPreservingTrailingSlash).
"""

from __future__ import annotations

import asyncio
import ipaddress
import posixpath
import random
import socket
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.transport.client import failures
from quarterdeck.transport.client.pool import Server
from quarterdeck.transport.client.trust import Trust

_SCHEMES: Final = ("", "http", "https")
_PARTS_MAX: Final = 3
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_NOT_ALLOWED: Final = "address not allowed"

Object = dict[str, Any]


class NamedPort(NamedTuple):
    """NAME, NAME:PORT or SCHEME:NAME:PORT, as it stands in a path. `port` may be a name, or empty."""

    scheme: str
    name: str
    port: str


def split(text: str, kind: str) -> NamedPort:
    """Raises BadRequest."""
    parts = text.split(":")
    scheme = parts.pop(0) if len(parts) == _PARTS_MAX else ""
    if len(parts) >= _PARTS_MAX or not parts[0] or scheme not in _SCHEMES:
        raise errors.BadRequest(f"invalid {kind} request {gofmt.quote(text)}")
    return NamedPort(scheme, parts[0], parts[1] if len(parts) > 1 else "")


class Location(NamedTuple):
    """`authority` is what a URL of the server shows."""

    server: Server
    authority: str


def locate(scheme: str, host: str, port: str) -> Location:
    """Raises Unreasoned for a port that is none. Whoever has the address is believed to be the server: there is no
    name that its certificate could be for."""
    scheme = scheme or "http"
    if port and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536):
        raise errors.ServiceUnavailable(
            f"error trying to reach service: dial tcp: address {port}: invalid port"
            if port.isdigit()
            else f"error trying to reach service: dial tcp: lookup tcp/{port}: unknown port"
        )
    number = int(port) if port else _DEFAULT_PORTS[scheme]
    shown = failures.address(host, number) if port else f"[{host}]" if ":" in host else host
    return Location(Server(host, number, host, _unverified() if scheme == "https" else None), shown)


@cache
def _unverified() -> Trust:
    return Trust(b"", is_verified=False)


def locate_pod(pod: Object, named: NamedPort) -> Location:
    """Raises BadRequest for an address that nobody may be led to (this machine, its link)."""
    port = named.port or _first_port(pod)
    addresses = (pod.get("status") or {}).get("podIPs") or [{}]
    host: str = addresses[0].get("ip", "")
    if not is_global(host):
        raise errors.BadRequest(_NOT_ALLOWED)
    return locate(named.scheme, host, port)


def _first_port(pod: Object) -> str:
    for container in pod["spec"].get("containers") or ():
        if ports := container.get("ports"):
            return str(ports[0].get("containerPort", ""))
    return ""


async def locate_node(kubelet: Server, named: NamedPort) -> Location:
    """Its kubelet, or another port of its machine. Raises BadRequest, also for an address that nobody may be led to:
    all that its name stands for are looked at, and one of those is called whatever the name stands for later."""
    hosts = await _look_up(kubelet.host)
    if not all(map(is_global, hosts)):
        raise errors.BadRequest(_NOT_ALLOWED)
    if named.port in ("", str(kubelet.port)):
        return Location(kubelet._replace(host=hosts[0]), failures.address(kubelet.host, kubelet.port))
    found = locate(named.scheme, kubelet.host, named.port)
    return found._replace(server=found.server._replace(host=hosts[0]))


async def _look_up(host: str) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise errors.BadRequest(f"lookup {host}: no such host") from None
    return [str(each[4][0]) for each in found]


def name_of_port(service: Object, name: str, number: int) -> str:
    """Raises ServiceUnavailable."""
    for port in service["spec"].get("ports") or []:
        if port.get("port") == number:
            return str(port.get("name", ""))
    raise errors.ServiceUnavailable(f"no service port {number} found for service {gofmt.quote(name)}")


def addresses_of(endpoints: Object, port: str) -> Iterator[tuple[Object, int]]:
    """Ready addresses with the number of the port of this name, from anywhere among them on."""
    subsets = _turned(endpoints.get("subsets") or [])
    for subset in subsets:
        number = next((each.get("port", 0) for each in subset.get("ports") or () if each.get("name", "") == port), 0)
        if number:
            yield from ((address, number) for address in _turned(subset.get("addresses") or []))


def _turned(values: list[Object]) -> list[Object]:
    at = random.randrange(len(values)) if values else 0
    return values[at:] + values[:at]


def is_global(text: str) -> bool:
    """Go's IsGlobalUnicast."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    is_local = address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    return not is_local and str(address) != "255.255.255.255"


def path_behind(parts: tuple[str, ...], path: str) -> str:
    """The decoded path at the server: `parts` stand behind `proxy` in the request's `path`. It never leads above the
    server's own root, and keeps its slash at the end."""
    rest = "/".join(parts)
    ends = path.endswith("/")
    if not rest:
        return "/" if ends else ""
    cleaned = posixpath.normpath(f"/{rest.lstrip('/')}")
    return f"{cleaned}/" if ends and cleaned != "/" else cleaned
