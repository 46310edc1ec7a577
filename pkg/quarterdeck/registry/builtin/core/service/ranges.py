"""Ranges from which services get addresses: the server's own, and those of ServiceCIDR objects that are ready.

Source: pkg/registry/core/service/ipallocator/{ipallocator,cidrallocator}.go.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from typing import Final, overload

from quarterdeck.apimachinery import addresses
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import ResourceCache

# A sixteenth of the addresses, but neither fewer nor more than these, is given only to those who ask.
_SET_ASIDE_MIN: Final = 16
_SET_ASIDE_MAX: Final = 256


class AddressRange(Sequence[str]):
    """The addresses of an IPv4 range but its first and last, none of which is kept."""

    def __init__(self, network: ipaddress.IPv4Network) -> None:
        self.text = str(network)
        self.network = network
        self._begin = int(network.network_address) + 1
        self._count = max(network.num_addresses - 2, 0)

    @property
    def first(self) -> str:
        """The server's own."""
        return str(ipaddress.IPv4Address(self._begin))

    @property
    def set_aside(self) -> int:
        if self._count <= _SET_ASIDE_MIN:
            return 0
        return min(max(self._count // 16, _SET_ASIDE_MIN), _SET_ASIDE_MAX)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self._count))]
        return str(ipaddress.IPv4Address(self._begin + place))

    def __contains__(self, text: object) -> bool:
        address = addresses.parse_ip(text) if isinstance(text, str) else None
        return address is not None and 0 <= int(address) - self._begin < self._count and address in self.network


def parse(text: str) -> AddressRange | None:
    """None: not an IPv4 range."""
    parsed = addresses.parse_cidr(text)
    network = parsed[1] if parsed is not None else None
    return AddressRange(network) if isinstance(network, ipaddress.IPv4Network) else None


def own(text: str) -> AddressRange:
    """The server's own range, which was looked at before."""
    found = parse(text)
    assert found is not None, text
    return found


def ready_ranges(cidrs: ResourceCache) -> Iterator[AddressRange]:
    """Those of ServiceCIDR objects that may be used."""
    for entry in cidrs.state.all():
        obj = json_codec.load(entry.data)
        if _is_ready(obj):
            for text in obj["spec"].get("cidrs") or []:
                if (found := parse(text)) is not None:
                    yield found


def _is_ready(obj: Object) -> bool:
    if "deletionTimestamp" in obj["metadata"]:
        return False
    conditions = (obj.get("status") or {}).get("conditions") or []
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
