"""The first line of a response, for each code that an API server answers with (RFC 9110, 15)."""

from __future__ import annotations

from typing import Final

_PHRASES: Final = {
    101: "Switching Protocols",
    200: "OK",
    201: "Created",
    202: "Accepted",
    204: "No Content",
    301: "Moved Permanently",
    302: "Found",
    304: "Not Modified",
    307: "Temporary Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    409: "Conflict",
    410: "Gone",
    412: "Precondition Failed",
    413: "Request Entity Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}
_LINES: Final = {code: f"HTTP/1.1 {code} {phrase}\r\n".encode() for code, phrase in _PHRASES.items()}
WITHOUT_BODY: Final = frozenset((101, 204, 304))
WITH_BODY: Final = {code: line for code, line in _LINES.items() if code not in WITHOUT_BODY}


def build(code: int) -> bytes:
    """A code that is not in the table has no phrase: HTTP allows that."""
    return _LINES.get(code) or f"HTTP/1.1 {code} \r\n".encode()


def build_old(code: int) -> bytes:
    """The same for a client of HTTP/1.0, as net/http answers it (RFC 9110, 6.2, would have 1.1)."""
    return b"HTTP/1.0" + build(code)[8:]
