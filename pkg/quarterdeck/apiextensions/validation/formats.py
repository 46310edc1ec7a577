"""Formats that kube-apiserver does not know are let in with a warning.

Source: apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go (WarningsOnCreate, WarningsOnUpdate).
"""

from __future__ import annotations

from typing import Any

from quarterdeck._kernels.schemasurvey import Survey
from quarterdeck.apiextensions.validation import subschemas
from quarterdeck.apimachinery import gofmt
from quarterdeck.schema import formats


def unknown_format_warnings(new: dict[str, Any], old: dict[str, Any] | None) -> list[str]:
    """One text for each format that is unknown, unless the old definition had it anywhere."""
    if old is not None and old["spec"] is new["spec"]:
        return []  # a change of the status
    before = _unknown(old) if old is not None else {}
    return [f"unrecognized format {gofmt.quote(name)}" for name in _unknown(new) if name not in before]


def _unknown(obj: dict[str, Any]) -> dict[str, None]:
    """The unknown formats in the order in which they stand."""
    found: dict[str, None] = {}
    for version in obj["spec"].get("versions") or ():
        root = (version.get("schema") or {}).get("openAPIV3Schema")
        if root is None or _are_recognized(Survey(root)):
            continue
        for schema in subschemas.walk(root):
            name = schema.get("format")
            if name and not formats.is_recognized(schema.get("type", ""), name):
                found[name] = None
    return found


def _are_recognized(survey: Survey) -> bool:
    return survey.is_ordinary and all(formats.is_recognized(kind, name) for kind, name in survey.formats)
