"""Files of a volume that would stand in each other's way.

Source: pkg/api/pod/warnings.go (warningsForOverlappingVirtualPaths).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.registry.builtin.checks import Object

# Differs from upstream: there every path is compared with all others of its volume.
_PATHS_COMPARED_MAX: Final = 100
_FILES: Final = {"configMap": "ConfigMap", "secret": "Secret", "downwardAPI": "DownwardAPI"}


def of_volumes(volumes: list[Object]) -> Iterator[str]:
    for volume in volumes:
        shown = f"volume {gofmt.quote(volume.get('name', ''))}"
        for member, title in _FILES.items():
            if (source := volume.get(member)) is not None and "items" in source:
                yield from _overlaps(_paths(source), f"{shown} ({_titled(title, source)}): overlapping paths")
        if (projected := volume.get("projected")) is not None:
            yield from _of_projected(shown, projected.get("sources") or [])


def _of_projected(shown: str, sources: list[Object]) -> Iterator[str]:
    """Within each source, then with those before it."""
    known: set[str] = set()
    for source in sources:
        if all(value is None for value in source.values()):
            yield f"{shown} (Projected) has no sources provided"
            continue
        paths, text = _files(source)
        message = f"{shown} (Projected {text}): overlapping paths"
        yield from _overlaps(paths, message)
        yield from _overlaps(sorted([*set(paths), *known]), message)
        known.update(paths)


def _files(source: Object) -> tuple[list[str], str]:
    for member, title in _FILES.items():
        if "items" in (source.get(member) or {}):
            return _paths(source[member]), _titled(title, source[member])
    if (token := source.get("serviceAccountToken")) is not None:
        return [token.get("path", "")], "ServiceAccountToken"
    return [], ""


def _paths(source: Object) -> list[str]:
    return [item.get("path", "") for item in source["items"] or []]


def _titled(title: str, source: Object) -> str:
    if title == "DownwardAPI":
        return title
    return f"{title} {gofmt.quote(source.get('secretName') or source.get('name') or '')}"


def _overlaps(paths: Iterable[str], message: str) -> Iterator[str]:
    seen: dict[str, None] = {}
    for path in paths:
        plain = path.rstrip("/")
        if other := _overlapped(list(seen)[:_PATHS_COMPARED_MAX], plain):
            yield f"{message}: {gofmt.quote(plain)} with {gofmt.quote(other)}"
        seen[plain] = None


def _overlapped(others: list[str], path: str) -> str:
    for other in others:
        if not other or not path:
            return ""
        if other == path or f"{other}/".startswith(path) or f"{path}/".startswith(other):
            return other
    return ""
