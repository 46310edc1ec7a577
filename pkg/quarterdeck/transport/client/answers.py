"""One answer of an HTTP/1.1 server, from bytes: strict, bounded, no I/O.

Lines end in CRLF. Names are tokens, a length stands once, chunked is the one transfer coding. What is wrong is told in
the words of Go's net/http (readResponse, readTransfer).
"""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

from quarterdeck._kernels import http1chunks
from quarterdeck.transport.brokenbodies import FAULTS
from quarterdeck.transport.client.failures import BROKEN, CallFailed

HEAD_BYTES_MAX: Final = 64 * 1024
FIELDS_MAX: Final = 256
_INTERIM_MAX: Final = 5  # answers of the hundreds before the one that counts
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9][0-9])(?: [^\x00-\x08\x0a-\x1f\x7f]*)?")
_NAME: Final = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_BAD_VALUE: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
UNKNOWN: Final = -1  # the body ends where the connection does


class Answer(NamedTuple):
    """`headers`: names in lower case, repeated ones joined with ", "."""

    status: int
    headers: dict[str, str]
    body: bytes


class AnswerParser:
    """Fed until `is_done`. Then `keeps_alive` tells whether the connection may carry another request."""

    __slots__ = (
        "_body",
        "_body_bytes_max",
        "_chunks",
        "_head",
        "_headers",
        "_interims",
        "_left",
        "_scanned",
        "_status",
        "is_done",
        "keeps_alive",
    )

    def __init__(self, body_bytes_max: int) -> None:
        self._body_bytes_max = body_bytes_max
        self._head = bytearray()
        self._scanned = 0
        self._interims = 0
        self._status = 0
        self._headers: dict[str, str] = {}
        self._chunks: http1chunks.ChunkedBody | None = None
        self._body = bytearray()
        self._left = 0
        self.is_done = False
        self.keeps_alive = False

    @property
    def has_status(self) -> bool:
        return self._status > 0

    @property
    def is_untouched(self) -> bool:
        """Not a byte has come."""
        return not self._status and not self._head and not self._interims

    def answer(self) -> Answer:
        body = self._chunks.take() if self._chunks is not None else bytes(self._body)
        return Answer(self._status, self._headers, body)

    def feed(self, data: bytes) -> None:
        """Raises CallFailed where this is no answer, or too much of one."""
        while data and not self.is_done:
            data = self._feed_body(data) if self._status else self._feed_head(data)
        if data:
            self.keeps_alive = False  # more than was asked for: nothing that follows can be trusted

    def end(self) -> None:
        """Nothing more comes. Raises CallFailed unless that is the end of the body."""
        self.keeps_alive = False
        if self.is_done:
            return
        if not self._status:
            raise CallFailed("EOF" if not self._head else "unexpected EOF")
        if self._chunks is not None or self._left != UNKNOWN:
            raise CallFailed("unexpected EOF", has_status=True)
        self.is_done = True

    # The head.

    def _feed_head(self, data: bytes) -> bytes:
        """What follows the head; nothing as long as it is not whole."""
        head = self._head
        head += data
        end = head.find(b"\r\n\r\n", max(self._scanned - 3, 0))
        self._scanned = len(head)
        if end > HEAD_BYTES_MAX or (end < 0 and len(head) > HEAD_BYTES_MAX):
            raise CallFailed(f"net/http: server response headers exceeded {HEAD_BYTES_MAX} bytes; aborted")
        if end < 0:
            if not head.startswith(b"HTTP/"[: len(head)]):
                raise _malformed("malformed HTTP response", bytes(head[:64]).split(b"\r\n")[0])
            return b""
        rest = bytes(head[end + 4 :])
        lines = bytes(head[:end]).split(b"\r\n")
        self._read_head(lines)
        self._head, self._scanned = bytearray(), 0
        return rest

    def _read_head(self, lines: list[bytes]) -> None:
        found = _STATUS_LINE.fullmatch(lines[0])
        if found is None:
            raise _malformed_status(lines[0])
        status = int(found[2])
        headers = _read_fields(lines)
        if status < 200 and status != 101:
            self._interims += 1
            if self._interims > _INTERIM_MAX:
                raise CallFailed("net/http: too many 1xx informational responses")
            return
        self._headers = headers
        options = headers.get("connection", "").lower()
        self.keeps_alive = found[1] == b"1" and "close" not in options and status != 101
        self._begin_body(status, is_old=found[1] == b"0")
        self._status = status

    def _begin_body(self, status: int, *, is_old: bool) -> None:
        headers = self._headers
        coding = headers.get("transfer-encoding")
        length = _read_length(headers)
        if status in (101, 204, 304):
            self.is_done = True
        elif coding is not None and not is_old:
            if coding.lower() != "chunked":
                raise CallFailed(f"{BROKEN}unsupported transfer encoding: {json.dumps(coding)}")
            self._chunks = http1chunks.ChunkedBody(self._body_bytes_max)
            if length != UNKNOWN:
                self.keeps_alive = False
        elif length > self._body_bytes_max:
            raise self._too_large()
        else:
            self._left = length
            self.is_done = length == 0
            if length == UNKNOWN:
                self.keeps_alive = False

    # The body.

    def _feed_body(self, data: bytes) -> bytes:
        """What follows the body."""
        if self._chunks is not None:
            offset = self._chunks.feed(data, 0)
            if offset == http1chunks.CHUNK_TOO_LARGE:
                raise self._too_large()
            if offset < 0:
                raise CallFailed(FAULTS[offset], has_status=True)
            self.is_done = self._chunks.is_done
            return data[offset:]
        if self._left == UNKNOWN:
            self._body += data
            if len(self._body) > self._body_bytes_max:
                raise self._too_large()
            return b""
        taken = data[: self._left]
        self._body += taken
        self._left -= len(taken)
        self.is_done = self._left == 0
        return data[len(taken) :]

    def _too_large(self) -> CallFailed:
        # Differs from upstream: answers are not bounded there.
        return CallFailed(f"response body exceeds {self._body_bytes_max} bytes", has_status=True)


def _read_fields(lines: list[bytes]) -> dict[str, str]:
    if len(lines) > FIELDS_MAX + 1:
        raise CallFailed(f"{BROKEN}too many header fields")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        value = value.strip(b" \t")
        if not colon or _NAME.fullmatch(name) is None or _BAD_VALUE.search(value) is not None:
            raise _malformed("malformed MIME header line:", line, quotes=False)
        key, text = name.decode("ascii").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _read_length(headers: dict[str, str]) -> int:
    text = headers.get("content-length")
    if text is None:
        return UNKNOWN
    values = {value.strip() for value in text.split(",")}
    value = values.pop()
    if values or not value.isascii() or not value.isdigit() or len(value) > 18:
        raise CallFailed(f"{BROKEN}bad Content-Length {json.dumps(text)}")
    return int(value)


def _malformed_status(line: bytes) -> CallFailed:
    _, blank, status = line.partition(b" ")
    code = status.lstrip(b" ").partition(b" ")[0]
    if blank and (len(code) != 3 or not code.isdigit()):
        return _malformed("malformed HTTP status code", code)
    return _malformed("malformed HTTP response", line)


def _malformed(what: str, line: bytes, *, quotes: bool = True) -> CallFailed:
    text = line[:256].decode("utf-8", "backslashreplace")
    return CallFailed(f"{BROKEN}{what} {json.dumps(text, ensure_ascii=False) if quotes else text}")


def read_keep_alive(value: str) -> float | None:
    """The seconds of a Keep-Alive header, as node and others send it: `timeout=5`."""
    for part in value.split(","):
        name, _, number = part.strip().partition("=")
        if name.lower() == "timeout" and number.isascii() and number.isdigit() and len(number) < 9:
            return float(number)
    return None
