"""Lists and maps that a request has written down, and written down empty; and bytes that it has written down as null.

Go keeps empty ones apart from absent ones, and shows the difference where it prints a value; some rules see it, too.
Nothing else does: decoding drops them. A kind that needs them has `note` in its definition.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextvars import ContextVar
from typing import Any, Final

from quarterdeck._kernels import members

_NOTHING: Final[dict[str, Any]] = {}
# The object that was decoded last in this task, if it has some: between decoding and validation there is no other.
_sent: ContextVar[dict[str, Any]] = ContextVar("an object with empty members", default=_NOTHING)

_steps = re.compile(r"[^.\[\]]+").findall


def note(obj: dict[str, Any]) -> None:
    _keep(obj if members.has_empty(obj) else _NOTHING)


def note_bytes(member: str, obj: dict[str, Any], texts: str = "") -> None:
    """The object's own members alone, for a kind whose rules ask of no others, and whose objects hold many values; and
    which values are null in the map of bytes that is the member, which whoever reads the object finds empty. What the
    map of texts that is the member `texts` has of them goes before."""
    found = members.empty(obj)
    values = obj.get(member)
    if isinstance(values, dict) and None in values.values():
        given = obj.get(texts)
        known = given if isinstance(given, dict) else ()
        found[member] = {key: None for key, value in values.items() if value is None and key not in known}
    _keep(found or _NOTHING)


def has_null(member: str) -> bool:
    """Whether a value of that map of bytes was null."""
    found = _sent.get().get(member)
    return isinstance(found, dict) and None in found.values()


def _keep(found: dict[str, Any]) -> None:
    if found is not _sent.get():
        _sent.set(found)


def is_empty(*path: str) -> bool:
    """Whether the request had an empty list or map at that path."""
    return _at(path) in ([], {})


def shown(path: str, found: Any) -> Any:
    """The list or map at a field's path (`spec.devices[0].taints`) as Go prints it: null only where the request has
    none."""
    if found:
        return found
    value = _at(tuple(_steps(path)))
    return value if value in ([], {}) else None


def _at(path: tuple[str, ...]) -> Any:
    value: Any = _sent.get()
    for name in path:
        if isinstance(value, list):
            value = value[int(name)] if name.isdecimal() and int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def restore(value: dict[str, Any], *path: str, dropped: Collection[str] = ()) -> dict[str, Any]:
    """What the request has at that path, decoded, with what it had written down empty; a copy. `dropped`: members of it
    that do not come back, since the server leaves them out where they hold nothing."""
    restored: dict[str, Any] = _restore(value, _at(path))
    if not dropped:
        return restored
    return {name: item for name, item in restored.items() if name in value or name not in dropped}


def has_empty(value: dict[str, Any], *path: str) -> bool:
    """Whether lists or maps are written down empty in what the request has at that path, decoded."""
    return restore(value, *path) != value


def _restore(value: Any, sent: Any) -> Any:
    if value == sent:  # nothing was dropped: most of an object, and told without a walk in Python
        return value
    if isinstance(value, dict) and isinstance(sent, dict):
        made = {name: _restore(item, sent.get(name)) for name, item in value.items()}
        return made | {name: item for name, item in sent.items() if name not in value and item in ([], {})}
    if isinstance(value, list) and isinstance(sent, list) and len(value) == len(sent):
        return [_restore(item, other) for item, other in zip(value, sent, strict=True)]
    return value
