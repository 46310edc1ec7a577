"""Entity tags that clients name. Source: Go's net/http/fs.go (checkIfMatch, checkIfNoneMatch, scanETag)."""

from __future__ import annotations

import re
from typing import Final

_ETAG: Final = re.compile('(W/)?("[!#-~\x80-\xff]*")')


def is_known(named: str, etag: str, *, strongly: bool = False) -> bool:
    """`named` lists entity tags, weak ones too, or is "*"; what is no list is read as far as it is one. Compared
    strongly, a weak tag is no other's."""
    rest = named.lstrip(" \t,")
    while rest:
        if rest.startswith("*"):
            return True
        found = _ETAG.match(rest)
        if found is None:
            return False
        if found[2] == etag and not (strongly and found[1]):
            return True
        rest = rest[found.end() :].lstrip(" \t,")
    return False


def is_first(named: str, etag: str) -> bool | None:
    """Whether the tag that the text begins with is `etag`, compared strongly; None: it begins with none."""
    found = _ETAG.match(named.lstrip(" \t"))
    return found and found[2] == etag and not found[1]
