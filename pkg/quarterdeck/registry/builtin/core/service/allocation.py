"""Values of which every service gets its own: cluster addresses and node ports.

What is held is what the stored services say: it is counted in them at the first use and follows the feed of commits.
What writes under way have reserved is kept beside that. So a write that fails leaves nothing behind, and one whose
outcome is unknown keeps its values until it is known.

Source: pkg/registry/core/service/{ipallocator,portallocator} (their outcome, not their bitmaps).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import addresses
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.builtin.core.service.pool import DYNAMIC, STATIC, Counts, Pool
from quarterdeck.registry.builtin.core.service.ranges import (
    IPV6,
    AddressRange,
    count_set_aside,
    family_of,
    own,
    ready_ranges,
)
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

DEFAULT_RANGES: Final[tuple[str, ...]] = ("10.0.0.0/24",)
NODE_PORTS: Final = range(30000, 32768)
HEADLESS: Final = "None"
MANAGED_BY: Final = "ipaddress.kubernetes.io/managed-by"
MANAGER: Final = "ipallocator.k8s.io"
OWN_RANGE: Final = "kubernetes"
"""The ServiceCIDR of the server's own ranges."""

_SHOWN_BEFORE: Final = 32768  # the port before the first that a dry run is shown
_INT32_MAX: Final = 2**31 - 1
_OF_SERVICE: Final = f'"{MANAGER}"'.encode()


class ServiceRanges(NamedTuple):
    """What a server gives to services: `addresses` of CIDRs, of one or of each family, and ports of nodes."""

    addresses: Sequence[str] = DEFAULT_RANGES
    node_ports: range = NODE_PORTS


class Allocators:
    """What the services of one server share. `services` is their cache. `cidrs` holds the objects of ranges, `taken`
    the addresses that are taken, by others too. `defaults` are the server's own ranges, first that of its primary
    family: they count until there is an object of them. `port_range`: the node ports that are given."""

    def __init__(
        self,
        services: ResourceCache,
        cidrs: ResourceCache | None = None,
        taken: ResourceCache | None = None,
        defaults: Sequence[AddressRange] = (),
        port_range: range = NODE_PORTS,
    ) -> None:
        self._services = services
        self._cidrs = cidrs
        self._taken = taken
        self._is_following = False
        self.defaults = tuple(defaults) or own(DEFAULT_RANGES)
        self.families = tuple(each.family for each in self.defaults)
        self.port_range = port_range
        self._addresses = Pool(addresses_of)
        self._node_ports = Pool(node_ports_of)
        self.address_counts = Counts()
        self.port_counts = Counts()

    @property
    def addresses(self) -> Pool:
        self._follow()
        return self._addresses

    def default_of(self, family: str) -> AddressRange:
        return next(each for each in self.defaults if each.family == family)

    @property
    def node_ports(self) -> Pool:
        self._follow()
        return self._node_ports

    def ranges(self, family: str) -> list[AddressRange]:
        """The largest first of those in which an address is."""
        others = tuple(ready_ranges(self._cidrs)) if self._cidrs is not None else ()
        has_own = self._cidrs is not None and self._cidrs.get("", OWN_RANGE) is not None
        usable = others if has_own else (*self.defaults, *others)
        found = {each.text: each for each in usable if each.family == family}
        return sorted(found.values(), key=lambda each: each.network.prefixlen)

    def _follow(self) -> None:
        if not self._is_following:
            self._is_following = True
            for entry in self._services.state.all():
                self._note(entry, is_stored=True)
            self._services.listeners.append(self._on_change)
            if self._taken is not None:
                for entry in self._taken.state.all():
                    self._note_address(entry, is_stored=True)
                self._taken.listeners.append(self._on_address)

    def _on_change(self, change: Change) -> None:
        if change.old is not None:
            self._note(change.old, is_stored=False)
        if change.entry is not None:
            self._note(change.entry, is_stored=True)

    def _note(self, entry: Entry, *, is_stored: bool) -> None:
        service = json_codec.load(entry.data)
        for pool in (self._addresses, self._node_ports):
            if is_stored:
                pool.note_stored(service)
            else:
                pool.note_gone(service)

    def _on_address(self, change: Change) -> None:
        if change.old is not None:
            self._note_address(change.old, is_stored=False)
        if change.entry is not None:
            self._note_address(change.entry, is_stored=True)

    def _note_address(self, entry: Entry, *, is_stored: bool) -> None:
        """An object that follows a service says nothing that the service does not."""
        if _OF_SERVICE not in entry.data:
            if is_stored:
                self._addresses.note_taken(entry.name)
            else:
                self._addresses.note_left(entry.name)


class Reservation:
    """What one write takes from the pools. A dry run takes nothing, and is shown ports beyond the usual range,
    whatever the range is."""

    def __init__(self, allocators: Allocators, *, dry_run: bool) -> None:
        self._allocators = allocators
        self.is_dry_run = dry_run
        self._taken: list[tuple[Pool, str]] = []
        self._shown_ports: set[int] = set()
        self._highest_shown_port = 0

    def claim(self) -> None:
        """Nobody else gives values away."""

    def keep(self) -> None:
        """The feed tells what was stored."""

    def taken_of(self, pool: Pool) -> list[str]:
        return [value for each, value in self._taken if each is pool]

    def release(self) -> None:
        """The write is over; what it stored is held by the service now."""
        taken, self._taken = self._taken, []
        for pool, value in taken:
            pool.release(value)

    def take_address(self, asked: str, family: str) -> str:
        """The address, any free one for "". Raises Refused."""
        pool = self._allocators.addresses
        ranges, counts = self._allocators.ranges(family), self._allocators.address_counts
        if self.is_dry_run:
            return self._show_address(asked, next(iter(ranges), self._allocators.default_of(family)))
        if not asked:
            for each in ranges:
                if (chosen := pool.find_free(each, each.set_aside)) is not None:
                    counts.given[each.text, DYNAMIC] += 1
                    return self._take(pool, chosen)
                counts.refused[each.text, DYNAMIC] += 1
            raise Refused("range is full")
        found = next((each for each in ranges if asked in each), None)  # a range's first and last address are not in it
        if found is None:
            raise Refused("the provided network does not match the current range")
        if not pool.is_free(as_printed(asked)):
            counts.refused[found.text, STATIC] += 1
            raise Refused("provided IP is already allocated")
        counts.given[found.text, STATIC] += 1
        self._take(pool, as_printed(asked))
        return asked

    def _show_address(self, asked: str, among: AddressRange) -> str:
        """Nobody looks whether it is taken, and in other ranges than one."""
        if not asked:
            return str(among.network.network_address)  # which no service can have
        if asked not in among:
            text = f"the provided IP ({asked}) is not in the valid range. The range of valid IPs is {among.text}"
            raise Refused(text)
        return asked

    def take_node_port(self, asked: int) -> int:
        """The port, any free one for 0. Raises Refused."""
        pool = self._allocators.node_ports
        if self.is_dry_run:
            return self._show_port(pool, asked)
        counts, scope = self._allocators.port_counts, ("", STATIC if asked else DYNAMIC)
        try:
            port = _find_port(pool, asked, self._allocators.port_range)
        except Refused:
            counts.refused[scope] += 1
            raise
        counts.given[scope] += 1
        return int(self._take(pool, port))

    def _take(self, pool: Pool, value: str) -> str:
        if not self.is_dry_run:
            pool.reserve(value)
            self._taken.append((pool, value))
        return value

    def _show_port(self, pool: Pool, asked: int) -> int:
        if asked and (asked in self._shown_ports or not pool.is_free(str(asked))):
            raise Refused("provided port is already allocated")
        # Upstream counts on from the ports it has shown, and from 0 where all of those are below it.
        last = self._highest_shown_port if self._shown_ports else _SHOWN_BEFORE
        shown = asked or last + 1
        self._shown_ports.add(shown)
        self._highest_shown_port = max(self._highest_shown_port, shown)
        return shown if shown <= _INT32_MAX else shown - 2**32  # what comes after the largest is the smallest in Go


class Refused(Exception):
    """A value that was asked for cannot be had; the text is for the client."""


def _find_port(pool: Pool, asked: int, among: range) -> str:
    if not asked:
        chosen = pool.find_free(_port_texts(among), count_set_aside(len(among), 32, 128))
        if chosen is None:
            raise Refused("range is full")
        return chosen
    if asked not in among:
        raise Refused(f"provided port is not in the valid range. The range of valid ports is {show_ports(among)}")
    if not pool.is_free(str(asked)):
        raise Refused("provided port is already allocated")
    return str(asked)


@lru_cache(maxsize=1)
def _port_texts(ports: range) -> list[str]:
    return [str(port) for port in ports]


def show_ports(ports: range) -> str:
    return f"{ports[0]}-{ports[-1]}"


def addresses_of(service: Object) -> Iterator[str]:
    """As their objects are named."""
    spec: dict[str, Any] = service.get("spec") or {}
    return (as_printed(address) for address in spec.get("clusterIPs") or [] if address != HEADLESS)


def as_printed(address: str) -> str:
    """Clients may spell an address of IPv6 in several ways."""
    parsed = addresses.parse_ip(address) if family_of(address) == IPV6 else None
    return address if parsed is None else str(parsed)


def node_ports_of(service: Object) -> list[str]:
    """Those that a service of type ExternalName names it is not given: they stay free."""
    spec: dict[str, Any] = service.get("spec") or {}
    if spec.get("type") == "ExternalName":
        return []
    found = [port["nodePort"] for port in spec.get("ports") or [] if port.get("nodePort")]
    if spec.get("healthCheckNodePort"):
        found.append(spec["healthCheckNodePort"])
    return [str(port) for port in found]
