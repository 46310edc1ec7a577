"""The part of a document that a client asks for with Range. Source: Go's net/http/fs.go (parseRange, checkIfRange)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from quarterdeck.transport import freshness
from quarterdeck.transport.messages import Headers, Request, Response
from quarterdeck.transport.pieces import Joined

_UNIT: Final = "bytes="
_BLANKS: Final = " \t\r\n"
_NUMBER: Final = re.compile("[+-]?[0-9]+")
_INT64_MAX: Final = (1 << 63) - 1
_INVALID: Final = "invalid range"
_NO_OVERLAP: Final = "invalid range: failed to overlap"
# what a refusal does not say of the document (serveError)
_OF_THE_DOCUMENT: Final = frozenset({"Cache-Control", "Content-Type", "ETag", "Last-Modified"})


class _Refused(Exception):
    """The text is that of the answer 416."""


class _Range(NamedTuple):
    start: int
    size: int


def serve(
    request: Request, headers: Headers, media_type: str, etag: str, changed_s: float, read: Callable[[], Joined]
) -> Response:
    """What a client is to be given of a document with an entity tag, which is quoted and among `headers` already. The
    document is read where it is needed."""
    status = freshness.judge(request, etag, changed_s)
    if status == 304:
        return Response(304, headers)
    headers = [*headers, ("Content-Type", media_type), ("Last-Modified", freshness.http_time(changed_s))]
    return Response(status, headers) if status else answer(request, headers, etag, changed_s, read())


def answer(request: Request, headers: Headers, etag: str, changed_s: float, document: Joined) -> Response:
    """The document, or the one range of it that is asked for. `headers` are those of the whole; `etag` is quoted, or ""
    where there is none.

    Differs from upstream: several ranges are answered with the whole, as RFC 9110 allows, and not as parts of a
    multipart body: 16,000 of them would have the document unpacked as often.
    """
    size = document.size
    try:
        ranges = _parse(_asked(request, etag, changed_s), size)
    except _Refused as refused:
        text = str(refused)
        kept = [field for field in headers if field[0] not in _OF_THE_DOCUMENT]
        if text == _NO_OVERLAP:
            kept.append(("Content-Range", f"bytes */{size}"))
        kept += [("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff")]
        return Response(416, kept, f"{text}\n".encode())
    headers = [*headers, ("Accept-Ranges", "bytes")]
    if len(ranges) == 1:
        start, length = ranges[0]
        headers.append(("Content-Range", f"bytes {start}-{start + length - 1}/{size}"))
        return Response(206, headers, document.cut(start, length))
    # Of what is not sent nothing is compressed, as upstream.
    body, encoding = document.encode("" if request.method == "HEAD" else request.headers.get("accept-encoding", ""))
    if encoding:
        headers.append(("Content-Encoding", encoding))
    return Response(200, headers, body)


def _asked(request: Request, etag: str, changed_s: float) -> str:
    """The field Range, where If-Range lets it count."""
    asked = request.headers.get("range", "")
    condition = request.headers.get("if-range", "")
    if not asked or not condition or request.method not in ("GET", "HEAD"):
        return asked
    return asked if freshness.is_same(condition, etag, changed_s) else ""


def _parse(text: str, size: int) -> list[_Range]:
    if not text:
        return []
    if not text.startswith(_UNIT):
        raise _Refused(_INVALID)
    ranges, is_beyond = [], False
    for part in text[len(_UNIT) :].split(","):
        if not (part := part.strip(_BLANKS)):
            continue
        first, dash, last = part.partition("-")
        if not dash:
            raise _Refused(_INVALID)
        found = _read(first.strip(_BLANKS), last.strip(_BLANKS), size)
        if found is None:
            is_beyond = True
        else:
            ranges.append(found)
    if is_beyond and not ranges:
        raise _Refused(_NO_OVERLAP)
    return ranges


def _read(first: str, last: str, size: int) -> _Range | None:
    """None: it begins behind the end."""
    if not first:
        if last.startswith("-"):
            raise _Refused(_INVALID)
        length = min(_number(last), size)
        return _Range(size - length, length)
    start = _number(first)
    if start >= size:
        return None
    if not last:
        return _Range(start, size - start)
    end = _number(last)
    if start > end:
        raise _Refused(_INVALID)
    return _Range(start, min(end, size - 1) - start + 1)


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text) or len(text) > 100 or not 0 <= int(text) <= _INT64_MAX:
        raise _Refused(_INVALID)
    return int(text)
