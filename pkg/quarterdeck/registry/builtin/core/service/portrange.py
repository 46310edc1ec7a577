"""The node ports that are taken, as servers that share a store agree on them: one object, replaced by comparison.

Its data are a number in big-endian bytes; bit n stands for the n-th port of the range. What only this object says is
taken may belong to a service that is being written, so that it is taken for a leak after some rounds alone.

Source: pkg/registry/core/service/allocator/{bitmap.go,storage/storage.go}, portallocator/controller/repair.go.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.builtin.core.service.allocation import show_ports
from quarterdeck.registry.errors import interpret
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import ResourceCache
from quarterdeck.storage.interface import KeyExists, KeyNotFound, RevisionConflict, Storage, StorageError

RESOURCE: Final = "ranges"
_NAME: Final = "servicenodeports"
_TRIES_MAX: Final = 64
_SHIFT_MAX: Final = 65535  # between the first ports of two ranges
# Rounds of repair in which nobody knew a port before it is free again.
_ROUNDS_OF_LEAKS: Final = 3


class Taken(Exception):
    """Another server has given the value away."""

    def __init__(self, value: str) -> None:
        super().__init__(value)
        self.value = value


class _Missing(Exception):
    """Nobody has made the object yet."""


class PortRange:
    """`cache` is that of the range objects, `find_ports` finds the ports that stored services have, once what `storage`
    holds now is known; `ports` are those that may be given. Each method raises APIStatus."""

    def __init__(
        self, storage: Storage, cache: ResourceCache, find_ports: Callable[[], Iterable[int]], ports: range
    ) -> None:
        self._storage = storage
        self._ports = ports
        self._range = show_ports(ports)
        self._cache = cache
        self._find_ports = find_ports
        self._key = cache.prefix + _NAME
        self._writing = asyncio.Lock()  # of one server only one write at a time can be the next
        self._leaks: dict[int, int] = {}

    async def claim(self, ports: Iterable[int]) -> None:
        """Take all of them, or raise Taken."""
        wanted = self._bits_of(ports)

        def add(bits: int) -> int:
            if both := bits & wanted:
                raise Taken(str(self._ports[(both & -both).bit_length() - 1]))
            return bits | wanted

        try:
            await self._change(add)
        except _Missing:
            await self.repair()
            await self._change(add)

    async def give_back(self, ports: Iterable[int]) -> None:
        unwanted = self._bits_of(ports)
        try:
            await self._change(lambda bits: bits & ~unwanted)
        except _Missing:
            return

    async def repair(self) -> list[int]:
        """Have the object say what the services say; the ports that it did not know of."""
        missing: list[int] = []

        def rebuild(bits: int) -> int:
            used = self._bits_of(self._find_ports())
            missing[:] = self._ports_of(used & ~bits)
            leaks = self._ports_of(bits & ~used)
            self._leaks = {port: self._leaks.get(port, _ROUNDS_OF_LEAKS) - 1 for port in leaks}
            return used | self._bits_of(port for port, rounds in self._leaks.items() if rounds > 0)

        await self._change(rebuild, is_made=True)
        return missing

    async def _change(self, change: Callable[[int], int], *, is_made: bool = False) -> None:
        async with self._writing:
            try:
                for number in range(_TRIES_MAX):
                    # The first guess is what the cache has. Where services are looked at it has to be as new as they.
                    if await self._try(change, is_guess=number == 0 and not is_made, is_made=is_made):
                        return
            except StorageError as error:
                raise interpret(error, "", RESOURCE, _NAME) from error
        raise errors.InternalError.of(f"the node ports {self._range} are changed by others all the time")

    async def _try(self, change: Callable[[int], int], *, is_guess: bool, is_made: bool) -> bool:
        known = self._cache.get("", _NAME) if is_guess else None
        if known is not None:
            obj, revision = json_codec.load(known.data), known.revision
        else:
            found = await self._storage.get(self._key)
            if found is None and not is_made:
                raise _Missing
            obj = json_codec.load(found.value) if found is not None else {}
            revision = found.revision if found is not None else 0
        if is_made:
            await self._cache.shared.catch_up()
        bits = self._read(obj)
        try:
            new = change(bits)
        except Taken:
            if known is None:
                raise
            return False  # look again: it may have been given back
        if new == bits and revision:
            return True
        try:
            if revision:
                await self._storage.update(self._key, self._build(obj, new), revision)
            else:
                await self._storage.create(self._key, self._build(obj, new))
        except (RevisionConflict, KeyExists, KeyNotFound):
            return False
        return True

    def _read(self, obj: Object) -> int:
        """An object that cannot be read has nothing taken: the services say what is. Of another server's range counts
        what both have."""
        found = obj.get("range")
        try:
            shift = int(found.partition("-")[0]) - self._ports[0] if isinstance(found, str) else 0
            bits = int.from_bytes(base64.b64decode(obj.get("data") or ""), "big")
        except (binascii.Error, ValueError):
            return 0
        if not found or abs(shift) > _SHIFT_MAX:
            return 0
        return (bits << shift if shift >= 0 else bits >> -shift) & ((1 << len(self._ports)) - 1)

    def _build(self, known: Mapping[str, object], bits: int) -> bytes:
        metadata = {name: value for name, value in _metadata(known).items() if name != "resourceVersion"}
        data = base64.b64encode(bits.to_bytes((bits.bit_length() + 7) // 8, "big")).decode("ascii")
        return json_codec.encode(
            {"apiVersion": "v1", "kind": "RangeAllocation", "metadata": metadata, "range": self._range, "data": data}
        )

    def _bits_of(self, ports: Iterable[int]) -> int:
        bits = 0
        for port in ports:
            if port in self._ports:
                bits |= 1 << (port - self._ports[0])
        return bits

    def _ports_of(self, bits: int) -> list[int]:
        return [port for place, port in enumerate(self._ports) if bits >> place & 1]


def _metadata(obj: Mapping[str, object]) -> dict[str, object]:
    found = obj.get("metadata")
    return found if isinstance(found, dict) else {}
