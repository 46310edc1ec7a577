"""kubectl's annotation of client-side apply, where its user moves to server-side apply.

What the annotation says was applied, and is still so in the object, kubectl may overwrite without force. As long as
the annotation stands, each server-side apply by kubectl keeps it up to date.

Source: apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go, lastappliedupdater.go, lastapplied.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarterdeck._kernels import fieldapplied, fieldcompare, fieldset, fieldtype
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as codec

if TYPE_CHECKING:
    from quarterdeck._kernels.fieldset import Set
    from quarterdeck._kernels.fieldtype import FieldType

Object = dict[str, Any]

ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
KUBECTL: Final = "kubectl"
ANNOTATIONS_SIZE_MAX: Final = 256 * 1024


def _annotations(obj: Object) -> dict[str, str]:
    """A null is the empty text, as whoever asks Go's types for annotations gets it."""
    found = (obj.get("metadata") or {}).get("annotations") or {}
    return {name: text or "" for name, text in found.items()}


def allowed_fields(type_: FieldType, live: Object, api_version: str, kind: str) -> Set:
    """What the annotation says was applied and still is as it says; {} if it says nothing of this kind and version."""
    text = _annotations(live).get(ANNOTATION)
    if not text:
        return {}
    applied = _parse(text)
    if applied is None or (applied.get("apiVersion"), applied.get("kind")) != (api_version, kind):
        return {}
    if not fieldtype.conforms(type_, applied, False) or not fieldtype.conforms(type_, live, False):
        return {}
    sets = fieldcompare.compare(type_, applied, live, {}, False)
    if sets is None:
        return {}
    allowed = fieldapplied.to_set(type_, applied)
    for changed in sets:
        allowed = fieldset.difference(allowed, changed)
    return allowed


def _parse(text: str) -> Object | None:
    try:
        applied = codec.decode(text.encode()).value
    except codec.DecodeError:
        return None
    return applied if isinstance(applied, dict) else None


def refresh(obj: Object, config: Object) -> Object:
    """`obj` with the annotation, if it has one, saying what `config` applies."""
    annotations = _annotations(obj)
    if not annotations.get(ANNOTATION):
        return obj
    annotations[ANNOTATION] = _render(config)
    if sum(len(name.encode()) + len(value.encode()) for name, value in annotations.items()) > ANNOTATIONS_SIZE_MAX:
        del annotations[ANNOTATION]
    return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}


def _render(config: Object) -> str:
    metadata = config.get("metadata") or {}
    if "annotations" in metadata:
        metadata = dict(metadata)
        # None at all are left out; an empty map is shown.
        if metadata.pop("annotations") is not None:
            metadata["annotations"] = _annotations(config)
            metadata["annotations"].pop(ANNOTATION, None)
        config = {**config, "metadata": metadata}
    return gofmt.format_json(config) + "\n"
