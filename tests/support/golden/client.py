"""A blocking HTTP client for one request at a time: recordings are replayed by many threads, each with its own."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.parse
from typing import Any, NamedTuple

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
    """Speaks HTTP to `host:port`, or HTTPS with `context`; `token` may be empty."""

    def __init__(self, host: str, port: int, token: str = "", context: ssl.SSLContext | None = None) -> None:
        self._host, self._port, self._token, self._context = host, port, token, context

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
        if self._context is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=30)
        else:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=30, context=self._context)
        try:
            connection.request(method, urllib.parse.quote(path, safe=_SAFE), body=data, headers=sent)
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        finally:
            connection.close()
