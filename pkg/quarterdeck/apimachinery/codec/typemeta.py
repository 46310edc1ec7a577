"""What a document says that it is: its apiVersion and kind, as encoding/json finds them.

It does not mind the case of letters, and of several members the last one counts.
Source: apimachinery/pkg/runtime/serializer/json/meta.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import gofmt

_GO_TYPE_META: Final = (
    r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
)
_KIND_SIZE: Final = len("kind")
_API_VERSION_SIZE: Final = len("apiVersion")


class Mismatch(Exception):
    """A value of another type; the text is Go's."""


def read(value: Any, *, is_sorted: bool = False) -> tuple[str, str]:
    """(apiVersion, kind), "" where there is none. `is_sorted`: upstream reads the members in the order of their names,
    as it has them from YAML. Raises Mismatch."""
    if value is None:
        return "", ""
    if not isinstance(value, dict):
        raise _mismatch(value, f"Go value of type {_GO_TYPE_META}")
    if is_sorted:
        return read_members((name, value[name]) for name in longsteps.sort(value))
    return read_members(value.items())


def read_members(members: Iterable[tuple[str, Any]]) -> tuple[str, str]:
    """The same of an object's members, of which several may have one name. Raises Mismatch."""
    api_version = kind = ""
    for name, value in members:
        size = len(name)
        if size == _KIND_SIZE and name.lower() == "kind":
            kind = _told("kind", value, kind)
        elif size == _API_VERSION_SIZE and name.lower() == "apiversion":
            api_version = _told("apiVersion", value, api_version)
    return api_version, kind


def find(paths: Iterable[str]) -> list[str]:
    """Those of paths of members that lead to one of the two, whatever the case of their letters."""
    return [path for path in paths if path.lower() in ("kind", "apiversion")]


def is_plainly(value: dict[str, Any], api_version: str, kind: str) -> bool:
    """Whether a document says that it is this, and says it once."""
    if value.get("kind") != kind or value.get("apiVersion") != api_version:
        return False
    for name in value:
        size = len(name)
        if (size == _KIND_SIZE and name != "kind" and name.lower() == "kind") or (
            size == _API_VERSION_SIZE and name != "apiVersion" and name.lower() == "apiversion"
        ):
            return False
    return True


def _told(name: str, text: Any, before: str) -> str:
    if text is None:
        return before
    if not isinstance(text, str):
        raise _mismatch(text, f"Go struct field .{name} of type string")
    return text


def _mismatch(value: object, target: str) -> Mismatch:
    return Mismatch(f"json: cannot unmarshal {gofmt.json_type(value)} into {target}")
