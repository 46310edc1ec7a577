"""Files of a volume that would stand in each other's way.

Source: pkg/api/pod/warnings.go (warningsForOverlappingVirtualPaths).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from quarterdeck.apimachinery import gofmt
from quarterdeck.registry.builtin.checks import Object

# Differs from upstream: there every path is compared with all others of its volume.
_PATHS_COMPARED_MAX: Final = 100
_CERTIFICATE: Final = {"certificateChainPath": "chain", "keyPath": "key", "credentialBundlePath": "credential bundle"}
_FILES: Final = {"configMap": "ConfigMap", "secret": "Secret", "downwardAPI": "DownwardAPI"}

# A file, and what it comes from.
_Path: TypeAlias = tuple[str, str]


def of_volumes(volumes: list[Object]) -> Iterator[str]:
    for volume in volumes:
        shown = f"volume {gofmt.quote(volume.get('name', ''))}"
        for member, title in _FILES.items():
            if (source := volume.get(member)) is not None and "items" in source:
                yield from _overlaps(_paths(source), f"{shown} ({_titled(title, source)})", [])
        if (projected := volume.get("projected")) is not None:
            yield from _of_projected(shown, projected.get("sources") or [])


def _of_projected(shown: str, sources: list[Object]) -> Iterator[str]:
    known: list[_Path] = []
    for source in sources:
        if all(value is None for value in source.values()):
            yield f"{shown} (Projected) has no sources provided"
        else:
            yield from _overlaps(_projected_paths(source), f"{shown} (Projected)", known)


def _projected_paths(source: Object) -> list[_Path]:
    for member, title in _FILES.items():
        if "items" in (source.get(member) or {}):
            return _paths(source[member], _titled(title, source[member]))
    if (token := source.get("serviceAccountToken")) is not None:
        return [(token.get("path", ""), "ServiceAccountToken")]
    if (bundle := source.get("clusterTrustBundle")) is not None:
        name = next((bundle[key] for key in ("name", "signerName") if bundle.get(key) is not None), "")
        return [(bundle.get("path", ""), f"ClusterTrustBundle {gofmt.quote(name)}")]
    certificate = source.get("podCertificate") or {}
    return [(certificate[key], f"PodCertificate {text}") for key, text in _CERTIFICATE.items() if certificate.get(key)]


def _paths(source: Object, title: str = "") -> list[_Path]:
    return [(item.get("path", ""), title) for item in source["items"] or []]


def _titled(title: str, source: Object) -> str:
    if title == "DownwardAPI":
        return title
    return f"{title} {gofmt.quote(source.get('secretName') or source.get('name') or '')}"


def _overlaps(paths: Iterable[_Path], shown: str, known: list[_Path]) -> Iterator[str]:
    """Of each path with those before it, which it joins."""
    for path, title in paths:
        plain = path.rstrip("/")
        for other in known[:_PATHS_COMPARED_MAX]:
            if _is_overlapping(plain, other[0]):
                yield f"{shown}: overlapping paths: {_shown((plain, title))} with {_shown(other)}"
        known.append((plain, title))


def _is_overlapping(one: str, other: str) -> bool:
    return bool(one and other) and (f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/"))


def _shown(path: _Path) -> str:
    return f"{gofmt.quote(path[0])} ({path[1]})" if path[1] else gofmt.quote(path[0])
