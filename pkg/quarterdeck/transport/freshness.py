"""Whether a client has what it would be given, as Go tells it. Source: net/http/fs.go (checkPreconditions)."""

from __future__ import annotations

import calendar
import time
from typing import Final

from quarterdeck.transport import etags
from quarterdeck.transport.messages import Request

# http.TimeFormat, time.RFC850 and time.ANSIC
_FORMATS: Final = ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")


def is_fresh(request: Request, etag: str, changed_s: float) -> bool:
    """`etag` is "" where there is none. The time counts where the client names no entity tags."""
    tags = request.headers.get("if-none-match", "")
    if tags:
        return etags.is_known(tags, etag)
    since = request.headers.get("if-modified-since", "")
    if not since or request.method not in ("GET", "HEAD"):
        return False
    known_s = _parse_time(since)
    return known_s is not None and int(changed_s) <= known_s


def http_time(seconds: float) -> str:
    from email.utils import formatdate  # here, because the package email is large and needed for nothing else

    return formatdate(seconds, usegmt=True)


def _parse_time(text: str) -> int | None:
    for form in _FORMATS:
        try:
            return calendar.timegm(time.strptime(text, form))
        except (ValueError, OverflowError):
            continue
    return None
