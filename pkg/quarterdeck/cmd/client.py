"""A client of the API: requests and answers as JSON, one at a time on a keep-alive connection.

`send` and `receive` are apart, so that several connections can have a request under way without threads.
"""

from __future__ import annotations

import http.client
import json
import socket
import time
from typing import Any, Final

from quarterdeck.cmd.kubeconfig import Target

JSON: Final = "application/json"
TIMEOUT_S: Final = 60.0
# Servers close idle connections after 90 s and more.
IDLE_MAX_S: Final = 45.0


class RequestError(Exception):
    """The server answered something else than was needed, or nothing."""


class Client:
    def __init__(self, target: Target) -> None:
        self._target = target
        self._connection = connect(target)
        self._used_at_s = time.monotonic()

    def send(self, method: str, path: str, body: object = None, *, accept: str = JSON, sent: str = JSON) -> None:
        """`accept` is the media type that is wanted, `sent` the one of the body, which is JSON."""
        now_s = time.monotonic()
        if now_s - self._used_at_s > IDLE_MAX_S:
            self._connection.close()  # a new one is opened for the request
        self._used_at_s = now_s
        headers = {**self._target.headers, "Accept": accept}
        data = None
        if body is not None:
            data = json.dumps(body, separators=(",", ":"))
            headers["Content-Type"] = sent
        try:
            self._connection.request(method, self._target.root + path, data, headers)
        except OSError as error:
            raise RequestError(f"cannot reach {self._target.url}: {error}") from error

    def receive(self) -> tuple[int, bytes]:
        try:
            response = self._connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            raise RequestError(f"no answer from {self._target.url}: {error!r}") from error

    def call(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        self.send(method, path, body)
        return self.receive()

    def expect(self, status: int) -> Any:
        """The object that is answered. Raises RequestError for another status."""
        return self.read(*self.receive(), wanted=status)

    def read(self, status: int, data: bytes, *, wanted: int = 200) -> Any:
        """The object in an answer. Raises RequestError for another status than the wanted one."""
        if status != wanted:
            raise RequestError(f"{self._target.url} answered {status}: {data[:400].decode(errors='replace')}")
        return json.loads(data)

    def must(self, status: int, method: str, path: str, body: object = None) -> Any:
        self.send(method, path, body)
        return self.expect(status)

    def close(self) -> None:
        self._connection.close()


def connect(target: Target) -> http.client.HTTPConnection:
    if target.tls is None:
        return _Plain(target.host, target.port, timeout=TIMEOUT_S)
    return _Secure(target)


class _Plain(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = dial((self.host, self.port))


class _Secure(http.client.HTTPSConnection):
    """The name that the certificate is checked against may be another than the address."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port, timeout=TIMEOUT_S, context=target.tls)
        self._target = target

    def connect(self) -> None:
        self.sock = open_socket(self._target)


def dial(address: tuple[str, int]) -> socket.socket:
    connection = socket.create_connection(address, timeout=TIMEOUT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def open_socket(target: Target) -> socket.socket:
    """A connection on which a request can be written; an SSLSocket where the server speaks TLS."""
    connection = dial((target.host, target.port))
    if target.tls is None:
        return connection
    return target.tls.wrap_socket(connection, server_hostname=target.server_name)
