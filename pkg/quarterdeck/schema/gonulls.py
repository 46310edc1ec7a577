"""Empty lists and maps that are null once they are stored: kube-apiserver stores built-in kinds as protobuf, which does
not tell empty from absent, and Go writes null where a field without omitempty is absent.

Source: apimachinery/pkg/runtime/serializer/protobuf, encoding/json.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from quarterdeck.schema.gotype import GoType, ListOf, MapOf, Struct, Union


class Nulls(NamedTuple):
    """Where in a struct such fields are. `is_null`: this is one; `fields`: those with some inside."""

    is_null: bool
    fields: dict[str, Nulls]
    is_map: bool = False


def find(struct: Struct) -> Nulls:
    return _of_type(struct, is_always=False, around=())


def _of_type(go_type: GoType, *, is_always: bool, around: tuple[Struct, ...]) -> Nulls:
    if isinstance(go_type, ListOf):
        return Nulls(is_always, _of_type(go_type.item, is_always=False, around=around).fields)
    if isinstance(go_type, MapOf):
        return Nulls(is_always, _of_type(go_type.value, is_always=False, around=around).fields, is_map=True)
    if not isinstance(go_type, Struct) or any(each is go_type for each in around):
        return Nulls(False, {})
    fields = {}
    for name, field in go_type.fields.items():
        found = _of_type(field.type, is_always=field.always and not field.pointer, around=(*around, go_type))
        if found.is_null or found.fields:
            fields[name] = found
    return Nulls(False, fields)


def put_nulls(value: dict[str, Any], nulls: Nulls) -> dict[str, Any]:
    """The struct itself where nothing changes; else a copy of what does."""
    changed: dict[str, Any] = {}
    for name, field in nulls.fields.items():
        item = value.get(name)
        if item:
            made = _put_inside(item, field)
            if made is not item:
                changed[name] = made
        elif field.is_null and item is not None:
            changed[name] = None
    return {**value, **changed} if changed else value


def _put_inside(item: Any, field: Nulls) -> Any:
    if not field.fields:
        return item
    if isinstance(item, list):
        made = [put_nulls(each, field) for each in item]
        return made if any(new is not old for new, old in zip(made, item, strict=True)) else item
    if not isinstance(item, dict):
        return item
    if field.is_map:
        return {key: put_nulls(each, field) for key, each in item.items()}
    return put_nulls(item, field)


def drop_void(value: Any, go_type: GoType) -> Any:
    """Without the schemas or lists of schemas that are neither: Go writes them as null, and reads null as absent."""
    if isinstance(go_type, Union):
        if isinstance(value, list):
            return [drop_void(item, go_type.struct) for item in value]
        return drop_void(value, go_type.struct)
    if isinstance(value, list) and isinstance(go_type, ListOf):
        return [drop_void(item, go_type.item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(go_type, MapOf):
        return {key: drop_void(item, go_type.value) for key, item in value.items()}
    if not isinstance(go_type, Struct):
        return value
    made = {}
    for name, item in value.items():
        field = go_type.fields.get(name)
        if field is None:
            made[name] = item
        elif item not in (None, []) or not isinstance(field.type, Union):
            made[name] = drop_void(item, field.type)
    return made
