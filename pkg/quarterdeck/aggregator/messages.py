"""What is changed of a request on its way to another server, and of the answer on its way back: names of this hop are
left out, who asks and from where is told.

Source: net/http/httputil/reverseproxy.go; apimachinery/pkg/util/proxy/{transport,upgradeaware}.go; apiserver/pkg/util/
proxy/proxy.go (NewRequestForProxy).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote, unquote_to_bytes, urlsplit

from quarterdeck.aggregator.remotes import Pair
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.messages import Headers, Request

_OF_HOP: Final = frozenset(
    (
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
# What is told anew, or was meant for this server.
_REPLACED: Final = frozenset(
    (
        "audit-id",
        "authorization",
        "content-length",
        "expect",
        "host",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-forwarded-uri",
        "x-remote-group",
        "x-remote-uid",
        "x-remote-user",
    )
)
_REMOTE_EXTRA: Final = "x-remote-extra-"
_IMPERSONATE: Final = "impersonate-"
# The server says these itself.
_NOT_GIVEN_ON: Final = frozenset(
    (
        "access-control-allow-credentials",
        "access-control-allow-headers",
        "access-control-allow-methods",
        "access-control-allow-origin",
        "audit-id",
        "content-length",
        "date",
        "x-kubernetes-pf-flowschema-uid",
        "x-kubernetes-pf-prioritylevel-uid",
    )
)
_NO_VALUE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def wants_upgrade(headers: Mapping[str, str]) -> bool:
    """Source: apimachinery/pkg/util/httpstream (IsUpgradeRequest)."""
    return "upgrade" in headers.get("connection", "").lower()


def encode_path(path: str) -> str:
    """As Go spells the path that it has decoded: an escaped slash becomes one, as it was for whoever authorized it."""
    return quote(unquote_to_bytes(path), safe="/$&+,:;=@")


def build_request(request: Request, authority: str, audit_id: str, identity: Iterable[Pair]) -> bytes:
    """The request as it goes on the wire to the server at `authority`. Raises CallFailed where a value cannot be a
    field's."""
    path = encode_path(request.path)
    target = f"{path}?{request.query}" if request.query else path
    body = request.body
    pairs = [("Host", authority), *_fields_of(request.headers), *identity, ("Audit-Id", audit_id)]
    pairs += _forwarding_fields(request, authority, path)
    if body or request.method not in ("GET", "HEAD", "DELETE", "OPTIONS"):
        pairs.append(("Content-Length", str(len(body))))
    return _encode(request.method, target, pairs) + body


def build_get(path: str, authority: str, pairs: Iterable[Pair]) -> bytes:
    """A request of this server's own."""
    return _encode("GET", path, [("Host", authority), ("User-Agent", "kube-aggregator"), *pairs])


def _encode(method: str, target: str, pairs: Iterable[Pair]) -> bytes:
    lines = [f"{method} {target} HTTP/1.1".encode("latin-1")]
    for name, value in pairs:
        if _NO_VALUE.search(value) is not None:
            raise CallFailed(f"net/http: invalid header field value for {json.dumps(name)}")
        lines.append(f"{name}: {value}".encode("utf-8", "surrogateescape"))
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _fields_of(headers: Mapping[str, str]) -> Iterable[Pair]:
    of_connection = _tokens(headers.get("connection", ""))
    for name, value in headers.items():
        if name in _OF_HOP or name in _REPLACED or name in of_connection:
            continue
        # A line feed begins the names under which the parser keeps repeated fields apart.
        if name.startswith(("\n", _REMOTE_EXTRA, _IMPERSONATE)):
            continue
        yield _canonical(name), _as_sent(value)


def _forwarding_fields(request: Request, authority: str, path: str) -> Iterable[Pair]:
    """The address of the client stands behind those of the proxies before."""
    earlier, client = request.headers.get("x-forwarded-for", ""), request.connection.remote_address
    if client:
        yield "X-Forwarded-For", f"{_as_sent(earlier)}, {client}" if earlier else client
    elif earlier:
        yield "X-Forwarded-For", _as_sent(earlier)
    yield "X-Forwarded-Host", authority
    yield "X-Forwarded-Proto", "https"
    yield "X-Forwarded-Uri", path


def answer_fields(fields: Headers, authority: str) -> Headers:
    """Of an answer, but for its length."""
    of_connection = _tokens(", ".join(value for name, value in fields if name == "connection"))
    return [
        (_canonical(name), _rewrite(value, authority) if name == "location" else value)
        for name, value in fields
        if name not in _OF_HOP and name not in _NOT_GIVEN_ON and name not in of_connection
    ]


def _rewrite(location: str, authority: str) -> str:
    """An absolute path is one at the server that was asked."""
    try:
        parts = urlsplit(location)
    except ValueError:
        return location
    if parts.netloc not in ("", authority) or not parts.path.startswith("/"):
        return location
    return parts._replace(scheme="https", netloc=authority).geturl()


def _tokens(value: str) -> frozenset[str]:
    return frozenset(token.strip().lower() for token in value.split(","))


def _canonical(name: str) -> str:
    """Source: net/textproto (CanonicalMIMEHeaderKey)."""
    return "-".join(part.capitalize() for part in name.split("-"))


def _as_sent(value: str) -> str:
    """The parser reads the octets of a value one by one; they are sent again as they came."""
    return value if value.isascii() else value.encode("latin-1").decode("utf-8", "surrogateescape")
