"""Calls of etcd over gRPC, with another member where one fails.

A call goes to the member that answered last. A read that finds no member there is asked again of the next one, and so
is a write that certainly never left; any other failed write may have happened. etcd's own refusals keep their words,
which clients and operators know.

Source of the settings: apiserver/pkg/storage/storagebackend/factory/etcd3.go; of the errors: etcd
api/v3rpc/rpctypes/error.go, client/v3/options.go.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Final

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.calls import DEADLINE, UNAVAILABLE, CallError, Owner, Streaming
from quarterdeck.storage.etcd3.member import Member, build_tls
from quarterdeck.storage.etcd3.settings import Settings

if TYPE_CHECKING:
    from quarterdeck._kernels.grpccall import Call

CALL_S: Final = 20.0
"""etcd itself gives up some 7 s after its leader is gone."""
MESSAGE_BYTES_MAX: Final = 2 << 20
"""etcd's client sends no larger ones."""
_PAUSE_S: Final = 0.1
_sizes: Final = re.compile("message larger than max|request is too large").search


class EtcdError(interface.StoreFailed):
    """`code`: gRPC's, in capitals. `was_sent`: the call may have had an effect."""

    def __init__(self, code: str, text: str, *, was_sent: bool = True) -> None:
        super().__init__(text)
        self.code = code
        self.was_sent = was_sent


class CompactedThere(Exception):
    """The asked revision is gone."""


class FutureThere(Exception):
    """The asked revision is not there yet."""


class Client:
    """Raises OSError for files that cannot be read."""

    def __init__(self, settings: Settings) -> None:
        tls = build_tls(settings)
        self._members = [Member(server, tls) for server in settings.servers]
        self._current = 0

    async def range(self, request: bytes, timeout_s: float = CALL_S) -> messages.RangeResponse:
        return messages.decode_range(await self.read(messages.RANGE, request, timeout_s))

    async def txn(self, request: bytes) -> messages.TxnResponse:
        return messages.decode_txn(await self.call_once(messages.TXN, request))

    def read(self, method: bytes, request: bytes, timeout_s: float = CALL_S) -> Awaitable[bytes]:
        """A call that may be made twice."""
        return self._call(method, request, is_read=True, timeout_s=timeout_s)

    def call_once(self, method: bytes, request: bytes) -> Awaitable[bytes]:
        if len(request) > MESSAGE_BYTES_MAX:
            text = f"trying to send message larger than max ({len(request)} vs. {MESSAGE_BYTES_MAX})"
            raise interface.TooLarge(f"rpc error: code = ResourceExhausted desc = {text}")
        return self._call(method, request, is_read=False, timeout_s=CALL_S)

    def begin(self, method: bytes, request: bytes, owner: Owner) -> Call | None:
        """A call to the current member, whose owner is told what comes of it; None where that cannot be asked at
        once."""
        return self._members[self._current].begin(method, request, CALL_S, owner)

    async def watch(self) -> Streaming:
        """A stream of WatchRequests and WatchResponses, with the current member. Raises CallError."""
        return await self._members[self._current].stream(messages.WATCH)

    def turn_away(self) -> None:
        """The current member does not serve: the next one is asked from now on."""
        self._current = (self._current + 1) % len(self._members)

    async def close(self) -> None:
        for member in self._members:
            await member.close()

    async def _call(self, method: bytes, request: bytes, *, is_read: bool, timeout_s: float) -> bytes:
        end_s = time.monotonic() + timeout_s
        while True:
            current = self._current
            try:
                return await self._members[current].unary(method, request, max(0.001, end_s - time.monotonic()))
            except CallError as failed:
                error = failed
            failure = _translate(error)
            if not isinstance(failure, EtcdError) or time.monotonic() + _PAUSE_S > end_s:
                raise failure from error
            is_passing = error.code == UNAVAILABLE and (is_read or not error.was_sent)
            if not is_passing:
                raise failure from error
            if current == self._current:
                self.turn_away()
            await asyncio.sleep(_PAUSE_S)


def _translate(error: CallError) -> Exception:
    text = error.text
    if "required revision has been compacted" in text:
        return CompactedThere(text)
    if "required revision is a future revision" in text:
        return FutureThere(text)
    if _sizes(text):
        return interface.TooLarge(text)
    if "database space exceeded" in text:
        return interface.SpaceExceeded(text)
    if error.code == DEADLINE and not text.startswith("etcdserver:"):
        return EtcdError(error.code, "context deadline exceeded")
    told = text if text.startswith("etcdserver:") else f"rpc error: code = {_camel(error.code)} desc = {text}"
    return EtcdError(error.code, told, was_sent=error.was_sent)


def _camel(name: str) -> str:
    """ "DEADLINE_EXCEEDED" as Go writes it."""
    return "".join(part.capitalize() for part in name.split("_"))
