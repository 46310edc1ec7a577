"""What one client may take up: bytes, connections and time.

The values are kube-apiserver's where it has one (apiserver/pkg/server/config.go, secure_serving.go). It has no bound on
a slow body or on a client that does not read; here both are cut off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

# Upstream's bound, so that clients do not keep connecting anew.
GOAWAY_CHANCE_MAX: Final = 0.02


class HTTP2Settings(NamedTuple):
    is_served: bool = True
    streams_max: int = 250
    """Of one connection at a time (--http2-max-streams-per-connection)."""
    goaway_chance: float = 0.0
    """How likely a client is asked to connect anew, at each request (--goaway-chance)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Times are kept by a sweep twice a second, so each may run over by one second."""

    head_bytes_max: int = (1 << 20) + 4096
    """MaxHeaderBytes and what net/http adds to it; more is answered 431."""
    fields_max: int = 1000
    body_bytes_max: int = 3 * 1024 * 1024
    # Differs from upstream: there bodies are bounded by the requests in flight alone.
    all_bodies_bytes_max: int = 40 * 3 * 1024 * 1024
    """Of all connections together, from their heads to their answers; a request whose body is too many is answered 429.
    Bodies of 64 KiB and less are not counted (docs/adr/0101)."""
    head_timeout_s: float = 32.0
    """From the first byte (from the accept for the first request, the TLS handshake included) to the last of a head."""
    body_timeout_s: float = 60.0
    """From the head to the last byte of the body: 52 KiB/s suffice for the largest one. Answered 408."""
    request_timeout_s: float = 60.0
    """--request-timeout: from the last byte of a request to its answer's first; a request may ask for less."""
    idle_timeout_s: float = 90.0
    """Between two requests of a connection, reading the last answer included."""
    # Differs from upstream: there the output of a client that does not read is kept as it comes.
    write_timeout_s: float = 30.0
    """How long more than `write_high_bytes` may stand unread until a quarter of that is left (6.4 KiB/s)."""
    stream_write_timeout_s: float = 7.0
    """How long a stream's client that is behind may take nothing at all. A watch costs its selection a ring of frames
    meanwhile, and a client that is cut off comes back with what it has seen last."""
    write_high_bytes: int = 256 * 1024
    linger_timeout_s: float = 5.0
    """How long input is read and dropped after a refusal, so that the client gets to read the answer."""
    pipeline_bytes_max: int = 64 * 1024
    """Bytes that are taken in while an answer is being made; then the connection is not read any more."""
    pipeline_turn_max: int = 64
    """Requests of one connection that are answered before others get their turn."""
    pipeline_turn_s: float = 0.005
    """So long at most, but for the first two."""
    connections_max: int = 16384
    gzip_bytes_min: int = 128 * 1024

    http2: HTTP2Settings = HTTP2Settings()  # noqa: RUF009 - it cannot be changed

    @property
    def streams_max(self) -> int:
        """How many of the connections may carry watches. The others are kept for short requests, so that who has to
        find out why there are so many watches is not locked out by them."""
        return self.connections_max - max(self.connections_max // 16, min(32, self.connections_max // 4))
