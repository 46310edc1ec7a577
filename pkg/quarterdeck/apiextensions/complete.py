"""Definitions that another hand has stored, with what upstream's type always has.

Go reads what is absent as the zero of its type; nobody who looks at a definition there has to ask whether it is there.
What is of another type is taken for absent, where upstream could not read the definition at all.
Source: apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go (members without omitempty).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Object = dict[str, Any]

_SPEC: Final[Object] = {"group": "", "scope": ""}
_NAMES: Final[Object] = {"plural": "", "kind": ""}
_VERSION: Final[Object] = {"name": "", "served": False, "storage": False}


def complete(definition: Object) -> Object:
    """The definition itself where it lacks nothing."""
    spec, status = definition.get("spec"), definition.get("status")
    if type(spec) is dict and type(status) is dict and _is_whole(spec):
        return definition
    spec = _members(spec, _SPEC)
    spec["names"] = _members(spec.get("names"), _NAMES)
    given = spec.get("versions")
    spec["versions"] = [_members(each, _VERSION) for each in given] if isinstance(given, list) else []
    return {**definition, "spec": spec, "status": _members(status, {})}


def _is_whole(spec: Object) -> bool:
    names, versions = spec.get("names"), spec.get("versions")
    if not (_fits(spec, _SPEC) and type(names) is dict and _fits(names, _NAMES) and type(versions) is list):
        return False
    return all(type(each) is dict and _fits(each, _VERSION) for each in versions)


def _fits(found: Object, wanted: Mapping[str, Any]) -> bool:
    return all(type(found.get(name)) is type(value) for name, value in wanted.items())


def _members(found: object, wanted: Mapping[str, Any]) -> Object:
    if not isinstance(found, dict):
        return dict(wanted)
    return {**found, **{name: value for name, value in wanted.items() if type(found.get(name)) is not type(value)}}
