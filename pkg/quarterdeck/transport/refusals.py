"""What the transport itself answers: requests that no application gets to see.

Texts, codes and the closed connection follow net/http's server (server.go: conn.serve), the 413 apiserver's
endpoints/handlers/rest.go (limitedReadBody).
"""

from __future__ import annotations

from typing import Final, cast

from quarterdeck._kernels import http1
from quarterdeck.apimachinery import errors
from quarterdeck.transport.messages import Response

_TEXT: Final = "text/plain; charset=utf-8"
_PHRASES: Final = {408: "Request Timeout", 413: "Request Entity Too Large", 429: "Too Many Requests"}
_TEXTS: Final[dict[int, tuple[int, str, str]]] = {
    http1.BAD_REQUEST: (400, "Bad Request", ""),
    http1.HOST_MISSING: (400, "Bad Request", "missing required Host header"),
    http1.HOST_MALFORMED: (400, "Bad Request", "malformed Host header"),
    http1.HEADER_VALUE_INVALID: (400, "Bad Request", ""),
    http1.HEADER_NAME_INVALID: (400, "Bad Request", "invalid header name"),
    http1.VERSION_UNSUPPORTED: (505, "HTTP Version Not Supported", "unsupported protocol version"),
    http1.HEAD_TOO_LARGE: (431, "Request Header Fields Too Large", ""),
}


def refuse_head(reason: int) -> bytes:
    """The answer to a head that the parser refused."""
    if reason == http1.TRANSFER_ENCODING_UNSUPPORTED:
        return build_text(501, "Not Implemented", "Unsupported transfer encoding")
    code, phrase, detail = _TEXTS[reason]
    line = f"{phrase}: {detail}" if detail else phrase
    return build_text(code, line, f"{code} {line}")


def refuse_expectation() -> bytes:
    return b"HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def answer_bodies() -> Response:
    """There are too many bytes of bodies in flight."""
    headers = [("Content-Type", _TEXT), ("Retry-After", "1")]
    return Response(429, headers, b"Too many requests, please try again later.\n")


def answer_slow_body() -> Response:
    """Differs from upstream: it waits for a body for ever."""
    return Response(408, [("Content-Type", _TEXT)], b"408 Request Timeout")


def answer_head_too_large() -> Response:
    """What HTTP/2 clients get for too many fields."""
    return Response(431, [("Content-Type", _TEXT)], b"")


def answer_connect() -> Response:
    """Nothing is a proxy for other servers here."""
    return Response(405, [("Content-Type", _TEXT)], b"405 Method Not Allowed")


def refuse_stream(stream: Response) -> Response:
    """One watch too many (upstream's answer to any request beyond its limits: server/filters/maxinflight.go). The
    stream is told the status, for who counts and audits it."""
    stream.status = 429
    headers = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Retry-After", "1"),
        ("X-Content-Type-Options", "nosniff"),
    ]
    return Response(stream.status, headers, b"Too many requests, please try again later.\n")


def answer_large_body(body_bytes_max: int) -> Response:
    """Differs from upstream: it authenticates the client first."""
    import orjson

    status = errors.RequestEntityTooLarge.of(f"limit is {body_bytes_max}").to_status()
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-cache, private")]
    return Response(413, headers, orjson.dumps(status) + b"\n")


def render(answer: Response) -> bytes:
    """A refusal over HTTP/1.1, which ends the connection."""
    (_, content_type), *others = answer.headers
    fields = "".join(f"\r\n{name}: {value}" for name, value in others)
    return _build(answer.status, _PHRASES[answer.status], content_type + fields, cast("bytes", answer.body))


def build_text(code: int, phrase: str, text: str) -> bytes:
    return _build(code, phrase, "text/plain; charset=utf-8", text.encode())


def _build(code: int, phrase: str, content_type: str, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {code} {phrase}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
