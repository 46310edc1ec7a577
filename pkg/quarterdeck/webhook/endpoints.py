"""Which endpoint of a service is called: a ready one that has the service's port.

Source: apiserver/pkg/util/proxy/proxy.go (ResolveEndpoint).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Object = Mapping[str, Any]
Address = tuple[str, int]


def pick(slices: Iterable[Object], port: str) -> Address | None:
    """An address of `EndpointSlice`s for the service's port of this name; None where none is ready."""
    return _choose([address for each in slices for address in _of_slice(each, port)])


def pick_from_endpoints(endpoints: Object, port: str) -> Address | None:
    """Likewise, of an `Endpoints` object."""
    return _choose([address for each in endpoints.get("subsets") or () for address in _of_subset(each, port)])


def _choose(found: Sequence[Address]) -> Address | None:
    return random.choice(found) if found else None


def _of_slice(each: Object, port: str) -> Iterator[Address]:
    number = _port_named(each, port)
    for endpoint in each.get("endpoints") or () if number else ():
        addresses = endpoint.get("addresses")
        if addresses and (endpoint.get("conditions") or {}).get("ready") is not False:
            yield addresses[0], number


def _of_subset(each: Object, port: str) -> Iterator[Address]:
    number = _port_named(each, port)
    for address in each.get("addresses") or () if number else ():
        yield address["ip"], number


def _port_named(each: Object, name: str) -> int:
    """0 where there is none."""
    return next((port.get("port") or 0 for port in each.get("ports") or () if (port.get("name") or "") == name), 0)
