"""Query parameters as Go's url.ParseQuery reads them: a name has a list of values; bad escapes drop their pair."""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import query as kernel

Query = dict[str, list[str]]

_EMPTY: Final[Query] = {}

# All that any handler asks for. Of a long query nothing else is kept: to keep 80,000 parameters takes 60 ms.
PARAMETERS: Final = frozenset(
    (
        "allowWatchBookmarks",
        "command",
        "container",
        "continue",
        "dryRun",
        "exact",
        "exclude",
        "export",
        "fieldManager",
        "fieldSelector",
        "fieldValidation",
        "follow",
        "force",
        "gracePeriodSeconds",
        "ignoreStoreReadErrorWithClusterBreakingPotential",
        "includeObject",
        "includeRequestDetails",
        "insecureSkipTLSVerifyBackend",
        "labelSelector",
        "limit",
        "limitBytes",
        "orphanDependents",
        "preconditions",
        "ports",
        "pretty",
        "previous",
        "propagationPolicy",
        "resourceVersion",
        "resourceVersionMatch",
        "sendInitialEvents",
        "sinceSeconds",
        "sinceTime",
        "stderr",
        "stdin",
        "stdout",
        "stream",
        "tailLines",
        "timeout",
        "timeoutSeconds",
        "timestamps",
        "tty",
        "uid",
        "verbose",
        "watch",
    )
)
_LONG_CHARS: Final = 8192


class _Last:
    """The query that was read last: several steps of one request ask for it. Nobody changes what was read."""

    def __init__(self) -> None:
        self.read: tuple[str, Query] = ("", _EMPTY)


_last: Final = _Last()


def parse_query(text: str) -> Query:
    if not text:
        return _EMPTY
    known, query = _last.read
    if text != known:
        query = kernel.parse_query(text, PARAMETERS if len(text) > _LONG_CHARS else None)
        _last.read = (text, query)
    return query


def first(query: Query, name: str) -> str:
    """The first value, or "" where there is none."""
    values = query.get(name)
    return values[0] if values else ""
