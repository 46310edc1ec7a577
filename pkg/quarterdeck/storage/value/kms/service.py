"""The plugin's side: calls over gRPC on a Unix socket. grpcio is imported when the first provider is set up.

A call waits for the plugin to be there, at most its timeout. Answers come in gRPC's thread and are handed to the loop.

Source: apiserver/pkg/storage/value/encrypt/envelope/kmsv2/grpc_service.go; k8s.io/kms/pkg/util.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final
from urllib.parse import urlsplit

from quarterdeck.storage.value.kms import messages
from quarterdeck.storage.value.kms.messages import Source, Status
from quarterdeck.storage.value.kms.observer import Observer
from quarterdeck.storage.value.transformer import TransformError

_SERVICE: Final = "/v2.KeyManagementService/"
_RECONNECT_MS_MAX: Final = 5000
_ANSWER_BYTES_MAX: Final = 256 * 1024


def parse_endpoint(endpoint: str) -> str:
    """The address for gRPC of "unix:///path" or "unix:///@abstract"."""
    path = urlsplit(endpoint).path
    return f"unix-abstract:{path[2:]}" if path.startswith("/@") else f"unix:{path}"


class Service:
    """Raises ImportError where grpcio is not installed."""

    def __init__(self, name: str, endpoint: str, timeout_s: float, observer: Observer) -> None:
        import grpc

        self._name = name
        self._timeout_s = timeout_s
        self._observer = observer
        self._loop = asyncio.get_running_loop()
        options = (
            ("grpc.default_authority", "localhost"),
            ("grpc.enable_http_proxy", 0),
            ("grpc.max_reconnect_backoff_ms", _RECONNECT_MS_MAX),
            ("grpc.max_receive_message_length", _ANSWER_BYTES_MAX),
            ("grpc.use_local_subchannel_pool", 1),
        )
        self._channel: Any = grpc.insecure_channel(parse_endpoint(endpoint), options)
        self._methods: dict[str, Any] = {
            name: self._channel.unary_unary(_SERVICE + name) for name in ("Status", "Encrypt", "Decrypt")
        }

    async def status(self) -> Status:
        """Each of these raises TransformError."""
        return messages.decode_status(await self._call("Status", b""))

    async def encrypt(self, uid: str, plain: bytes) -> Source:
        return messages.decode_encrypt(await self._call("Encrypt", messages.encode_encrypt(plain, uid)))

    async def decrypt(self, uid: str, source: Source) -> bytes:
        return messages.decode_decrypt(await self._call("Decrypt", messages.encode_decrypt(source, uid)))

    def close(self) -> None:
        self._channel.close()

    async def _call(self, method: str, message: bytes) -> bytes:
        answered: asyncio.Future[None] = self._loop.create_future()
        begin = time.perf_counter()
        call = self._methods[method].future(message, timeout=self._timeout_s, wait_for_ready=True)
        call.add_done_callback(lambda _: self._wake(answered))
        try:
            await answered
        finally:
            call.cancel()
        code = _camel(call.code().name)
        self._observer.call(self._name, _SERVICE + method, code, time.perf_counter() - begin)
        if code != "OK":
            raise TransformError(f"rpc error: code = {code} desc = {call.details()}", code)
        answer: bytes = call.result()
        return answer

    def _wake(self, answered: asyncio.Future[None]) -> None:
        """Called in gRPC's thread."""

        def settle() -> None:
            if not answered.done():
                answered.set_result(None)

        try:
            self._loop.call_soon_threadsafe(settle)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more


def _camel(name: str) -> str:
    """ "DEADLINE_EXCEEDED" as Go writes it."""
    return "OK" if name == "OK" else "".join(part.capitalize() for part in name.split("_"))
