"""Whether a client has what it would be given. Source: Go's net/http/fs.go (checkIfNoneMatch)."""

from __future__ import annotations

import re
from typing import Final

_ETAG: Final = re.compile('(?:W/)?("[!#-~\x80-\xff]*")')


def is_known(if_none_match: str, etag: str) -> bool:
    """`if_none_match` lists entity tags, weak ones too, or is "*"; what is no list is read as far as it is one."""
    rest = if_none_match.lstrip(" \t,")
    while rest:
        if rest.startswith("*"):
            return True
        found = _ETAG.match(rest)
        if found is None:
            return False
        if found[1] == etag:
            return True
        rest = rest[found.end() :].lstrip(" \t,")
    return False
