"""Ranges from which services get addresses: the server's own, and those of ServiceCIDR objects that are ready.

Source: pkg/registry/core/service/ipallocator/{ipallocator,cidrallocator}.go.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final, overload

from quarterdeck.apimachinery import addresses
from quarterdeck.apimachinery.addresses import Network
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import ResourceCache

IPV4: Final = "IPv4"
IPV6: Final = "IPv6"
FAMILIES: Final = (IPV4, IPV6)
# Upstream makes no allocator for a larger range of IPv6.
_IPV6_PREFIX_MIN: Final = 64
_SET_ASIDE_MIN: Final = 16


class AddressRange(Sequence[str]):
    """The addresses of a range but its first, and of IPv4 but its last, none of which is kept."""

    def __init__(self, network: Network) -> None:
        self.text = str(network)
        self.network = network
        self.family = FAMILIES[network.version == 6]
        self._first = network.network_address + 1 if network.num_addresses > 1 else network.network_address
        self._count = max(network.num_addresses - (2 if network.version == 4 else 1), 0)

    @property
    def first(self) -> str:
        """The server's own."""
        return str(self._first)

    @property
    def set_aside(self) -> int:
        return count_set_aside(self._count, 16, 256)

    def __len__(self) -> int:
        """Of a range of 2^64 addresses as many as Python can count."""
        return min(self._count, sys.maxsize)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        return str(self._first + place)

    def __contains__(self, text: object) -> bool:
        address = addresses.parse_ip(text) if isinstance(text, str) else None
        if address is None or address.version != self.network.version:
            return False
        return 0 <= int(address) - int(self._first) < self._count


def count_set_aside(count: int, divisor: int, most: int) -> int:
    """How many of the first values of a range are given only to those who ask for them, while there are others: one in
    `divisor`, but neither few nor more than `most` (upstream: calculateRangeOffset)."""
    return min(max(count // divisor, _SET_ASIDE_MIN), most) if count > _SET_ASIDE_MIN else 0


def parse(text: str) -> AddressRange | None:
    """None: no range from which addresses can be given."""
    parsed = addresses.parse_cidr(text)
    if parsed is None or (parsed[1].version == 6 and parsed[1].prefixlen < _IPV6_PREFIX_MIN):
        return None
    return AddressRange(parsed[1])


def own(texts: Sequence[str]) -> tuple[AddressRange, ...]:
    """The server's own ranges, one a family, which were looked at before."""
    found = []
    for text in texts:
        parsed = addresses.parse_cidr(text)
        assert parsed is not None, text
        found.append(AddressRange(parsed[1]))
    return tuple(found)


def family_of(address: str) -> str:
    return IPV6 if ":" in address else IPV4


def ready_ranges(cidrs: ResourceCache) -> Iterator[AddressRange]:
    """Those of ServiceCIDR objects that may be used. One of which nobody says whether it is ready is."""
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
    return all(each.get("status") == "True" for each in conditions if each.get("type") == "Ready")
