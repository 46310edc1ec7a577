"""Whether a client has what it would be given, as Go tells it. Source: net/http/fs.go (checkPreconditions)."""

from __future__ import annotations

import calendar
import time
from typing import Final

from quarterdeck.transport import etags
from quarterdeck.transport.messages import Request

# http.TimeFormat, time.RFC850 and time.ANSIC
_FORMATS: Final = ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")


def judge(request: Request, etag: str, changed_s: float) -> int:
    """0: answer; 304: the client has what it would be given; 412: what it asks for on a condition, which does not hold.
    `etag` is "" where there is none. A time counts where the client names no entity tags."""
    headers, reads = request.headers, request.method in ("GET", "HEAD")
    if tags := headers.get("if-match", ""):
        if not etags.is_known(tags, etag, strongly=True):
            return 412
    elif _has_changed_since(headers.get("if-unmodified-since", ""), changed_s) is True:
        return 412
    if tags := headers.get("if-none-match", ""):
        if etags.is_known(tags, etag):
            return 304 if reads else 412
    elif reads and _has_changed_since(headers.get("if-modified-since", ""), changed_s) is False:
        return 304
    return 0


def is_same(if_range: str, etag: str, changed_s: float) -> bool:
    """Whether a document is still that of which a client has a part, which it names by a tag or a time."""
    is_named = etags.is_first(if_range, etag)
    return is_named if is_named is not None else _parse_time(if_range) == int(changed_s)


def http_time(seconds: float) -> str:
    from email.utils import formatdate  # here, because the package email is large and needed for nothing else

    return formatdate(seconds, usegmt=True)


def _has_changed_since(text: str, changed_s: float) -> bool | None:
    """None: the text is no time."""
    known_s = _parse_time(text) if text else None
    return None if known_s is None else int(changed_s) > known_s


def _parse_time(text: str) -> int | None:
    for form in _FORMATS:
        try:
            return calendar.timegm(time.strptime(text, form))
        except (ValueError, OverflowError):
            continue
    return None
