"""Annotations that held, as JSON, what fields hold now.

Source: pkg/apis/core/helper/helpers.go (GetTolerationsFromPodAnnotations, GetTaintsFromNodeAnnotations).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.schema import gotypes
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import GoType, ListOf, Scalar, Struct


def read(text: str, path: str, key: str, go_type: GoType) -> tuple[Any, list[FieldError]]:
    """The value, None for null; or what is wrong, told of `path` with the name of the annotation."""
    try:
        value = json_codec.decode(text.encode("utf-8", "surrogatepass")).value
        return None if value is None else Decoder(report_unknown=False).decode_value(value, go_type), []
    except (json_codec.DecodeError, DecodeError) as error:
        return None, [field.invalid(path, key, str(error))]


def read_internal(text: str, path: str, key: str, struct_name: str) -> tuple[list[Object], list[FieldError]]:
    """A list of an internal type of the core group, whose members are named as Go's fields are, whatever their case."""
    struct = gotypes.named_struct("core", struct_name)
    names = {name.lower(): name for name in struct.fields}
    fields = {_go_name(name): replace(one, type=_internal(one.type)) for name, one in struct.fields.items()}
    go_type = ListOf(Struct(struct_name, fields, "core"))
    try:
        value = json_codec.decode(text.encode("utf-8", "surrogatepass")).value
        if isinstance(value, list):
            value = [_with_go_names(item, names) if isinstance(item, dict) else item for item in value]
        found = Decoder(report_unknown=False).decode_value(value, go_type) if value is not None else []
    except (json_codec.DecodeError, DecodeError) as error:
        return [], [field.invalid(path, key, str(error))]
    return [{names[name.lower()]: inner for name, inner in item.items()} for item in found], []


def _internal(go_type: GoType) -> GoType:
    """Types of texts have the same names in the package of internal types."""
    if isinstance(go_type, Scalar) and go_type.kind == "string":
        return replace(go_type, go_name=go_type.go_name.replace("v1.", "core."))
    return go_type


def _go_name(name: str) -> str:
    return name[0].upper() + name[1:]


def _with_go_names(item: Object, names: dict[str, str]) -> Object:
    return {_go_name(names[name.lower()]): inner for name, inner in item.items() if name.lower() in names}
