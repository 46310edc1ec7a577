"""Addresses and node ports of services, where several servers give them away from one store.

Each server knows what is taken from its cache, and chooses by that. Before the service is written each value is claimed
in the store: an address by creating its IPAddress, which nobody else then can, ports in one object that is replaced by
comparison (portrange.py). A value that somebody else was given in between is taken, and all begins anew.

What a write claimed and did not store is given back, and so is what a service had and has not any more. A server that
dies in between leaves claims without a service, which are found and freed (controllers/addressrepair.py).

Source: pkg/registry/core/service/storage/{alloc,transaction}.go, ipallocator/ipallocator.go (createIPAddress).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Protocol

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.builtin.core.service.allocation import (
    Allocators,
    Reservation,
    addresses_of,
    node_ports_of,
)
from quarterdeck.registry.builtin.core.service.pool import Pool
from quarterdeck.registry.builtin.core.service.portrange import PortRange, Taken
from quarterdeck.registry.strategy import Object, copy_value
from quarterdeck.storage.cacher import Entry

_TRIES_MAX: Final = 100
_LOG: Final = logging.getLogger(__name__)


class Addresses(Protocol):
    """The objects of addresses."""

    async def claim(self, address: str, namespace: str, name: str) -> None:
        """Raises Taken, APIStatus."""

    async def give_back(self, address: str, namespace: str, name: str) -> None:
        """Only where it is that service's."""


class Sharing:
    """`catch_up` returns when the cache is as new as the store was."""

    def __init__(
        self, allocators: Allocators, addresses: Addresses, ports: PortRange, catch_up: Callable[[], Awaitable[None]]
    ) -> None:
        self.allocators = allocators
        self.addresses = addresses
        self.ports = ports
        self.catch_up = catch_up

    async def after_write(self, old: Entry | None, new: Object | None) -> None:
        """Give back what the service had and has no more; `new` None: it is gone."""
        if old is None:
            return
        was = json_codec.load(old.data)
        left = new if new is not None else {}
        await self.give_back(old.namespace, old.name, _values(was, addresses_of) - _values(left, addresses_of), True)
        ports = _values(was, node_ports_of) - _values(left, node_ports_of)
        await self.give_back(old.namespace, old.name, ports, False)

    async def give_back(self, namespace: str, name: str, values: Iterable[str], are_addresses: bool) -> None:
        """What is not given back now is found later."""
        given = sorted(values)
        try:
            if are_addresses:
                await asyncio.gather(*(self.addresses.give_back(each, namespace, name) for each in given))
            elif given:
                await self.ports.give_back(map(int, given))
        except errors.APIStatus as error:
            _LOG.warning("what %s/%s had is not given back yet (%s): %s", namespace, name, ", ".join(given), error)


class SharedReservation:
    """Of one write. `begin` fills in what `obj` lacks, by what this server knows, and may refuse it."""

    def __init__(self, sharing: Sharing, obj: Object, begin: Callable[[], Reservation]) -> None:
        self._sharing = sharing
        self._obj = obj
        self._begin = begin
        self._reservation: Reservation | None = None
        self._addresses: set[str] = set()
        self._ports: set[str] = set()

    async def claim(self) -> None:
        """Takes what `begin` chose before another server does; what another one has is avoided, and the next is tried.
        Raises InternalError after _TRIES_MAX of them, and what `begin` does."""
        allocators = self._sharing.allocators
        await self._sharing.catch_up()
        avoided: list[tuple[Pool, str]] = []
        asked = copy_value(self._obj["spec"])
        try:
            for _ in range(_TRIES_MAX):
                self._reservation = self._begin()
                try:
                    await self._claim(self._reservation)
                    return
                except Taken as taken:
                    pool = allocators.node_ports if taken.value.isdigit() else allocators.addresses
                    pool.reserve(taken.value)
                    avoided.append((pool, taken.value))
                    await self.release()
                    self._obj["spec"] = copy_value(asked)
        except BaseException:
            await self.release()
            raise
        finally:
            for pool, value in avoided:
                pool.release(value)
        raise errors.InternalError.of("failed to allocate: other servers took all that was chosen")

    async def _claim(self, reservation: Reservation) -> None:
        metadata = self._obj["metadata"]
        for address in reservation.taken_of(self._sharing.allocators.addresses):
            await self._sharing.addresses.claim(address, metadata.get("namespace", ""), metadata["name"])
            self._addresses.add(address)
        ports = set(reservation.taken_of(self._sharing.allocators.node_ports))
        if ports:
            await self._sharing.ports.claim(map(int, ports))
            self._ports = ports

    def keep(self) -> None:
        self._addresses, self._ports = set(), set()

    async def release(self) -> None:
        addresses, ports = self._addresses, self._ports
        self.keep()
        metadata = self._obj["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata.get("name", "")  # one without a name is refused
        try:
            await self._sharing.give_back(namespace, name, addresses, True)
            await self._sharing.give_back(namespace, name, ports, False)
        finally:
            if self._reservation is not None:
                self._reservation.release()
                self._reservation = None


def _values(service: Object, find: Callable[[Object], Iterable[str]]) -> set[str]:
    return set(find(service))
