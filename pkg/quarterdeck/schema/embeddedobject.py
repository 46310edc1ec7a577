"""Objects inside custom resources (x-kubernetes-embedded-resource): their apiVersion, kind and metadata.

Source: apiextensions-apiserver/pkg/apiserver/schema/objectmeta (coerce, validate).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.apimachinery import field, gotext, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import metadecode, objectmeta


def coerce(resource: dict[str, Any], path: str) -> list[str]:
    """Checks the types of apiVersion and kind and decodes metadata, in place; the paths of unknown metadata fields.

    Raises DecodeError with the whole text of the field error.
    """
    for name in ("apiVersion", "kind"):
        if name in resource and not isinstance(resource[name], str):
            raise metadecode.DecodeError(str(field.invalid(f"{path}.{name}", resource[name], "must be a string")))
    if "metadata" not in resource:
        return []
    metadata = resource["metadata"]
    try:
        resource["metadata"], unknown = metadecode.decode_object_meta(metadata)
    except metadecode.DecodeError as error:
        raise metadecode.DecodeError(str(field.invalid(f"{path}.metadata", metadata, str(error)))) from error
    return [f"{path}.{name}" for name in unknown]


def coerce_leniently(resource: dict[str, Any]) -> None:
    """For stored objects: what has the wrong type is dropped."""
    for name in ("apiVersion", "kind"):
        if name in resource and not isinstance(resource[name], str):
            del resource[name]
    if "metadata" in resource:
        decoded = metadecode.decode_object_meta_leniently(resource["metadata"])
        if decoded is not None:
            resource["metadata"] = decoded


def validate(resource: Mapping[str, Any], path: str) -> list[FieldError]:
    """apiVersion and kind are needed, metadata must be good if it is there; a name is not needed."""
    errors = [field.required(f"{path}.{name}") for name in ("apiVersion", "kind") if name not in resource]
    errors += _validate_type(resource, path)
    if "metadata" in resource:
        try:
            meta = metadecode.decode_object_meta(resource["metadata"])[0]
        except metadecode.DecodeError as error:
            return [*errors, field.invalid(f"{path}.metadata", resource["metadata"], str(error))]
        meta.setdefault("name", "fakename")
        check = names.path_segment_name
        errors += objectmeta.validate_object_meta(meta, bool(meta.get("namespace")), f"{path}.metadata", check)
    return errors


def _validate_type(resource: Mapping[str, Any], path: str) -> list[FieldError]:
    errors = []
    for name in ("apiVersion", "kind"):
        if name not in resource:
            continue
        value, at = resource[name], f"{path}.{name}"
        if not isinstance(value, str):
            errors.append(field.invalid(at, value, "must be a string"))
        elif not value:
            errors.append(field.invalid(at, value, "must not be empty"))
        elif name == "apiVersion":
            if objectmeta.parse_group_version(value) is None:
                errors.append(field.invalid(at, value, f"unexpected GroupVersion string: {value}"))
        elif texts := names.dns1035_label(gotext.lower(value)):
            detail = "may have mixed case, but should otherwise match: " + ",".join(texts)
            errors.append(field.invalid(at, value, detail))
    return errors
