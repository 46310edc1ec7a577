"""What is changed of a request on its way to another server, and of the answer on its way back: names of this hop are
left out, who asks and from where is told.

Source: net/http/httputil/reverseproxy.go; apimachinery/pkg/util/proxy/{transport,upgradeaware}.go; apiserver/pkg/util/
proxy/proxy.go (NewRequestForProxy).
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from urllib.parse import quote, quote_plus, unquote_to_bytes, urlsplit

from quarterdeck._kernels import query as query_kernel
from quarterdeck.transport.brokenbodies import BrokenBody
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.fields import as_utf8
from quarterdeck.transport.messages import Headers, Request

Pair = tuple[str, str]

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
# A body's end is told by its length alone, and credentials were for this server.
_NEVER_SENT: Final = frozenset(("proxy-authorization", "trailer", "transfer-encoding"))
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
_QUERY_CHARS_MAX: Final = 8192
_NO_VALUE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class Links(NamedTuple):
    """How addresses that an answer names lead through this server: those of absolute paths, at one of `hosts`, get
    this `scheme` and `host`, and `prefix` before the path. Without a `host` the last of `hosts`, the one that the
    client has called, stays."""

    hosts: tuple[str, ...]
    scheme: str = ""
    host: str = ""
    prefix: str = ""

    def rewrite(self, location: str) -> str:
        try:
            parts = urlsplit(location)
        except ValueError:
            return location
        if not self.hosts or parts.netloc not in ("", *self.hosts) or not parts.path.startswith("/"):
            return location
        keeps_host = not self.host and parts.netloc == self.hosts[-1]
        scheme, host = (parts.scheme, parts.netloc) if keeps_host else (self.scheme, self.host)
        path = parts.path if parts.path.startswith(self.prefix) else f"{self.prefix}{parts.path}"
        return parts._replace(scheme=scheme, netloc=host, path=path).geturl()


def wants_upgrade(headers: Mapping[str, str]) -> bool:
    """Whether the client asks to speak another protocol on the connection.

    Differs from upstream: h2c is no such protocol. What is in it are requests, which nobody here would look at.
    Source: apimachinery/pkg/util/httpstream (IsUpgradeRequest)."""
    return "upgrade" in headers.get("connection", "").lower() and "h2c" not in headers.get("upgrade", "").lower()


def encode_path(path: str) -> str:
    """As Go spells the path that it has decoded: an escaped slash becomes one, as it was for whoever authorized it."""
    return quote(unquote_to_bytes(path), safe="/$&+,:;=@")


def quote_path(path: str) -> str:
    """A decoded path, likewise."""
    return quote(path, safe="/$&+,:;=@")


def encode_query(query: str) -> str:
    """As Go's url.Values are written: in the order of their names, without pairs that cannot be read. A long one stays
    as it is, since reading it would hold up others."""
    if not query or len(query) > _QUERY_CHARS_MAX:
        return query
    read = query_kernel.parse_query(query, keeps_bytes=True)
    sorted_names = sorted(read, key=lambda name: name.encode("utf-8", "surrogateescape"))
    return "&".join([f"{_quote(name)}={_quote(value)}" for name in sorted_names for value in read[name]])


def _quote(text: str) -> str:
    return quote_plus(text, errors="surrogateescape")


def forwarded_uri(path: str) -> str:
    """A path as other servers are told it: without steps that lead nowhere. Source: apimachinery/pkg/util/proxy/
    transport.go (RoundTrip)."""
    clean = "/" + posixpath.normpath(encode_path(path)).lstrip("/")
    return f"{clean}/" if path.endswith("/") and clean != "/" else clean


def build_request(
    request: Request, target: str, host: str, pairs: Iterable[Pair], *, is_upgrade: bool = False
) -> bytes:
    """The request as it goes on the wire to the server that knows itself as `host`, for `target` (path and query) and
    with `pairs` behind its own fields; one for an upgrade keeps those of this hop. Raises CallFailed where a value
    cannot be a field's, and where the body came broken: without it the request would mean something else."""
    body = request.body
    if isinstance(body, BrokenBody):
        raise CallFailed(body.fault)
    fields = [("Host", host), *_fields_of(request.headers, keeps_hop=is_upgrade), *pairs]
    if not is_upgrade and "trailers" in _tokens(request.headers.get("te", "")):
        fields.append(("Te", "trailers"))
    if body or request.method not in ("GET", "HEAD", "DELETE", "OPTIONS"):
        fields.append(("Content-Length", str(len(body))))
    return _encode(request.method, target, fields) + body


def forwarded_for(request: Request) -> Iterable[Pair]:
    """The address of the client stands behind those of the proxies before."""
    earlier, client = request.headers.get("x-forwarded-for", ""), request.connection.remote_address
    if client:
        yield "X-Forwarded-For", f"{_as_sent(earlier)}, {client}" if earlier else client
    elif earlier:
        yield "X-Forwarded-For", _as_sent(earlier)


def build_own(
    method: str,
    target: str,
    authority: str,
    pairs: Iterable[Pair],
    body: bytes = b"",
    *,
    agent: str = "kube-aggregator",
) -> bytes:
    """A request of this server's own."""
    length = [("Content-Length", str(len(body)))] if body else []
    return _encode(method, target, [("Host", authority), ("User-Agent", agent), *pairs, *length]) + body


def _encode(method: str, target: str, pairs: Iterable[Pair]) -> bytes:
    lines = [f"{method} {target} HTTP/1.1".encode("latin-1")]
    for name, value in pairs:
        if _NO_VALUE.search(value) is not None:
            raise CallFailed(f"net/http: invalid header field value for {json.dumps(name)}")
        lines.append(f"{name}: {value}".encode("utf-8", "surrogateescape"))
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _fields_of(headers: Mapping[str, str], *, keeps_hop: bool) -> Iterable[Pair]:
    of_hop = frozenset() if keeps_hop else _OF_HOP | _tokens(headers.get("connection", ""))
    for name, value in headers.items():
        if name in of_hop or name in _REPLACED or name in _NEVER_SENT:
            continue
        # A line feed begins the names under which the parser keeps repeated fields apart.
        if name.startswith(("\n", _REMOTE_EXTRA, _IMPERSONATE)):
            continue
        apart = headers.get(f"\n{name}")  # the value may be the first alone
        yield _canonical(name), _as_sent(value if apart is None else apart.replace("\n", ", "))


def answer_fields(fields: Headers, links: Links, *, is_upgrade: bool = False) -> Headers:
    """Of an answer, but for its length; one that upgrades the connection keeps those of the hop."""
    of_connection = _tokens(", ".join(value for name, value in fields if name == "connection"))
    of_hop = frozenset() if is_upgrade else _OF_HOP | of_connection
    return [
        (_canonical(name), links.rewrite(value) if name == "location" else as_utf8(value))
        for name, value in fields
        if name not in of_hop and name not in _NOT_GIVEN_ON
    ]


def _tokens(value: str) -> frozenset[str]:
    return frozenset(token.strip().lower() for token in value.split(","))


def _canonical(name: str) -> str:
    """Source: net/textproto (CanonicalMIMEHeaderKey)."""
    return "-".join(part.capitalize() for part in name.split("-"))


def _as_sent(value: str) -> str:
    """The parser reads the octets of a value one by one; they are sent again as they came."""
    return value if value.isascii() else value.encode("latin-1").decode("utf-8", "surrogateescape")
