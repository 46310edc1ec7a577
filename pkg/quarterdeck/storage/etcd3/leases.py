"""Leases of etcd's, for what is kept for a time. Many events share one: each costs etcd as much as an object.

Source: apiserver/pkg/storage/etcd3/lease_manager.go.
"""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.client import Client

EVENTS: Final = "/registry/core/events/"
_REUSED_S: Final = 60.0
_REUSED_PART: Final = 0.05
_OBJECTS_MAX: Final = 1000


class Leases:
    """`ttl_s`: for how long events are kept at least; 0: for ever."""

    def __init__(self, client: Client, ttl_s: float) -> None:
        self._client = client
        self._ttl_s = ttl_s
        self._reused_s = max(1.0, min(_REUSED_S, ttl_s * _REUSED_PART))
        self._granting = asyncio.Lock()
        self._lease = 0
        self._until_s = 0.0
        self._objects = 0

    async def grant(self, ttl_s: int) -> int:
        """Raises Unavailable."""
        return messages.decode_lease(await self._client.call_once(messages.GRANT, messages.encode_grant(ttl_s)))

    async def of_event(self) -> int:
        """The lease of an event that is written now; 0: none. Raises Unavailable."""
        if self._ttl_s <= 0:
            return 0
        async with self._granting:
            now_s = asyncio.get_running_loop().time()
            if now_s >= self._until_s or self._objects >= _OBJECTS_MAX:
                self._lease = await self.grant(round(self._ttl_s + self._reused_s))
                self._until_s, self._objects = now_s + self._reused_s, 0
            self._objects += 1
            return self._lease
