"""A blocking HTTP client for one request at a time: recordings are replayed by many threads, each with its own."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import urllib.parse
from typing import Any, NamedTuple

from support.waiting import PATIENCE_S

_SAFE = "/?&=%,:;!()~*'+@$-._[]"


class Answer(NamedTuple):
    code: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


class Client:
    """Speaks HTTP to `host:port`, or HTTPS with `context`; `token` may be empty. A connection serves one request, or
    all of its thread."""

    def __init__(
        self,
        host: str,
        port: int,
        token: str = "",
        context: ssl.SSLContext | None = None,
        *,
        keeps_connections: bool = False,
    ) -> None:
        self._host, self._port, self._token, self._context = host, port, token, context
        self._keeps_connections = keeps_connections
        self._of_thread = threading.local()

    def __call__(
        self, method: str, path: str, body: Any = None, headers: dict[str, str | None] | None = None
    ) -> Answer:
        sent = {"Accept": "application/json", "User-Agent": "golden/1.0"}
        if self._token:
            sent["Authorization"] = f"Bearer {self._token}"
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
            sent["Content-Type"] = "application/json"
        data = body.encode() if isinstance(body, str) else body
        for name, value in (headers or {}).items():
            if value is None:
                sent.pop(name, None)
            else:
                sent[name] = value
        request = (method, urllib.parse.quote(path, safe=_SAFE), data, sent)
        kept = getattr(self._of_thread, "connection", None)
        if kept is not None and kept.sock is not None:
            try:
                return _exchange(kept, request)
            except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLEOFError):
                kept.close()  # the server has closed it meanwhile
        connection = self._connect()
        if self._keeps_connections:
            self._of_thread.connection = connection
            return _exchange(connection, request)
        try:
            return _exchange(connection, request)
        finally:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=PATIENCE_S)
        return http.client.HTTPSConnection(self._host, self._port, timeout=PATIENCE_S, context=self._context)


def _exchange(connection: http.client.HTTPConnection, request: tuple[str, str, bytes | None, dict[str, str]]) -> Answer:
    method, target, body, headers = request
    try:
        connection.request(method, target, body=body, headers=headers)
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())
    except BaseException:
        connection.close()
        raise
