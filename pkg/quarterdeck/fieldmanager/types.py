"""The types that field management works with, made from the OpenAPI schema of a definition's version.

A type says what the fields of an object merge by: scalars, lists that are atomic, sets or maps, maps that are atomic or
granular. A schema is turned into types node by node, when an object first has something there: a definition with ten
thousand nodes costs what its objects use. Types know nothing of required fields, bounds or formats.

Source: kube-openapi/pkg/schemaconv/openapi.go and smd.go; apiextensions-apiserver/pkg/controller/openapi/builder.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarterdeck._kernels import fieldtype

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarterdeck._kernels.fieldtype import FieldType

JSON = dict[str, Any]

STRING: Final = fieldtype.FieldType(fieldtype.SCALAR_STRING)
NUMERIC: Final = fieldtype.FieldType(fieldtype.SCALAR_NUMERIC)
BOOLEAN: Final = fieldtype.FieldType(fieldtype.SCALAR_BOOLEAN)
# Any scalar: text whose format has its own meaning (date-time, int-or-string).
ANY_SCALAR: Final = fieldtype.FieldType(fieldtype.SCALAR_UNTYPED)


def _build_atomic() -> FieldType:
    made = fieldtype.FieldType(fieldtype.SCALAR_UNTYPED)
    made.set_list(made, atomic=True)
    made.set_map({}, made, atomic=True)
    made.set_anything()
    return made


def _build_deduced() -> FieldType:
    made = fieldtype.FieldType(fieldtype.SCALAR_UNTYPED)
    made.set_list(ATOMIC, atomic=True)
    made.set_map({}, made, atomic=False)
    made.set_anything()
    return made


# Whatever it is, it is owned whole.
ATOMIC: Final = _build_atomic()
# The type follows from the value: maps are granular, lists atomic.
DEDUCED: Final = _build_deduced()


def map_of(value: FieldType, *, atomic: bool = False) -> FieldType:
    made = fieldtype.FieldType()
    made.set_map({}, value, atomic=atomic)
    return made


def struct(fields: Mapping[str, FieldType], *, atomic: bool = False) -> FieldType:
    made = fieldtype.FieldType()
    made.set_map(dict(fields), None, atomic=atomic)
    return made


def list_of(item: FieldType) -> FieldType:
    made = fieldtype.FieldType()
    made.set_list(item, atomic=True)
    return made


def set_of(item: FieldType) -> FieldType:
    made = fieldtype.FieldType()
    made.set_list(item, atomic=False)
    return made


def list_map(item: FieldType, *keys: str, defaults: Mapping[str, object] | None = None) -> FieldType:
    """A list of maps that are told apart by the fields `keys`."""
    made = fieldtype.FieldType()
    made.set_list(item, atomic=False, keys=keys, key_defaults=dict(defaults or {}))
    return made


OWNER_REFERENCE: Final = struct(
    {
        "apiVersion": STRING,
        "kind": STRING,
        "name": STRING,
        "uid": STRING,
        "controller": BOOLEAN,
        "blockOwnerDeletion": BOOLEAN,
    },
    atomic=True,
)
_MANAGED_FIELDS_ENTRY: Final = struct(
    {
        "apiVersion": STRING,
        "fieldsType": STRING,
        "fieldsV1": map_of(DEDUCED),
        "manager": STRING,
        "operation": STRING,
        "subresource": STRING,
        "time": ANY_SCALAR,
    }
)
OBJECT_META: Final = struct(
    {
        "annotations": map_of(STRING),
        "creationTimestamp": ANY_SCALAR,
        "deletionGracePeriodSeconds": NUMERIC,
        "deletionTimestamp": ANY_SCALAR,
        "finalizers": set_of(STRING),
        "generateName": STRING,
        "generation": NUMERIC,
        "labels": map_of(STRING),
        "managedFields": list_of(_MANAGED_FIELDS_ENTRY),
        "name": STRING,
        "namespace": STRING,
        "ownerReferences": list_map(OWNER_REFERENCE, "uid", defaults={"uid": ""}),
        "resourceVersion": STRING,
        "selfLink": STRING,
        "uid": STRING,
    }
)
TYPE_META: Final = {"apiVersion": STRING, "kind": STRING, "metadata": OBJECT_META}


class TypeSchema:
    """The type of one kind in one version. Shared by everything that handles such objects; never changed.

    `zero` is what an object of a built-in type holds before anything is set: fields that its encoding never leaves
    out. Creating an object takes no ownership of what stands there. Custom resources have no such fields.
    """

    __slots__ = ("root", "zero")

    def __init__(self, root: FieldType, zero: JSON | None = None) -> None:
        self.root = root
        self.zero = zero


UNKNOWN: Final = TypeSchema(DEDUCED)


def from_open_api(schema: JSON | None, *, preserves: bool = False) -> TypeSchema:
    """The type of a definition's version from its `openAPIV3Schema` as it stands in the definition. `preserves`: the
    definition preserves unknown fields, in all of the object."""
    if schema is None:
        return TypeSchema(DEDUCED)
    return TypeSchema(fieldtype.FieldType(expand=partial(_expand_root, schema, preserves)))


def _expand_root(schema: JSON, inherited: bool, made: FieldType) -> None:
    preserve = _preserves(schema, inherited)
    fields = _fields(schema, preserve)
    fields.update(TYPE_META)
    made.set_map(fields, _undeclared(schema, preserve, has_fields=True), atomic=_is_atomic_map(schema))


def _preserves(schema: JSON, inherited: bool) -> bool:
    # What one node preserves all nodes below it preserve.
    return inherited or schema.get("x-kubernetes-preserve-unknown-fields") is True


def _fields(schema: JSON, preserve: bool) -> dict[str, FieldType]:
    properties = schema.get("properties") or {}
    return {name: from_node(member, preserve) for name, member in properties.items()}


def _undeclared(schema: JSON, preserve: bool, *, has_fields: bool) -> FieldType | None:
    """The type of fields that are not declared; None refuses them."""
    additional = schema.get("additionalProperties")
    if isinstance(additional, dict):
        return from_node(additional, preserve)
    if additional is None:
        return DEDUCED if preserve or not has_fields else None
    return DEDUCED if additional else None


def _is_atomic_map(schema: JSON) -> bool:
    return schema.get("x-kubernetes-map-type") == "atomic"


def from_node(schema: JSON, inherited: bool) -> FieldType:
    """The type of a schema node; nodes with nodes below them are looked into at the first use."""
    match schema.get("type") or "":
        case "string":
            return STRING if (schema.get("format") or "") in ("", "byte") else ANY_SCALAR
        case "integer" | "number":
            return NUMERIC
        case "boolean":
            return BOOLEAN
    return fieldtype.FieldType(expand=partial(_expand_node, schema, inherited))


def _expand_node(schema: JSON, inherited: bool, made: FieldType) -> None:
    preserve = _preserves(schema, inherited)
    kind = schema.get("type") or ""
    if kind != "array":
        _expand_map(schema, preserve, made)
    if kind != "object":
        _expand_list(schema, preserve, made)
    if not kind:
        made.set_scalar(fieldtype.SCALAR_UNTYPED)


def _expand_map(schema: JSON, preserve: bool, made: FieldType) -> None:
    fields = _fields(schema, preserve)
    if schema.get("x-kubernetes-embedded-resource") is True:
        fields.update(TYPE_META)
    made.set_map(fields, _undeclared(schema, preserve, has_fields=bool(fields)), atomic=_is_atomic_map(schema))


def _expand_list(schema: JSON, preserve: bool, made: FieldType) -> None:
    items = schema.get("items")
    item = from_node(items, preserve) if isinstance(items, dict) else ATOMIC
    match schema.get("x-kubernetes-list-type"):
        case "set":
            made.set_list(item, atomic=False)
        case "map":
            keys = tuple(schema.get("x-kubernetes-list-map-keys") or ())
            made.set_list(item, atomic=False, keys=keys, key_defaults=_key_defaults(items or {}, keys))
        case _:
            made.set_list(item, atomic=True)


def _key_defaults(items: JSON, keys: tuple[str, ...]) -> dict[str, object]:
    properties = items.get("properties") or {}
    found = {key: (properties.get(key) or {}).get("default") for key in keys}
    return {key: default for key, default in found.items() if default is not None}
