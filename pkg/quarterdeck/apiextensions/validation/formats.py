"""Formats that kube-apiserver does not know are let in with a warning."""

from __future__ import annotations

from typing import Any

from quarterdeck.schema import formats

_KNOWN = {
    "string": formats.STRING_FORMATS,
    "integer": formats.INTEGER_FORMATS,
    "number": formats.NUMBER_FORMATS | formats.INTEGER_FORMATS,
}
_ALL = formats.STRING_FORMATS | formats.INTEGER_FORMATS | formats.NUMBER_FORMATS


def unknown_format_warnings(new: dict[str, Any], old: dict[str, Any] | None) -> list[str]:
    """One text for each field whose format is unknown, unless the old definition had it there."""
    if old is not None and old["spec"] is new["spec"]:
        return []  # a change of the status
    before = set(_unknown(old)) if old is not None else set()
    return [text for text in _unknown(new) if text not in before]


def _unknown(obj: dict[str, Any]) -> list[str]:
    found = []
    for version in obj["spec"].get("versions") or []:
        stack: list[Any] = [(version.get("schema") or {}).get("openAPIV3Schema")]
        while stack:
            node = stack.pop()
            if not isinstance(node, dict):
                continue
            name = node.get("format")
            if name and name not in _KNOWN.get(node.get("type", ""), _ALL):
                found.append(f'unrecognized format "{name}"')
            if properties := node.get("properties"):
                stack += properties.values()
            for member in ("items", "additionalProperties"):
                if member in node:
                    stack.append(node[member])
    return list(dict.fromkeys(found))
