"""What every table is made of: column definitions, rows, the object part of a row, the table around them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

import orjson

from quarterdeck.apimachinery import errors, gofmt, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apis.resource import PrinterColumn

Object = dict[str, Any]

OBJECT_NONE: Final = "None"
OBJECT_METADATA: Final = "Metadata"
OBJECT_WHOLE: Final = "Object"

NAME_DESCRIPTION: Final = (
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a"
    " client to request the generation of an appropriate name automatically. Name is primarily intended for creation"
    " idempotence and configuration definition. Cannot be updated. More info:"
    " https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
CREATED_DESCRIPTION: Final = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed"
    " to be set in happens-before order across separate operations. Clients may not set this value. It is represented"
    " in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info:"
    " https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)

BUILTIN_SCALE: Final = "Scale of a built-in kind"  # which upstream prints otherwise than a custom resource's

# The conditions that a row has of its object, or none.
RowConditions = Callable[[Object], list[dict[str, str]]]
# What the rows of a list are sorted by.
RowOrder = Callable[[Object], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Columns:
    """Column definitions as values and as bytes."""

    column_definitions: list[dict[str, object]]
    definitions: bytes


def define(columns: Iterable[PrinterColumn]) -> Columns:
    definitions: list[dict[str, object]] = [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description,
            "priority": column.priority,
        }
        for column in columns
    ]
    return Columns(definitions, orjson.dumps(definitions))


NAME_COLUMN: Final = PrinterColumn("Name", "string", ".metadata.name", "name", NAME_DESCRIPTION)


def build_row(cells: list[object], object_json: bytes, conditions: list[dict[str, str]] | None = None) -> bytes:
    """Cells hold text, integers, floats, booleans and None. Floats are written as Go writes them."""
    if conditions:
        return b'{"cells":%b,"conditions":%b,"object":%b}' % (
            orjson.dumps(cells),
            orjson.dumps(conditions),
            object_json,
        )
    if any(type(cell) is float for cell in cells):
        texts = [
            gofmt.format_json_float(cell).encode() if isinstance(cell, float) else orjson.dumps(cell) for cell in cells
        ]
        return b'{"cells":[%b],"object":%b}' % (b",".join(texts), object_json)
    return b'{"cells":%b,"object":%b}' % (orjson.dumps(cells), object_json)


def build_table(
    meta_version: str,
    list_metadata: dict[str, object],
    definitions: bytes | None,
    rows: Collection[bytes],
    no_rows: bytes = b"[]",
) -> bytes:
    """A Table of meta.k8s.io/`meta_version`. `definitions` None: not repeated (the later events of a watch)."""
    return b'{"kind":"Table","apiVersion":"meta.k8s.io/%b","metadata":%b,"columnDefinitions":%b,"rows":%b}' % (
        meta_version.encode(),
        orjson.dumps(list_metadata),
        definitions or b"null",
        b"[%b]" % b",".join(rows) if rows else no_rows,
    )


def partial_metadata(obj: Object, meta_version: str) -> bytes:
    """The object as PartialObjectMetadata."""
    return b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/%b","metadata":%b}' % (
        meta_version.encode(),
        orjson.dumps(meta.metadata(obj)),
    )


def included(obj: Object, include: str, meta_version: str) -> bytes:
    """What its row holds of an object."""
    if include == OBJECT_NONE:
        return b"null"
    return json_codec.encode(obj) if include == OBJECT_WHOLE else partial_metadata(obj, meta_version)


def parse_include_object(value: str) -> str:
    """The query parameter includeObject; Metadata when empty. Raises BadRequest."""
    if value in (OBJECT_NONE, OBJECT_METADATA, OBJECT_WHOLE):
        return value
    if value:
        raise errors.BadRequest(
            f"Unable to convert to Table as requested: includeObject: Invalid value: {gofmt.format_json(value)}: "
            "must be 'Metadata', 'Object', 'None', or empty"
        )
    return OBJECT_METADATA
