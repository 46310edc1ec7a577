"""A request's body in chunks in which something is wrong. Texts: net/http's (internal/chunked.go)."""

from __future__ import annotations

from typing import Final, Self

from quarterdeck._kernels import http1chunks

FAULTS: Final = {
    http1chunks.CHUNK_MALFORMED: "malformed chunked encoding",
    http1chunks.CHUNK_LINE_BARE_LF: "chunked line ends with bare LF",
    http1chunks.CHUNK_LINE_CR: "invalid CR in chunked line",
    http1chunks.CHUNK_LINE_TOO_LONG: "header line too long",
    http1chunks.CHUNK_LENGTH_EMPTY: "empty hex number for chunk length",
    http1chunks.CHUNK_LENGTH_INVALID: "invalid byte in chunk length",
    http1chunks.CHUNK_LENGTH_TOO_LARGE: "http chunk length too large",
    http1chunks.CHUNK_EXCESS: "chunked encoding contains too much non-data",
}


class BrokenBody(bytes):
    """Nothing of the body, and why: whoever asks for it is told `fault`."""

    fault: str

    @classmethod
    def of(cls, fault: str) -> Self:
        body = cls()
        body.fault = fault
        return body
