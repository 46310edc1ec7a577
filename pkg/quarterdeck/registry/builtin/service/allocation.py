"""Values of which every service gets its own: cluster addresses and node ports.

What is held is what the stored services say: it is counted in them at the first use and follows the feed of commits.
What writes under way have reserved is kept beside that. So a write that fails leaves nothing behind, and one whose
outcome is unknown keeps its values until it is known.

Source: pkg/registry/core/service/{ipallocator,portallocator} (their outcome, not their bitmaps).
"""

from __future__ import annotations

import ipaddress
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

CLUSTER_RANGE: Final = "10.0.0.0/24"
FIRST_ADDRESS: Final = "10.0.0.1"  # of the server itself
NODE_PORTS: Final = range(30000, 32768)
HEADLESS: Final = "None"

# Values below these positions are given only to those who ask for them, while there are others.
_ADDRESSES_SET_ASIDE: Final = 16
_NODE_PORTS_SET_ASIDE: Final = 86


class Pool:
    """One range of values. `list_values` gives all of them; `find_held` what a stored service holds."""

    def __init__(
        self, list_values: Callable[[], Sequence[str]], set_aside: int, find_held: Callable[[Object], Iterable[str]]
    ) -> None:
        self._list_values = list_values
        self._set_aside = set_aside
        self._find_held = find_held
        self._held: Counter[str] = Counter()
        self._reserved: Counter[str] = Counter()

    def __contains__(self, value: str) -> bool:
        return value in self._members

    def is_free(self, value: str) -> bool:
        return value not in self._held and value not in self._reserved

    def find_free(self) -> str | None:
        """Some free value; None where there is none."""
        return self._search(self._set_aside, len(self._values)) or self._search(0, self._set_aside)

    def reserve(self, value: str) -> None:
        self._reserved[value] += 1

    def release(self, value: str) -> None:
        _take_one(self._reserved, value)

    def note_stored(self, service: Object) -> None:
        self._held.update(self._find_held(service))

    def note_gone(self, service: Object) -> None:
        for value in self._find_held(service):
            _take_one(self._held, value)

    def _search(self, begin: int, end: int) -> str | None:
        """From a place by chance on to the end, then from the beginning."""
        if begin >= end:
            return None
        values = self._values
        start = random.randrange(begin, end)
        places = itertools.chain(range(start, end), range(begin, start))
        return next((values[place] for place in places if self.is_free(values[place])), None)

    @cached_property
    def _values(self) -> Sequence[str]:
        return self._list_values()

    @cached_property
    def _members(self) -> frozenset[str]:
        return frozenset(self._values)


class Allocators:
    """What the services of one server share. `services` is their cache."""

    def __init__(self, services: ResourceCache) -> None:
        self._services = services
        self._is_following = False
        self._addresses = Pool(_list_addresses, _ADDRESSES_SET_ASIDE, _addresses_of)
        self._node_ports = Pool(lambda: [str(port) for port in NODE_PORTS], _NODE_PORTS_SET_ASIDE, _node_ports_of)

    @property
    def addresses(self) -> Pool:
        self._follow()
        return self._addresses

    @property
    def node_ports(self) -> Pool:
        self._follow()
        return self._node_ports

    def _follow(self) -> None:
        if not self._is_following:
            self._is_following = True
            for entry in self._services.state.all():
                self._note(entry, is_stored=True)
            self._services.listeners.append(self._on_change)

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


class Reservation:
    """What one write takes from the pools. A dry run takes nothing, and is shown ports beyond the range."""

    def __init__(self, allocators: Allocators, *, dry_run: bool) -> None:
        self._allocators = allocators
        self._dry_run = dry_run
        self._taken: list[tuple[Pool, str]] = []
        self._shown_ports: set[int] = set()
        self._highest_shown_port = 0

    def release(self) -> None:
        """The write is over; what it stored is held by the service now."""
        taken, self._taken = self._taken, []
        for pool, value in taken:
            pool.release(value)

    def take_address(self, asked: str) -> str:
        """The address, any free one for "". Raises Refused."""
        pool = self._allocators.addresses
        if not asked:
            chosen = pool.find_free()
            if chosen is None:
                raise Refused("range is full")
            return self._take(pool, chosen)
        if asked not in pool:
            raise Refused(f"the provided IP is not in the valid range. The range of valid IPs is {CLUSTER_RANGE}")
        if not pool.is_free(asked):
            raise Refused("provided IP is already allocated")
        return self._take(pool, asked)

    def take_node_port(self, asked: int) -> int:
        """The port, any free one for 0. Raises Refused."""
        pool = self._allocators.node_ports
        if self._dry_run:
            return self._show_port(pool, asked)
        if not asked:
            chosen = pool.find_free()
            if chosen is None:
                raise Refused("range is full")
            return int(self._take(pool, chosen))
        if asked not in NODE_PORTS:
            valid = f"{NODE_PORTS[0]}-{NODE_PORTS[-1]}"
            raise Refused(f"provided port is not in the valid range. The range of valid ports is {valid}")
        if not pool.is_free(str(asked)):
            raise Refused("provided port is already allocated")
        return int(self._take(pool, str(asked)))

    def _take(self, pool: Pool, value: str) -> str:
        if not self._dry_run:
            pool.reserve(value)
            self._taken.append((pool, value))
        return value

    def _show_port(self, pool: Pool, asked: int) -> int:
        if asked and (asked in self._shown_ports or not pool.is_free(str(asked))):
            raise Refused("provided port is already allocated")
        shown = asked or (self._highest_shown_port or NODE_PORTS[-1]) + 1
        self._shown_ports.add(shown)
        self._highest_shown_port = max(self._highest_shown_port, shown)
        return shown


class Refused(Exception):
    """A value that was asked for cannot be had; the text is for the client."""


def _list_addresses() -> list[str]:
    return [str(address) for address in ipaddress.ip_network(CLUSTER_RANGE).hosts()]


def _addresses_of(service: Object) -> Iterator[str]:
    spec: dict[str, Any] = service.get("spec") or {}
    return (address for address in spec.get("clusterIPs") or [] if address != HEADLESS)


def _node_ports_of(service: Object) -> list[str]:
    spec: dict[str, Any] = service.get("spec") or {}
    found = [port["nodePort"] for port in spec.get("ports") or [] if port.get("nodePort")]
    if spec.get("healthCheckNodePort"):
        found.append(spec["healthCheckNodePort"])
    return [str(port) for port in found]


def _take_one(counter: Counter[str], value: str) -> None:
    """Leaves no zeros behind."""
    if counter[value] > 1:
        counter[value] -= 1
    else:
        counter.pop(value, None)
