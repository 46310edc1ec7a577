"""Calls of etcd over gRPC, with another member where one fails. grpcio is imported when the first client is made.

A call goes to the member that answered last. A read that finds no member there is asked again of the next one, and so
is a write that certainly never left; any other failed write may have happened. etcd's own refusals keep their words,
which clients and operators know.

Source of the settings: apiserver/pkg/storage/storagebackend/factory/etcd3.go; of the errors: etcd
api/v3rpc/rpctypes/error.go.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any, Final
from urllib.parse import urlsplit

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.settings import Settings

CALL_S: Final = 20.0
"""etcd itself gives up some 7 s after its leader is gone."""
_PAUSE_S: Final = 0.1
_MESSAGE_BYTES_MAX: Final = (1 << 31) - 1
_KEEPALIVE_MS: Final = 30_000
_KEEPALIVE_TIMEOUT_MS: Final = 10_000
_RECONNECT_MS_MAX: Final = 1000
_never_sent: Final = re.compile("failed to connect|Connection refused|DNS resolution failed").search
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
    """Raises ImportError where grpcio is not installed, OSError for files that cannot be read."""

    def __init__(self, settings: Settings) -> None:
        from grpc import aio

        self._aio: Any = aio
        credentials = _credentials(settings)
        self._channels: list[Any] = [_open(aio, server, credentials) for server in settings.servers]
        self._calls: dict[tuple[int, str], Any] = {}
        self._current = 0

    async def range(self, request: bytes, timeout_s: float = CALL_S) -> messages.Ranged:
        return messages.decode_range(await self.read(messages.KV + "Range", request, timeout_s))

    async def txn(self, request: bytes) -> messages.Outcome:
        return messages.decode_txn(await self._call(messages.KV + "Txn", request, is_read=False, timeout_s=CALL_S))

    async def read(self, method: str, request: bytes, timeout_s: float = CALL_S) -> bytes:
        """A call that may be made twice."""
        return await self._call(method, request, is_read=True, timeout_s=timeout_s)

    async def call_once(self, method: str, request: bytes, timeout_s: float = CALL_S) -> bytes:
        return await self._call(method, request, is_read=False, timeout_s=timeout_s)

    def watch(self) -> Any:
        """A stream of WatchRequests and WatchResponses, with the current member."""
        return self._channels[self._current].stream_stream(messages.WATCH)()

    def turn_away(self) -> None:
        """The current member does not serve: the next one is asked from now on."""
        self._current = (self._current + 1) % len(self._channels)

    @property
    def call_error(self) -> Any:
        """What a stream raises."""
        return self._aio.AioRpcError

    async def close(self) -> None:
        for channel in self._channels:
            await channel.close()

    async def _call(self, method: str, request: bytes, *, is_read: bool, timeout_s: float) -> bytes:
        end_s = time.monotonic() + timeout_s
        while True:
            member = self._current
            try:
                answer: bytes = await self._method(member, method)(
                    request, timeout=max(0.001, end_s - time.monotonic())
                )
                return answer
            except self._aio.AioRpcError as error:
                failure = _translate(error.code().name, error.details() or "")
                if not isinstance(failure, EtcdError) or time.monotonic() + _PAUSE_S > end_s:
                    raise failure from error
                is_passing = failure.code == "UNAVAILABLE" and (is_read or not failure.was_sent)
                if not is_passing:
                    raise failure from error
            if member == self._current:
                self.turn_away()
            await asyncio.sleep(_PAUSE_S)

    def _method(self, member: int, method: str) -> Any:
        call = self._calls.get((member, method))
        if call is None:
            call = self._calls[member, method] = self._channels[member].unary_unary(method)
        return call


def _translate(code: str, text: str) -> Exception:
    if "required revision has been compacted" in text:
        return CompactedThere(text)
    if "required revision is a future revision" in text:
        return FutureThere(text)
    if _sizes(text):
        return interface.TooLarge(text)
    if "database space exceeded" in text:
        return interface.SpaceExceeded(text)
    if code == "DEADLINE_EXCEEDED" and not text.startswith("etcdserver:"):
        return EtcdError(code, "context deadline exceeded")
    told = text if text.startswith("etcdserver:") else f"rpc error: code = {_camel(code)} desc = {text}"
    # A member that stops while a write waits for its turn says so, and the write may be made all the same.
    return EtcdError(code, told, was_sent=not _never_sent(text))


def _camel(name: str) -> str:
    """ "DEADLINE_EXCEEDED" as Go writes it."""
    return "".join(part.capitalize() for part in name.split("_"))


def _credentials(settings: Settings) -> Any:
    """None where no server wants TLS."""
    if not any(urlsplit(server).scheme == "https" for server in settings.servers):
        return None
    import grpc

    files = (settings.authority_file, settings.key_file, settings.cert_file)
    return grpc.ssl_channel_credentials(*(file.read_bytes() if file is not None else None for file in files))


def _open(aio: Any, server: str, credentials: Any) -> Any:
    parts = urlsplit(server)
    options = (
        ("grpc.enable_http_proxy", 0),
        ("grpc.keepalive_time_ms", _KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", _KEEPALIVE_TIMEOUT_MS),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", _RECONNECT_MS_MAX),
        ("grpc.max_receive_message_length", _MESSAGE_BYTES_MAX),
        ("grpc.max_send_message_length", _MESSAGE_BYTES_MAX),
        ("grpc.use_local_subchannel_pool", 1),
    )
    target = f"unix:{parts.path}" if parts.scheme == "unix" else parts.netloc
    if parts.scheme == "https":
        return aio.secure_channel(target, credentials, options)
    return aio.insecure_channel(target, options)
