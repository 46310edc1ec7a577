"""The types of built-in kinds, from their Go types, which tell what lists and maps merge by.

Source: k8s.io/api/*/types.go, apiextensions and kube-aggregator likewise (1.36).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarterdeck._kernels import fieldtype
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.fieldmanager import types
from quarterdeck.schema import gotype

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from quarterdeck._kernels.fieldset import Set
    from quarterdeck._kernels.fieldtype import FieldType

# What writes of a status cannot set beside the spec.
_STATUS_RESETS: Final[Mapping[str, Set]] = {
    "APIService": {"f:metadata": {}},
    "Deployment": {"f:metadata": {"f:labels": {}}},
    "DeviceTaintRule": {"f:metadata": {}},
    "FlowSchema": {"f:metadata": {}},
    "Pod": {"f:metadata": {"f:deletionTimestamp": {}, "f:ownerReferences": {}}},
    "PriorityLevelConfiguration": {"f:metadata": {}},
    "ResourceClaim": {"f:metadata": {}},
    "ResourcePoolStatusRequest": {"f:metadata": {}},
    "ServiceCIDR": {"f:metadata": {}},
    "StorageVersion": {"f:metadata": {}},
    "StorageVersionMigration": {"f:metadata": {}},
    "ValidatingAdmissionPolicy": {"f:metadata": {}},
    "VolumeAttachment": {"f:metadata": {}},
}

# Of certificate requests each address can write a part of its own.
_REQUEST_RESETS: Final[Mapping[str, Set]] = {
    "": {"f:spec": {}, "f:status": {}},
    "status": {"f:spec": {}, "f:status": {"f:conditions": {}}},
    "approval": {"f:spec": {}, "f:status": {"f:certificate": {}}},
}

_SCALARS: Final = {
    "string": types.STRING,
    "bytes": types.STRING,
    "bool": types.BOOLEAN,
    "int": types.NUMERIC,
    "float": types.NUMERIC,
    "time": types.ANY_SCALAR,
    "microtime": types.ANY_SCALAR,
    "quantity": types.ANY_SCALAR,
    # Its schema names both types, which upstream takes for none.
    "intorstring": types.DEDUCED,
    "any": types.ATOMIC,
}


def from_go_type(struct: gotype.Struct) -> types.TypeSchema:
    """The type of a kind from the Go type of its objects, with or without apiVersion, kind and metadata in it."""
    types_of_structs: dict[int, FieldType] = {}
    root = fieldtype.FieldType(expand=partial(_expand_root, struct, types_of_structs))
    return types.TypeSchema(root, {"metadata": {}, **zero_of(struct)})


def reset_fields(versions: Collection[str], kind: str, subresources: Collection[str]) -> dict[str, dict[str, Set]]:
    """What a write cannot set, and therefore does not own: subresource ("" is the object itself) → version → set.
    `versions`: those of the kind's group; what cannot be set in the one cannot be set in the other."""
    if kind == "CertificateSigningRequest":
        return {name: dict.fromkeys(versions, fields) for name, fields in _REQUEST_RESETS.items()}
    if "status" not in subresources:
        return {}
    of_status: Set = {"f:spec": {}, **_STATUS_RESETS.get(kind, {})}
    of_object: dict[str, Set] = {version: {"f:status": {}} for version in versions}
    return {
        "": of_object,
        "status": dict.fromkeys(versions, of_status),
        **dict.fromkeys({"finalize"} & {*subresources}, of_object),
    }


def zero_of(struct: gotype.Struct) -> dict[str, Any]:
    """What Go writes of an object of which nothing is set."""
    out: dict[str, Any] = {}
    for name, field in struct.fields.items():
        if isinstance(field.type, gotype.Struct):
            if not field.pointer:
                out[name] = zero_of(field.type)
            elif field.always:
                out[name] = None
        elif field.always:
            out[name] = None if field.pointer else _zero_value(field.type)
    return out


def _expand_root(struct: gotype.Struct, known: dict[int, FieldType], made: FieldType) -> None:
    fields = {name: _field_type(field, known) for name, field in struct.fields.items()}
    made.set_map({**fields, **types.TYPE_META}, None, atomic=False)


def _field_type(field: gotype.Field, known: dict[int, FieldType]) -> FieldType:
    go_type = field.type
    if isinstance(go_type, gotype.ListOf):
        item = _type_of(go_type.item, known)
        if field.list_keys and isinstance(go_type.item, gotype.Struct):
            return types.list_map(item, *field.list_keys, defaults=_key_defaults(go_type.item, field.list_keys))
        return types.set_of(item) if field.is_set else types.list_of(item)
    if isinstance(go_type, gotype.MapOf) and field.atomic:
        return types.map_of(_type_of(go_type.value, known), atomic=True)
    return _type_of(go_type, known)


def _type_of(go_type: gotype.GoType, known: dict[int, FieldType]) -> FieldType:
    if isinstance(go_type, gotype.Scalar):
        return _SCALARS[go_type.kind]
    if isinstance(go_type, gotype.Struct):
        return _struct_type(go_type, known)
    if isinstance(go_type, gotype.ListOf):
        return types.list_of(_type_of(go_type.item, known))
    if isinstance(go_type, gotype.MapOf):
        return types.map_of(_type_of(go_type.value, known))
    return types.ATOMIC


def _struct_type(struct: gotype.Struct, known: dict[int, FieldType]) -> FieldType:
    if struct.name == "ObjectMeta":
        return types.OBJECT_META
    found = known.get(id(struct))
    if found is None:
        # A Go type may contain itself, so its fields wait until they are used.
        found = known[id(struct)] = fieldtype.FieldType(expand=partial(_expand_struct, struct, known))
    return found


def _expand_struct(struct: gotype.Struct, known: dict[int, FieldType], made: FieldType) -> None:
    # A struct without fields is published as an object that may hold anything.
    rest = None if struct.fields else types.DEDUCED
    made.set_map({name: _field_type(field, known) for name, field in struct.fields.items()}, rest, atomic=struct.atomic)


def _key_defaults(item: gotype.Struct, keys: tuple[str, ...]) -> dict[str, object]:
    """A key that is absent counts as its default; most keys are written even where they are zero."""
    defaults: dict[str, object] = {}
    for key in keys:
        field = item.fields.get(key)
        if field is not None and field.default:
            defaults[key] = json_codec.decode(field.default.encode()).value
        elif field is not None and field.always:
            defaults[key] = _zero_value(field.type)
    return defaults


# Of bytes that are absent Go writes null.
_ZERO_VALUES: Final = {
    "string": "",
    "bool": False,
    "int": 0,
    "float": 0,
    "intorstring": 0,
    "quantity": "0",
}


def _zero_value(go_type: gotype.GoType) -> object:
    return _ZERO_VALUES.get(go_type.kind) if isinstance(go_type, gotype.Scalar) else None
