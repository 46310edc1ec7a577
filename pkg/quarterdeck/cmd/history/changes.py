"""What changed between two states of an object, and by whom."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

Object = dict[str, Any]
Change = tuple[str, str]  # which field, and how

_DEPTH_MAX: Final = 500
# They change with every write, and are told by themselves.
_NOT_SHOWN: Final = ("resourceVersion", "managedFields")


def compare(old: Object | None, new: Object | None) -> list[Change]:
    """None: there is no object."""
    if old is None or new is None:
        return [("", "created" if old is None else "deleted")]
    return list(_compare(_strip(old), _strip(new), "", _DEPTH_MAX))


def _strip(value: Object) -> Object:
    metadata = {name: each for name, each in value["metadata"].items() if name not in _NOT_SHOWN}
    stripped = {name: each for name, each in value.items() if name not in ("kind", "apiVersion")}
    return {**stripped, "metadata": metadata}


def _compare(old: Any, new: Any, path: str, depth: int) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict) and depth:
        for name in dict.fromkeys([*old, *new]):
            place = f"{path}.{name}" if path else name
            if name not in new:
                yield place, f"{_show(old[name])} → removed"
            elif name not in old:
                yield place, f"added {_show(new[name])}"
            else:
                yield from _compare(old[name], new[name], place, depth - 1)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and depth:
        for position, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from _compare(was, now, f"{path}[{position}]", depth - 1)
    elif old != new:
        yield path, f"{_show(old)} → {_show(new)}"


def find_managers(old: Object | None, new: Object) -> list[str]:
    """Whose entries in managedFields this write has changed: "kubectl (Apply)", "manager (Update of status)"."""
    before = {_key(each): each for each in ((old or {}).get("metadata") or {}).get("managedFields") or ()}
    changed = []
    for entry in new["metadata"].get("managedFields") or ():
        if before.get(_key(entry)) != entry:
            part = f" of {entry['subresource']}" if entry.get("subresource") else ""
            changed.append(f"{entry.get('manager', '')} ({entry.get('operation', '')}{part})")
    return changed


def _key(entry: Object) -> tuple[Any, ...]:
    return tuple(entry.get(name) for name in ("manager", "operation", "apiVersion", "subresource"))


def time_of(value: Object) -> str:
    """That of the newest entry, which is when it was written, to the second."""
    times = [str(each.get("time", "")) for each in value["metadata"].get("managedFields") or ()]
    return max([str(value["metadata"].get("creationTimestamp") or ""), *times])


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:200] + "…"
