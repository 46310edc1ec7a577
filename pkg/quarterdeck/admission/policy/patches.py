"""What the expression of a mutation makes of an object.

Source: apiserver/pkg/admission/plugin/policy/mutating/patch/{json_patch,smd}.go, pkg/cel/mutation.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Sequence
from typing import Any, Final

from quarterdeck._kernels import celvalue
from quarterdeck._kernels import json as json_kernel
from quarterdeck.admission.attributes import MergeError, ObjectInterfaces
from quarterdeck.admission.policy import configurations
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.errors import Unreasoned
from quarterdeck.apimachinery.leaves import leaves
from quarterdeck.apimachinery.patch import jsonpatch
from quarterdeck.apimachinery.patch.written import UNLIKE_ALL
from quarterdeck.cel import lib_core
from quarterdeck.cel.structs import JSON_PATCH, StructValue
from quarterdeck.cel.values import Duration, ListValue, MapLiteral, MapValue, ObjectValue, Timestamp, UInt

Object = dict[str, Any]
_SAFE_INT_MAX: Final = 2**53 - 1
_ESCAPES: Final = re.compile(r"\\(.)")
_JSON_ESCAPES: Final = frozenset('"\\bfnrtu')
_NOT_JSON: Final = "JSONPath valueExpression evaluated to a type that could not marshal to JSON: "


# What types call themselves where they are no JSON, if not as everywhere else.
_NATIVE_NAMES: Final = {
    "google.protobuf.Duration": "Duration",
    "google.protobuf.Timestamp": "Timestamp",
    "net.IP": "IP",
    "net.CIDR": "CIDR",
    "kubernetes.NamedFormat": "Format",
    "kubernetes.Quantity": "Quantity",
    "kubernetes.Semver": "Semver",
    "kubernetes.URL": "URL",
}


# What a patch that was read as JSON cannot say: there a value that is null is none.
_NULL: Final = {"op": "replace", "path": "", "value": None}


class DoesNotApply(Exception):
    """A mutation cannot be made; the text says why."""


def apply_json_patch(obj: Object, patches: Any) -> Object | None:
    """A patched copy, which may be null; the object itself where a test of the patch fails. Raises DoesNotApply."""
    operations = [_operation(each) for each in _items(patches)]
    _let_tests_of_null_fail(operations)
    is_null = bool(operations) and operations[-1] == _NULL
    try:
        patched: Object = jsonpatch.apply(json_kernel.copy(obj), operations[:-1] if is_null else operations)
    except jsonpatch.TestFailed:
        return obj
    except jsonpatch.PatchError as error:
        raise DoesNotApply(f"JSON Patch: {error.message}") from error
    return None if is_null else patched


def _let_tests_of_null_fail(operations: list[Object]) -> None:
    """A null that stands in an object is no value to upstream's library, and one that an expression made is one: it is
    like those alone that the same patch has put there."""
    written: set[Any] = set()
    for operation in operations:
        if operation.get("value", "") is not None:
            continue
        if operation["op"] != "test":
            written.add(operation["path"])
        elif operation["path"] not in written:
            operation["value"] = UNLIKE_ALL


def apply_configuration(obj: Object, value: Any, interfaces: ObjectInterfaces) -> Object:
    """A copy with what an `Object{…}` holds laid over it. Raises DoesNotApply."""
    if not isinstance(value, StructValue):  # a path has opened an optional that held it, and made a map of it
        raise DoesNotApply("unsupported return type from ApplyConfiguration expression: map(dyn, dyn)")
    _check_types(value)
    try:
        patch = {**configurations.native(value), "apiVersion": obj.get("apiVersion"), "kind": obj.get("kind")}
    except configurations.Unconvertible as error:
        raise DoesNotApply("invalid return type: *dynamic.ObjectVal") from error
    try:
        merged: Object = json_kernel.copy(interfaces.merge(obj, patch))
    except MergeError as error:
        raise DoesNotApply(f"error applying patch: {error}") from error
    _check_numbers(patch)
    return merged


def forget_empty_lists(merged: Object, value: StructValue, obj: Object) -> bool:
    """In what came of an `Object{…}` a list that an expression made empty, and that nothing was added to, is null:
    to Go it is no list, and null is stored. One that stood in `obj` stays. Whether there is one."""
    made_empty: list[tuple[Object, str, list[Any]]] = []
    todo: list[tuple[Object, StructValue]] = [(merged, value)]
    while todo:
        made, struct = todo.pop()
        for name, inner in struct.fields.items():
            member = made.get(name)
            if member == [] and isinstance(inner, list):
                made_empty.append((made, name, inner))
            elif isinstance(inner, StructValue) and isinstance(member, dict):
                todo.append((member, inner))
    kept = _find_empty_lists(obj) if made_empty else frozenset()
    forgotten = [(made, name) for made, name, inner in made_empty if id(inner) not in kept]
    for made, name in forgotten:
        made[name] = None
    return bool(forgotten)


def _find_empty_lists(value: Any) -> frozenset[int]:
    """Their identities."""
    found: set[int] = set()
    todo = [value]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            todo += each.values()
        elif isinstance(each, list):
            todo += each
            if not each:
                found.add(id(each))
    return frozenset(found)


def _check_numbers(patch: Object) -> None:
    """Raises Unreasoned where a number is none of JSON's."""
    if name := _odd_number(patch):
        raise Unreasoned(f"json: unsupported value: {name}")


def _odd_number(value: Any) -> str:
    """What Go calls a number in a value that JSON does not have; "" without one."""
    for leaf in leaves(value):
        if isinstance(leaf, float) and not math.isfinite(leaf):
            return gofmt.format_float(leaf)
    return ""


def _operation(patch: StructValue) -> Object:
    fields: dict[str, Any] = patch.fields
    made: Object = {"op": _read_text(fields.get("op", "")), "path": _read_text(fields.get("path", ""))}
    if fields.get("from"):
        made["from"] = _read_text(fields["from"])
    if "value" in fields:
        made["value"] = _member(fields["value"])
    return made


def _read_text(text: str) -> str | jsonpatch.Unreadable:
    """A text is quoted as one of Go and read as one of JSON, which has fewer escapes."""
    for escape in _ESCAPES.finditer(gofmt.quote(text)):
        if escape[1] not in _JSON_ESCAPES:
            return jsonpatch.Unreadable(f"invalid character '{escape[1]}' in string escape code")
    return text


def _member(value: Any) -> Any:
    if isinstance(value, StructValue):
        _check_types(value)
    while isinstance(value, celvalue.Optional) and value.present:
        value = value.value
    is_object = isinstance(value, StructValue) and value.cel_type != JSON_PATCH
    made = _struct(value) if is_object else _json(value)
    if number := _odd_number(made):
        message = f"proto: google.protobuf.Value.number_value: invalid {number} value"
        name = "Struct" if is_object else "Value"
        raise DoesNotApply(f"{_NOT_JSON}json: error calling MarshalJSON for type *structpb.{name}: {message}")
    return made


def _struct(value: StructValue) -> Object:
    try:
        return configurations.as_struct(value)
    except (configurations.Unconvertible, ValueError) as error:
        raise DoesNotApply(f"{_NOT_JSON}{error}") from error


def _items(value: Any) -> Sequence[Any]:
    return value.raw if isinstance(value, ListValue) else value


def _check_types(value: StructValue) -> None:
    """Objects are named by the fields that they stand in. Raises DoesNotApply."""
    found: list[str] = []
    todo: list[tuple[Any, str]] = [(value, value.cel_type)]
    while todo:
        each, path = todo.pop()
        if isinstance(each, StructValue):
            if each.cel_type == JSON_PATCH:
                continue
            if each.cel_type != path:
                found.append(
                    f'unexpected type name "{each.cel_type}", expected "{path}", which matches field name path from '
                    "root Object type"
                )
            todo += [(inner, f"{path}.{name}") for name, inner in reversed(each.fields.items())]
        elif isinstance(each, list):
            todo += [(inner, path) for inner in reversed(each)]
        elif isinstance(each, (dict, MapLiteral)):
            entries = each if isinstance(each, dict) else each.entries
            todo += [(inner, path) for inner in reversed(entries.values())]
    if found:
        raise DoesNotApply("type mismatch: " + "\n".join(found))


def _json(value: Any) -> Any:
    """As JSON, whose numbers are doubles: a larger integer becomes a text."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, UInt)):
        return int(value) if abs(value) <= _SAFE_INT_MAX else str(int(value))
    if isinstance(value, float):
        return configurations.number(value)
    if isinstance(value, celvalue.Optional):
        if not value.present:
            raise DoesNotApply(f"{_NOT_JSON}optional.none() dereference")
        return _json(value.value)
    if isinstance(value, MapLiteral):
        _check_keys(value)
    return _container(value)


def _check_keys(value: MapLiteral) -> None:
    for key in celvalue.keys_of(value) or ():
        if isinstance(key, str):
            continue
        if isinstance(key, (int, UInt)) and not isinstance(key, bool):
            raise DoesNotApply(f"{_NOT_JSON}unsupported type conversion from '{celvalue.cel_type_name(key)}' to string")
        raise DoesNotApply(f"{_NOT_JSON}{_no_conversion(key, 'string')}")


# What types call themselves where their values become no text, if not in quotes as everywhere else.
_UNQUOTED_NAMES: Final = {"bool": "bool", "double": "Double", "list": "list", "map": "map"}


def _no_conversion(value: Any, target: str) -> str:
    name = celvalue.cel_type_name(value)
    if name == "type":
        return "type conversion not supported for 'type'"
    shown = _UNQUOTED_NAMES.get(name) or f"'{_NATIVE_NAMES.get(name, name)}'"
    return f"type conversion error from {shown} to '{target}'"


def _container(value: Any) -> Any:
    if isinstance(value, (list, ListValue)):
        return [_json(item) for item in _items(value)]
    if isinstance(value, StructValue):
        if value.cel_type == JSON_PATCH:
            raise DoesNotApply(f"{_NOT_JSON}cannot convert to native type: *structpb.Value")
        return {name: _json(item) for name, item in value.fields.items()}
    if isinstance(value, (ObjectValue, MapValue)):
        return {name: _json(item) for name, item in value.raw.items()}
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    if isinstance(value, MapLiteral):
        return {key: _json(item) for key, item in value.entries.items()}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (Timestamp, Duration)):
        return lib_core.to_string(value)
    raise DoesNotApply(f"{_NOT_JSON}{_no_conversion(value, '*structpb.Value')}")
