"""What ext/http1.pyx does, written to be read: regular expressions over whole lines, no speed."""

from __future__ import annotations

import re

from quarterdeck._kernels import http1

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_REQUEST_LINE = re.compile(rb"(%b) ([^\x00-\x20\x7f]+) (.*)" % _TOKEN, re.DOTALL)
_VERSION = re.compile(rb"HTTP/(\d)\.(\d)", re.DOTALL)
# Of these the first counts.
READ_ONCE = frozenset(
    {"accept", "accept-encoding", "audit-id", "content-length", "content-type", "if-match", "if-modified-since"}
    | {"if-none-match", "if-range", "if-unmodified-since", "range", "user-agent"}
)
_FIELD = re.compile(rb"(%b):(.*)" % _TOKEN, re.DOTALL)
_SPACED_FIELD = re.compile(rb"(%b [ %b*):(.*)" % (_TOKEN, _TOKEN[1:-1]), re.DOTALL)
_BAD_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_HOST = re.compile(rb"[!$%&'()*+,\-.:;=\[\]_~0-9A-Za-z]*")
_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class Refused(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def parse_head(data: bytes, start: int, head_max: int, fields_max: int) -> tuple[object, ...] | int | None:
    window = data[start : start + head_max]
    unfinished = http1.HEAD_TOO_LARGE if len(data) - start > head_max else None
    try:
        head, consumed = _parse(window, fields_max)
    except Refused as refused:
        return refused.code
    except EOFError:
        return unfinished
    return (*head, start + consumed)


def _parse(window: bytes, fields_max: int):
    skipped = len(window) - len(window.lstrip(b"\r\n"))
    if skipped > 8:
        raise Refused(http1.BAD_REQUEST)
    line, at = _take_line(window, skipped)
    method, target, minor = _parse_request_line(line)
    fields: list[tuple[str, bytes]] = []
    while True:
        line, at = _take_line(window, at)
        if line == b"":
            break
        if len(fields) == fields_max:
            raise Refused(http1.HEAD_TOO_LARGE)
        match = _FIELD.fullmatch(line) or _SPACED_FIELD.fullmatch(line)
        if match is None:
            raise Refused(http1.BAD_REQUEST)
        value = match[2].strip(b" \t")
        if _BAD_VALUE.search(value):
            raise Refused(http1.HEADER_VALUE_INVALID)
        if at == len(window):
            raise EOFError
        while window[at : at + 1] in (b" ", b"\t"):
            line, at = _take_line(window, at)
            folded = line.strip(b" \t")
            if _BAD_VALUE.search(folded):
                raise Refused(http1.HEADER_VALUE_INVALID)
            value += b" " + folded
            if at == len(window):
                raise EOFError
        name = match[1].decode().lower()
        fields.append((name, value))
        if " " not in name:
            _check(name, [other for other_name, other in fields if other_name == name])
    headers: dict[str, str] = {}
    for name, value in fields:
        text = value.decode("latin-1")
        headers[name] = f"{headers[name]}, {text}" if name in headers and name not in READ_ONCE else text
    for name in READ_ONCE & headers.keys():
        headers[name] = next(v.decode("latin-1") for n, v in fields if n == name)
    flags = _conclude(fields, minor)
    path, _, query = target.partition(b"?") if target.startswith(b"/") else (target, b"", b"")
    flags |= 0 if target.startswith(b"/") else http1.OTHER_FORM
    length = int(headers["content-length"]) if "content-length" in headers else -1
    return (method.decode(), _quote(path), _quote(query), headers, length, flags), at


def _take_line(window: bytes, at: int) -> tuple[bytes, int]:
    end = window.find(b"\n", at)
    if end < 0:
        raise EOFError
    line = window[at:end]
    return line.removesuffix(b"\r"), end + 1


def _parse_request_line(line: bytes) -> tuple[bytes, bytes, int]:
    match = _REQUEST_LINE.fullmatch(line)
    version = _VERSION.fullmatch(match[3]) if match else None
    if match is None or version is None:
        raise Refused(http1.BAD_REQUEST)
    if version[1] != b"1":
        raise Refused(http1.VERSION_UNSUPPORTED)
    target = match[2]
    if target.startswith(b"/") and _BAD_ESCAPE.search(target.partition(b"?")[0]):
        raise Refused(http1.BAD_REQUEST)
    return match[1], target, int(version[2])


def _check(name: str, values: list[bytes]) -> None:
    """The newest of the values a framing field has so far."""
    if name == "host":
        if len(values) > 1:
            raise Refused(http1.BAD_REQUEST)
        if not _HOST.fullmatch(values[0]):
            raise Refused(http1.HOST_MALFORMED)
    elif name == "content-length":
        if not re.fullmatch(rb"[0-9]{1,18}", values[-1]) or int(values[-1]) != int(values[0]):
            raise Refused(http1.BAD_REQUEST)
    elif name == "transfer-encoding" and (len(values) > 1 or values[-1].lower() != b"chunked"):
        raise Refused(http1.TRANSFER_ENCODING_UNSUPPORTED if values[-1] else http1.BAD_REQUEST)


def _conclude(fields: list[tuple[str, bytes]], minor: int) -> int:
    names = {name for name, _ in fields}
    tokens = {
        token.strip(b" \t").lower() for name, value in fields if name == "connection" for token in value.split(b",")
    }
    flags = 0
    expected = next((value.lower() for name, value in fields if name == "expect"), b"")
    if expected:
        words = re.split(rb"[ ,\t]", expected)
        flags |= http1.EXPECT_CONTINUE if b"100-continue" in words else http1.EXPECT_OTHER
    if minor == 0:
        flags = (flags | http1.HTTP_1_0) & ~http1.EXPECT_CONTINUE
        keeps = b"keep-alive" in tokens and b"close" not in tokens
    else:
        if "host" not in names:
            raise Refused(http1.HOST_MISSING)
        keeps = b"close" not in tokens
    if keeps:
        flags |= http1.KEEP_ALIVE
    if "transfer-encoding" in names:
        if "content-length" in names or minor == 0:
            raise Refused(http1.BAD_REQUEST)
        flags |= http1.CHUNKED
    if any(" " in name for name in names):
        raise Refused(http1.HEADER_NAME_INVALID)
    return flags


def _quote(text: bytes) -> str:
    return "".join(chr(octet) if octet < 0x80 else f"%{octet:02X}" for octet in text)


def parse_chunks(data: bytes) -> tuple[bytes, int] | None:
    """The body and where it ends. None: more has to come. Raises ValueError for what is malformed. Without bounds."""
    body, at = b"", 0
    while True:
        line, feed, _ = data[at:].partition(b"\n")
        if not feed:
            return None
        match = re.fullmatch(rb"([0-9A-Fa-f]{1,15})([\t ]*|;[^\r\n]*)\r", line)
        if match is None:
            raise ValueError(line)
        size, at = int(match[1], 16), at + len(line) + 1
        if size == 0:
            return _parse_trailers(data, body, at)
        chunk, end = data[at : at + size], data[at + size : at + size + 2]
        if len(end) < 2:
            return None
        if end != b"\r\n":
            raise ValueError(end)
        body += chunk
        at += size + 2


def _parse_trailers(data: bytes, body: bytes, at: int) -> tuple[bytes, int] | None:
    line = re.compile(rb"(%b:[\t\x20-\x7e\x80-\xff]*)?\r\n" % _TOKEN)
    while True:
        match = line.match(data, at)
        if match is None:
            _require_prefix(data[at:], rb"(%b(:[\t\x20-\x7e\x80-\xff]*\r?)?|\r)?" % _TOKEN)
            return None
        at = match.end()
        if match[1] is None:
            return body, at


def _require_prefix(rest: bytes, pattern: bytes) -> None:
    if rest and not re.fullmatch(pattern, rest, re.DOTALL):
        raise ValueError(rest)
