"""How many seats a request takes: lists by what they hold in memory, writes by who has to be told of them.

Source: apiserver/pkg/util/flowcontrol/request/{width,list_work_estimator,mutating_work_estimator,config}.go,
pkg/util/flowcontrol/watch_tracker.go, pkg/storage/cacher/delegator/interface.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from quarterdeck.flowcontrol.work import ONE_SEAT, WRITE_SEAT, Work

_BYTES_A_SEAT: Final = 100_000
_STREAMED_BYTES_MAX: Final = 1_000_000  # lists from the cache are never in memory as a whole
_OBJECT_BYTES_MAX: Final = 1_500_000
_LIST_SEATS_MAX: Final = 100
_WRITE_SEATS_MAX: Final = 10
_WATCHES_A_SEAT: Final = 10
_EVENT_S: Final = 0.005
_WRITES: Final = frozenset(("create", "update", "patch", "delete"))
_NODE_OF_POD: Final = "spec.nodeName="

Query = Mapping[str, Sequence[str]]
# Group, version, resource: how many objects there are, and how many bytes one has; None where nobody knows.
Stats = Callable[[str, str, str], tuple[int, int] | None]


class Watches:
    """How many watches there are, by what they are of."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str, str], int] = {}

    def add(self, group: str, resource: str, namespace: str, name: str) -> None:
        key = (group, resource, namespace, name)
        self._counts[key] = self._counts.get(key, 0) + 1

    def remove(self, group: str, resource: str, namespace: str, name: str) -> None:
        key = (group, resource, namespace, name)
        left = self._counts.get(key, 0) - 1
        if left > 0:
            self._counts[key] = left
        else:
            self._counts.pop(key, None)

    def count(self, group: str, resource: str, namespace: str, name: str) -> int:
        """That may be interested in a write of this object: of all, of its namespace, of itself."""
        counts = self._counts
        if not counts:
            return 0
        found = counts.get((group, resource, "", ""), 0)
        if namespace:
            found += counts.get((group, resource, namespace, ""), 0)
        if name:
            found += counts.get((group, resource, namespace, name), 0)
        return found


def is_counted(resource: str, selector: str) -> bool:
    """Watches of one node's pods are found by an index, so that writes of other pods do not meet them."""
    if resource != "pods" or _NODE_OF_POD not in selector:
        return True
    return not any(part.removeprefix(_NODE_OF_POD) not in (part, "") for part in selector.split(","))


def estimate_list(verb: str, query: Query, name: str, stats: tuple[int, int] | None, seats_max: int) -> Work:
    """Of a list, or of a watch, whose beginning is one. `name`: the one that is asked for; `seats_max` 0: no bound."""
    most = min(seats_max or _LIST_SEATS_MAX, _LIST_SEATS_MAX)
    revision, match = _first(query, "resourceVersion"), _first(query, "resourceVersionMatch")
    if verb == "watch" and revision not in ("", "0") and not _is_true(query, "sendInitialEvents"):
        return ONE_SEAT
    text = _first(query, "limit")
    if text and not text.removeprefix("-").isdecimal():
        return Work(most)  # it will be refused; nobody knows more yet
    if stats is None:
        return ONE_SEAT
    limit = int(text[:20] or 0)
    count, size = stats
    if count and size <= 0:
        size = _OBJECT_BYTES_MAX
    wanted = min(limit, count) if limit > 0 else count
    is_stored = verb == "list" and _comes_from_store(match, revision, limit, _first(query, "continue"))
    if name:
        wanted = 1
    elif is_stored and (_first(query, "fieldSelector") or _first(query, "labelSelector")):
        wanted = max(wanted, count // 2)
    held = wanted * size if is_stored else min(wanted * size, _STREAMED_BYTES_MAX)
    return Work(max(1, min(-(-held // _BYTES_A_SEAT), most)))


def estimate_write(watches: int, seats_max: int) -> Work:
    """`watches` may be told of it."""
    if watches < _WATCHES_A_SEAT:
        return WRITE_SEAT
    wanted = -(-watches // _WATCHES_A_SEAT)
    seats = min(wanted, seats_max or _WRITE_SEATS_MAX, _WRITE_SEATS_MAX)
    return Work(1, seats, wanted * _EVENT_S / seats, is_write=True)


def is_write(verb: str) -> bool:
    return verb in _WRITES


def name_of(selector: str) -> str:
    """The one name that a field selector asks for."""
    for part in selector.split(","):
        found = part.partition("metadata.name=")
        if not found[0] and found[1]:
            return found[2].removeprefix("=")
    return ""


def _comes_from_store(match: str, revision: str, limit: int, token: str) -> bool:
    """Not from the cache, in upstream's eyes."""
    if match:
        return match != "NotOlderThan"
    return bool(token) or (limit > 0 and revision not in ("", "0"))


def _first(query: Query, name: str) -> str:
    values = query.get(name)
    return values[0] if values else ""


def _is_true(query: Query, name: str) -> bool:
    values = query.get(name)
    return bool(values) and values[0].lower() not in ("0", "false") if values else False
