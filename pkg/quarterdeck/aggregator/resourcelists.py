"""What servers tell of a version, as the aggregated document has it.

Source: kube-aggregator/pkg/apiserver/handler_discovery.go (fetchFreshDiscoveryForService); apiserver/pkg/endpoints/
installer.go (ConvertGroupVersionIntoToDiscovery).
"""

from __future__ import annotations

from typing import Any

import orjson

Version = dict[str, Any]


def read_aggregated(body: bytes) -> dict[tuple[str, str], Version]:
    """The versions of an APIGroupDiscoveryList, by group and version. Raises ValueError."""
    found: dict[tuple[str, str], Version] = {}
    for group in _members(_load(body), "items"):
        name = (group.get("metadata") or {}).get("name") or ""
        for version in _members(group, "versions"):
            for resource in _members(version, "resources"):
                _ensure_kind(resource)
            found[name, str(version.get("version"))] = version
    return found


def _ensure_kind(resource: dict[str, Any]) -> None:
    """Old clients cannot do without."""
    for each in (resource, *_members(resource, "subresources")):
        if not isinstance(each.get("responseKind"), dict):
            each["responseKind"] = {"group": "", "version": "", "kind": ""}


def read_plain(body: bytes, version: str) -> Version:
    """An APIResourceList. Raises ValueError."""
    resources: dict[str, dict[str, Any]] = {}
    for each in _members(_load(body), "resources"):
        name, slash, subresource = str(each.get("name", "")).partition("/")
        kind = {member: each.get(member) or "" for member in ("group", "version", "kind")}
        entry = resources.setdefault(name, _build(name, each))
        if not slash:
            entry["responseKind"] = kind
            entry |= {"singularResource": each.get("singularName") or "", "verbs": each.get("verbs") or []}
            entry |= {member: each[member] for member in ("shortNames", "categories") if each.get(member)}
        else:
            told = {"subresource": subresource, "responseKind": kind, "verbs": each.get("verbs") or []}
            entry.setdefault("subresources", []).append(told)
    return {"version": version, "resources": list(resources.values())}


def _build(name: str, each: dict[str, Any]) -> dict[str, Any]:
    return {
        "resource": name,
        "responseKind": {"group": "", "version": "", "kind": ""},
        "scope": "Namespaced" if each.get("namespaced") else "Cluster",
        "singularResource": "",
        "verbs": [],
    }


def encode(version: Version, freshness: str) -> bytes:
    """An APIVersionDiscovery."""
    return orjson.dumps({**version, "freshness": freshness})


def _load(body: bytes) -> dict[str, Any]:
    value = orjson.loads(body)
    if not isinstance(value, dict):
        raise ValueError("the document is no object")
    return value


def _members(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of a list. Raises ValueError where it is none."""
    found = value.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"{name} is no list of objects")
    return found
