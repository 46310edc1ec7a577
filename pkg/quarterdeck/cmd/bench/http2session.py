"""What all connections of the bench over HTTP/2 have in common: how they are agreed on, and what requests say."""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels.http2client import ClientSession
from quarterdeck.cmd.bench.messages import JSON, NotTaken, Unreachable
from quarterdeck.cmd.client import RequestError
from quarterdeck.cmd.kubeconfig import Target

Fields = tuple[tuple[bytes, bytes], ...]

_PROTOCOL: Final = "h2"
# RFC 9113, 7.
_REASONS: Final = (
    *("NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED"),
    *("FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM"),
    *("INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"),
)

_REFUSED_STREAM: Final = _REASONS.index("REFUSED_STREAM")


def offer(target: Target) -> None:
    """Have the connections to come offer HTTP/2. The processes of a load call it: their copy of the target is their
    own, and other requests of the bench go on over HTTP/1.1."""
    if target.tls is not None:
        target.tls.set_alpn_protocols([_PROTOCOL, "http/1.1"])


def check_offer(target: Target, chosen: str | None) -> None:
    """`chosen`: the protocol that TLS has agreed on. Raises Unreachable."""
    if target.tls is not None and chosen != _PROTOCOL:
        raise Unreachable(f"{target.url} does not offer HTTP/2")


def check_session(target: Target, session: ClientSession, streams: int) -> None:
    """Whether the server takes so many streams; it has greeted, or said something else. Raises Unreachable."""
    if not session.is_greeted:
        raise Unreachable(f"{target.url} does not speak HTTP/2")
    if session.streams_max < streams:
        text = f"{target.url} allows {session.streams_max} streams a connection, {streams} are wanted: --streams"
        raise Unreachable(text)


def build_session(target: Target) -> ClientSession:
    scheme = b"https" if target.tls is not None else b"http"
    return ClientSession(scheme, f"{target.host}:{target.port}".encode())


def build_fields(target: Target) -> Fields:
    """Those of every request."""
    given = tuple((name.lower().encode(), value.encode()) for name, value in target.headers.items())
    return ((b"accept", JSON.encode()), *given)


def build_error(code: int) -> RequestError:
    """That of a request whose stream was reset."""
    kind = NotTaken if code == _REFUSED_STREAM else RequestError
    return kind(f"the server reset a stream: {name_reason(code)}")


def name_reason(code: int) -> str:
    """Why a stream was reset."""
    return _REASONS[code] if code < len(_REASONS) else str(code)
