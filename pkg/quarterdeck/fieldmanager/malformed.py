"""Why an entry of managedFields cannot be read, in upstream's words. Runs only after it was found that it cannot.

Upstream reads the set of an entry with json-iterator, which tells how far it came and what stands there.

Source: structured-merge-diff v6, fieldpath/serialize.go (readIterV1); json-iterator iter_object.go
(ReadMapCB); apimachinery/pkg/util/managedfields/internal/managedfields.go (decodeVersionedSet).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import gofmt
from quarterdeck.fieldmanager import jsoniter, pathelement


def explain(entry: dict[str, Any]) -> str:
    """The error about an entry whose set is malformed."""
    fields = entry.get("fieldsV1")
    data = gofmt.format_json(fields).encode()
    return f"error decoding versioned set from {_show(entry, data)}: error decoding set: {_first_mistake(fields, data)}"


def _show(entry: dict[str, Any], data: bytes) -> str:
    """The entry as Go prints its struct."""
    texts = [entry.get(name) or "" for name in ("manager", "operation", "apiVersion")]
    time = entry.get("time") or ""
    texts.append(f"{time[:10]} {time[11:19]} +0000 UTC" if time else "<nil>")
    return "{" + " ".join([*texts, entry["fieldsType"], data.decode(), entry.get("subresource") or ""]) + "}"


def _first_mistake(fields: object, data: bytes) -> str:
    """What is wrong first in the text `data` of a set, and where: a path element, or what stands below one."""
    if not isinstance(fields, dict):
        return _no_map(data, 0)
    at = 1  # how many bytes have been read
    todo: list[Iterator[tuple[str, Any]]] = [_members(fields)]
    while todo:
        member = next(todo[-1], None)
        if member is None:
            todo.pop()
            at += 1 if data[at : at + 1] == b"}" else 0
            continue
        name, below = member
        at += 1 if data[at : at + 1] == b"," else 0
        at += len(gofmt.format_json(name).encode()) + 1
        try:
            is_skipped = name == "." or pathelement.normalize(name) is None
        except pathelement.MalformedFields as error:
            return jsoniter.report(data, at, f"parsing key as path element: {error}")
        if isinstance(below, dict) and not is_skipped:
            at += 1
            todo.append(_members(below))
        elif is_skipped or below is None:
            at += len(gofmt.format_json(below).encode())
        else:
            return _no_map(data, at)
    return ""


def _members(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, fields[name]) for name in longsteps.sort(fields))


def _no_map(data: bytes, at: int) -> str:
    return jsoniter.report(data, at + 1, f"ReadMapCB: expect {{ or n, but found {chr(data[at])}")
