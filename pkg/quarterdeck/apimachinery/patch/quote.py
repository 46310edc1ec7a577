"""A patched document of a built-in kind as refusals quote it: the text that upstream's patch library leaves.

The library takes apart only what a patch touches. Objects that it took apart, and all that came with a patch, have
their members sorted; the rest stands as Go wrote it: members in the order of its types.
Source: gopkg.in/evanphx/json-patch.v4 (lazyNode.MarshalJSON), apiserver/pkg/endpoints/handlers/patch.go.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec.protobuf_types import Field, Message, UnknownKind, message_of

# The members that a patch touches, and what it touches in them; positions of lists are texts.
Touched = dict[str, "Touched"]


def touched_by_merge(patch: Any) -> Touched:
    """What a merge patch goes into."""
    if not isinstance(patch, dict):
        return {}
    return {name: touched_by_merge(value) for name, value in patch.items() if isinstance(value, dict)}


def touched_by_operations(operations: list[Any]) -> Touched:
    """What the operations of a JSON patch go into."""
    touched: Touched = {}
    for operation in operations:
        for name in ("path", "from"):
            path = operation.get(name) if isinstance(operation, dict) else None
            if not isinstance(path, str):
                continue
            inner = touched
            for part in path.split("/")[1:-1]:
                inner = inner.setdefault(part.replace("~1", "/").replace("~0", "~"), {})
    return touched


def quote(document: Any, touched: Touched, api_version: str, kind: str) -> str:
    """The document, which was of that kind before it was patched."""
    try:
        message = message_of(api_version, kind)
    except UnknownKind:
        return gofmt.format_json(document)
    return _object(document, message, touched) if isinstance(document, dict) else gofmt.format_json(document)


def _object(value: dict[str, Any], message: Message, touched: Touched | None) -> str:
    """`touched` None: nothing is. No type contains itself, so that this does not go deep."""
    fields = _fields(message)
    known = [name for name in fields if name in value]
    names = sorted(value) if touched is not None else known + sorted(value.keys() - fields.keys())
    members = (f"{gofmt.format_json(name)}:{_member(value[name], name, fields, touched)}" for name in names)
    return "{" + ",".join(members) + "}"


def _member(value: Any, name: str, fields: dict[str, Field], touched: Touched | None) -> str:
    field = fields.get(name)
    if field is None or field.is_map or not isinstance(field.type, Message):
        return gofmt.format_json(value)
    inner = touched.get(name) if touched else None
    if isinstance(value, list) and field.is_list:
        return "[" + ",".join(_item(item, str(i), field.type, inner) for i, item in enumerate(value)) + "]"
    return _object(value, field.type, inner) if isinstance(value, dict) else gofmt.format_json(value)


def _item(value: Any, position: str, message: Message, touched: Touched | None) -> str:
    inner = touched.get(position) if touched else None
    return _object(value, message, inner) if isinstance(value, dict) else gofmt.format_json(value)


def _fields(message: Message) -> dict[str, Field]:
    """With those of inlined messages; in the order of the tables, which is that of Go's types."""
    fields: dict[str, Field] = {}
    for field in message.by_number.values():
        if field.is_inline and isinstance(field.type, Message):
            fields |= _fields(field.type)
        else:
            fields[field.name] = field
    return fields
