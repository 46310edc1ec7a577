"""A KMS v2 plugin for tests, behind a Unix socket: its "encryption" marks what it is given.

Protobuf is read and written by its own hand."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

SEALED = b"sealed:"


def field(number: int, value: bytes) -> bytes:
    size = len(value)
    assert size < 1 << 14
    length = bytes((size,)) if size < 128 else bytes((size & 127 | 128, size >> 7))
    return bytes((number << 3 | 2,)) + length + value


def fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Of lengths alone, below 16 KiB: the plugin is sent nothing else."""
    at = 0
    while at < len(message):
        number, size, at = message[at] >> 3, message[at + 1], at + 2
        if size > 127:
            size, at = size & 127 | message[at] << 7, at + 1
        yield number, message[at : at + size]
        at += size


class Plugin:
    """`key_id` and `healthz` may be changed while it runs; `calls` names the methods that were called."""

    def __init__(self, path: Path) -> None:
        import grpc

        self.key_id = "kek-1"
        self.healthz = "ok"
        self.version = "v2"
        self.calls: list[str] = []
        self._grpc = grpc
        self._path = path
        self._server: Any = None

    def start(self) -> None:
        handlers = {
            name: self._grpc.unary_unary_rpc_method_handler(handle)
            for name, handle in (("Status", self._status), ("Encrypt", self._encrypt), ("Decrypt", self._decrypt))
        }
        self._server = self._grpc.server(ThreadPoolExecutor(2))
        self._server.add_generic_rpc_handlers(
            (self._grpc.method_handlers_generic_handler("v2.KeyManagementService", handlers),)
        )
        self._server.add_insecure_port(f"unix:{self._path}")
        self._server.start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.stop(None).wait()
            self._server = None

    def __enter__(self) -> Plugin:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _status(self, _: bytes, context: Any) -> bytes:
        self.calls.append("Status")
        return field(1, self.version.encode()) + field(2, self.healthz.encode()) + field(3, self.key_id.encode())

    def _encrypt(self, message: bytes, context: Any) -> bytes:
        self.calls.append("Encrypt")
        plain = dict(fields(message))[1]
        annotation = field(1, b"version.plugin.example.com") + field(2, b"7")
        return field(1, SEALED + plain) + field(2, self.key_id.encode()) + field(3, annotation)

    def _decrypt(self, message: bytes, context: Any) -> bytes:
        self.calls.append("Decrypt")
        given = dict(fields(message))
        if not given[1].startswith(SEALED) or 4 not in given:
            context.abort(self._grpc.StatusCode.INVALID_ARGUMENT, "not sealed here")
        return field(1, given[1].removeprefix(SEALED))
