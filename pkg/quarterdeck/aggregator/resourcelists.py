"""What servers tell of a version, as the aggregated document has it: what has its place there, in the types it has to
have, so that one server's mistakes spoil nobody else's discovery.

Source: kube-aggregator/pkg/apiserver/handler_discovery.go (fetchFreshDiscoveryForService); apiserver/pkg/endpoints/
installer.go (ConvertGroupVersionIntoToDiscovery); k8s.io/api/apidiscovery/v2/types.go.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

Version = dict[str, Any]
_Kind = dict[str, str]

_NO_KIND: Final = {"group": "", "version": "", "kind": ""}  # old clients cannot do without


def read_aggregated(body: bytes) -> dict[tuple[str, str], Version]:
    """The versions of an APIGroupDiscoveryList, by group and version. Raises ValueError."""
    found: dict[tuple[str, str], Version] = {}
    for group in _objects(_load(body), "items"):
        name = _text(_object(group, "metadata") or {}, "name")
        for told in _objects(group, "versions"):
            resources = [_read_resource(each) for each in _objects(told, "resources")]
            version = _text(told, "version")
            found[name, version] = {"version": version, "resources": resources}
    return found


def _read_resource(told: dict[str, Any]) -> dict[str, Any]:
    subresources = [
        {"subresource": _text(each, "subresource"), "responseKind": _read_kind(each), **_read_verbs(each)}
        for each in _objects(told, "subresources")
    ]
    resource = {
        "resource": _text(told, "resource"),
        "responseKind": _read_kind(told),
        "scope": _text(told, "scope"),
        "singularResource": _text(told, "singularResource"),
        **_read_verbs(told),
        **_read_names(told),
    }
    return resource | {"subresources": subresources} if subresources else resource


def _read_kind(told: dict[str, Any]) -> _Kind:
    kind = _object(told, "responseKind")
    return _NO_KIND if kind is None else {name: _text(kind, name) for name in _NO_KIND}


def _read_verbs(told: dict[str, Any]) -> dict[str, list[str]]:
    return {"verbs": _texts(told, "verbs")}


def _read_names(told: dict[str, Any]) -> dict[str, list[str]]:
    return {name: found for name in ("shortNames", "categories") if (found := _texts(told, name))}


def read_plain(body: bytes, version: str) -> Version:
    """An APIResourceList. Raises ValueError."""
    resources: dict[str, dict[str, Any]] = {}
    for each in _objects(_load(body), "resources"):
        name, slash, subresource = _text(each, "name").partition("/")
        kind = {member: _text(each, member) for member in _NO_KIND}
        entry = resources.setdefault(name, _build(name, is_namespaced=each.get("namespaced") is True))
        if slash:
            told = {"subresource": subresource, "responseKind": kind, **_read_verbs(each)}
            entry.setdefault("subresources", []).append(told)
        else:
            entry |= {"responseKind": kind, "singularResource": _text(each, "singularName")}
            entry |= {**_read_verbs(each), **_read_names(each)}
    return {"version": version, "resources": list(resources.values())}


def _build(name: str, *, is_namespaced: bool) -> dict[str, Any]:
    scope = "Namespaced" if is_namespaced else "Cluster"
    return {"resource": name, "responseKind": _NO_KIND, "scope": scope, "singularResource": "", "verbs": []}


def encode(version: Version, freshness: str) -> bytes:
    """An APIVersionDiscovery."""
    shown = version if version.get("resources") else {"version": version["version"]}
    return orjson.dumps({**shown, "freshness": freshness})


def _load(body: bytes) -> dict[str, Any]:
    value = orjson.loads(body)
    if not isinstance(value, dict):
        raise ValueError("the document is no object")
    return value


def _object(value: dict[str, Any], name: str) -> dict[str, Any] | None:
    found = value.get(name)
    if found is not None and not isinstance(found, dict):
        raise ValueError(f"{name} is no object")
    return found


def _objects(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = value.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"{name} is no list of objects")
    return found


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise ValueError(f"{name} is no text")
    return found


def _texts(value: dict[str, Any], name: str) -> list[str]:
    found = value.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ValueError(f"{name} is no list of texts")
    return found
