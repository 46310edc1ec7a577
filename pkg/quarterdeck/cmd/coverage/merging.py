"""Several documents of coverage as one: of control planes, of logical clusters, of processes that ran tests side by
side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

Document = dict[str, Any]
Merge = Callable[[Document, Document], None]
# By which members things are the same, and what of them is added up.
_KEYS: Final = {
    "rules": (("kind", "name", "version", "path", "rule"), ("evaluated", "false", "errors")),
    "conditions": (("group", "kind", "path", "type", "status", "reason"), ("count",)),
    "webhooks": (("kind", "configuration", "name"), ("called", "allowed", "mutated", "refused", "failed")),
    "bindings": (("kind", "policy", "name"), ("evaluated",)),
}
_REQUEST: Final = ("verb", "path", "group", "resource", "subresource", "namespace")


def merge(documents: Iterable[Document]) -> Document:
    """Of none: one that tells of nothing."""
    merged: Document = {"callers": [], "leftOut": 0, "fields": [], **{section: [] for section in _KEYS}, "notKept": {}}
    for document in documents:
        merged["callers"] = _join(merged["callers"], document["callers"], ("user", "userAgent"), _add_requests)
        merged["leftOut"] += document["leftOut"]
        merged["fields"] = _join(merged["fields"], document["fields"], ("definition", "version"), _add_fields)
        for section, (keys, counts) in _KEYS.items():
            merged[section] = _join(merged[section], document[section], keys, _adding(counts))
        _adding(tuple(document["notKept"]))(merged["notKept"], document["notKept"])
    return merged


def _join(ours: list[Document], others: list[Document], keys: Sequence[str], add: Merge) -> list[Document]:
    """In the order of their keys. What is joined stays as it is."""
    found = {tuple(str(each.get(key, "")) for key in keys): dict(each) for each in ours}
    for each in others:
        key = tuple(str(each.get(name, "")) for name in keys)
        if key in found:
            add(found[key], each)
        else:
            found[key] = dict(each)
    return [found[key] for key in sorted(found)]


def _adding(counts: Sequence[str]) -> Merge:
    def add(ours: Document, other: Document) -> None:
        for name in counts:
            ours[name] = ours.get(name, 0) + other[name]

    return add


def _add_requests(ours: Document, other: Document) -> None:
    ours["requests"] = _join(ours["requests"], other["requests"], _REQUEST, _add_request)


def _add_request(ours: Document, other: Document) -> None:
    ours["count"] += other["count"]
    if "tooManyNames" in ours or "tooManyNames" in other:
        ours["tooManyNames"] = True
        ours.pop("names", None)
    elif names := sorted({*ours.get("names", ()), *other.get("names", ())}):
        ours["names"] = names


def _add_fields(ours: Document, other: Document) -> None:
    """A version that one of them has not been written to has no paths there. One that is there in one of them is not
    gone."""
    if "gone" in ours and "gone" not in other:
        del ours["gone"]
        ours["kind"] = other["kind"]
    ours["writes"] += other["writes"]
    paths = dict(ours["paths"])
    for path, count in other["paths"].items():
        paths[path] = paths.get(path, 0) + count
    ours["paths"] = paths
    ours["set"] = sum(map(bool, paths.values()))
    ours["of"] = max(ours["of"], other["of"], len(paths))
