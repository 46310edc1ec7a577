"""One server at a time: a key below no prefix of Kubernetes', held by a lease of etcd's.

Controllers and the addresses of services are worked on by this process alone, so that a second server on the same data
has to be refused. A server that was killed leaves its key for as long as the lease lasts: the next one waits for that.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable
from typing import Final

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.client import Client

TTL_S: Final = 10
_RENEW_S: Final = 3.0
_RETRY_S: Final = 0.5
_LOG: Final = logging.getLogger(__name__)


class Claim:
    """`lost` is called when another server may have taken over."""

    def __init__(self, client: Client, prefix: str, lost: Callable[[BaseException], None]) -> None:
        self._client = client
        self._key = f"quarterdeck/server{prefix.rstrip('/')}".encode()
        self._holder = f"{socket.gethostname()} (process {os.getpid()})".encode()
        self._lost = lost
        self._lease = 0
        self._revision = 0
        self._task: asyncio.Task[None] | None = None

    async def take(self) -> None:
        """Waits for a lease to run out. Raises InUse, Unavailable."""
        self._lease, _ = messages.decode_lease(
            await self._client.call_once(messages.LEASE + "LeaseGrant", messages.encode_lease_grant(TTL_S))
        )
        end_s = time.monotonic() + TTL_S + _RENEW_S
        while True:
            outcome = await self._client.txn(messages.encode_put(self._key, self._holder, 0, self._lease))
            if outcome.succeeded:
                self._revision = outcome.revision
                break
            await self._renew()
            if time.monotonic() > end_s:
                holder = outcome.found.value.decode(errors="replace") if outcome.found is not None else "another"
                raise interface.InUse(f"etcd ({holder})")
            await asyncio.sleep(_RETRY_S)
        self._task = asyncio.get_running_loop().create_task(self._keep())

    async def _keep(self) -> None:
        """A lease that cannot be renewed may have run out: nobody can tell who works on the data then."""
        renewed_s = time.monotonic()
        while True:
            await asyncio.sleep(_RENEW_S)
            try:
                if await self._renew():
                    renewed_s = time.monotonic()
                    continue
                if await self._take_again():
                    renewed_s = time.monotonic()
                    continue
                self._lost(interface.InUse("etcd (another server took over)"))
                return
            except (interface.Unavailable, interface.SpaceExceeded) as error:
                _LOG.warning(
                    "etcd did not renew this server's lease for %.0f s: %s", time.monotonic() - renewed_s, error
                )

    async def _take_again(self) -> bool:
        """The lease ran out while etcd was away. Nobody else may have come meanwhile."""
        self._lease, _ = messages.decode_lease(
            await self._client.call_once(messages.LEASE + "LeaseGrant", messages.encode_lease_grant(TTL_S))
        )
        return (await self._client.txn(messages.encode_put(self._key, self._holder, 0, self._lease))).succeeded

    async def _renew(self) -> bool:
        return await self._client.keep_alive(self._lease)

    async def give_up(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._lease:
            try:
                request = messages.encode_lease(self._lease)
                await self._client.call_once(messages.LEASE + "LeaseRevoke", request, timeout_s=2.0)
            except interface.StorageError:
                pass  # it runs out by itself
