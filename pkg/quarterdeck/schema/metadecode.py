"""Decodes object metadata into its known fields.

Unknown fields and empty values are dropped, as the round trip through Go's ObjectMeta does; values of wrong JSON types
are refused with the words of encoding/json.
Source: apiextensions-apiserver/pkg/apiserver/schema/objectmeta; apimachinery/pkg/apis/meta/v1/types.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import ZERO
from quarterdeck.schema import timestamps

Meta = dict[str, Any]


_OWNER_TEXTS: Final = ("apiVersion", "kind", "name", "uid")


class DecodeError(ValueError):
    """A value has a JSON type that its field cannot hold; the message is encoding/json's."""


# A field's kind says how its value is decoded and when it is left out:
#   string types by their Go name; int64; *int64 and *bool, which keep a zero; Time; map[string]string;
#   and lists, written as [] and the kind of the elements.

_OBJECT_META: Final[Mapping[str, str]] = {
    "annotations": "map[string]string",
    "creationTimestamp": "Time",
    "deletionGracePeriodSeconds": "*int64",
    "deletionTimestamp": "Time",
    "finalizers": "[]string",
    "generateName": "string",
    "generation": "int64",
    "labels": "map[string]string",
    "managedFields": "[]v1.ManagedFieldsEntry",
    "name": "string",
    "namespace": "string",
    "ownerReferences": "[]v1.OwnerReference",
    "resourceVersion": "string",
    "selfLink": "string",
    "uid": "types.UID",
}
_OWNER_REFERENCE: Final[Mapping[str, str]] = {
    "apiVersion": "string",
    "blockOwnerDeletion": "*bool",
    "controller": "*bool",
    "kind": "string",
    "name": "string",
    "uid": "types.UID",
}
OWNER_REFERENCE_ALWAYS: Final = ("apiVersion", "kind", "name", "uid")
_MANAGED_FIELDS_ENTRY: Final[Mapping[str, str]] = {
    "apiVersion": "string",
    "fieldsType": "string",
    "fieldsV1": "raw",
    "manager": "string",
    "operation": "v1.ManagedFieldsOperationType",
    "subresource": "string",
    "time": "Time",
}
_STRUCTS: Final = {
    "v1.ObjectMeta": _OBJECT_META,
    "v1.OwnerReference": _OWNER_REFERENCE,
    "v1.ManagedFieldsEntry": _MANAGED_FIELDS_ENTRY,
}
# Strict decoding tells of no more (sigs.k8s.io/json); a custom resource's metadata is decoded by itself.
_UNKNOWN_MAX: Final = json_codec.STRICT_ERRORS_MAX
_STRINGS: Final = frozenset(("string", "types.UID", "v1.ManagedFieldsOperationType"))
_ABSENT: Final = object()


class _Decoder:
    """Decodes one value; keeps the first wrong type, as encoding/json does, and the unknown fields: of a custom
    resource the first ones, within a built-in type all, since those of the whole text are counted together.

    `outer` is the path that Go's error texts put before the field: empty for custom resources, whose metadata is
    decoded on its own, `metadata.` within a built-in type.
    """

    def __init__(self, outer: str) -> None:
        self.outer = outer
        self.unknown: list[str] = []
        self.error = ""

    def mismatch(self, value: Any, kind: str, struct: str, path: str) -> object:
        if not self.error:
            place = f"struct field {struct.removeprefix('v1.')}.{self.outer}{path}" if path else "value"
            # Only where a number is wanted does Go say which number it could not hold.
            is_wanted = kind in ("int64", "int32") and isinstance(value, int | float) and not isinstance(value, bool)
            found = f"number {self._shown(value)}" if is_wanted else gofmt.json_type(value)
            self.error = f"json: cannot unmarshal {found} into Go {place} of type {kind}"
        return _ABSENT

    def _shown(self, number: float) -> str:
        """As it was written once more; of a built-in type, in a form that leads to how it was sent."""
        return repr(number) if self.outer else gofmt.format_json(number)

    def struct(self, value: Any, kind: str, outer_struct: str, path: str, shown: str) -> Any:
        if value is None:
            return {}
        if not isinstance(value, dict):
            return self.mismatch(value, kind, outer_struct, path)
        fields, decoded = _STRUCTS[kind], {}
        for key in longsteps.sort(value):
            longsteps.pause()
            field_kind = fields.get(key)
            if field_kind is None:
                if self.outer or len(self.unknown) < _UNKNOWN_MAX:
                    self.unknown.append(f"{shown}{key}")
                continue
            made = self.value(value[key], field_kind, kind, f"{path}.{key}" if path else key, f"{shown}{key}")
            if made is not _ABSENT:
                decoded[key] = made
        return decoded

    def value(self, value: Any, kind: str, struct: str, path: str, shown: str) -> Any:
        if value is None:
            return _ABSENT
        if kind in _STRINGS:
            if not isinstance(value, str):
                return self.mismatch(value, kind, struct, path)
            return value or _ABSENT
        if kind == "raw":
            return value
        if kind == "Time":
            return self.time(value, struct, path)
        if kind == "map[string]string":
            return self.strings(value, kind, struct, path)
        if kind.startswith("[]"):
            return self.items(value, kind, struct, path, shown)
        return self.scalar(value, kind, struct, path)

    def scalar(self, value: Any, kind: str, struct: str, path: str) -> Any:
        go_kind = kind.removeprefix("*")
        if go_kind == "bool":
            return value if isinstance(value, bool) else self.mismatch(value, go_kind, struct, path)
        if isinstance(value, float) and not self.outer and value.is_integer() and abs(value) < 2.0**63:
            value = int(value)  # metadata of a custom resource is written once more before it is decoded, 1.0 as 1
        if type(value) is not int:
            return self.mismatch(value, go_kind, struct, path)
        return value if value or kind != go_kind else _ABSENT

    def time(self, value: Any, struct: str, path: str) -> Any:
        if not isinstance(value, str):
            raise DecodeError(self._time_mismatch(value, struct, path))
        try:
            found = timestamps.normalize(value)
        except timestamps.TimeError as error:
            raise DecodeError(str(error)) from error
        return _ABSENT if found == ZERO and not self.outer else found  # Go's zero, which it writes as none

    def _time_mismatch(self, value: Any, struct: str, path: str) -> str:
        self.error = ""
        self.mismatch(value, "string", struct, path)
        return self.error

    def strings(self, value: Any, kind: str, struct: str, path: str) -> Any:
        if not isinstance(value, dict):
            return self.mismatch(value, kind, struct, path)
        decoded = {}
        for key in longsteps.sort(value):
            longsteps.pause()
            item = value[key]
            if item is None or isinstance(item, str):
                decoded[key] = item or ""
            else:
                self.mismatch(item, "string", struct, path)
        return decoded or _ABSENT

    def items(self, value: Any, kind: str, struct: str, path: str, shown: str) -> Any:
        if not isinstance(value, list):
            return self.mismatch(value, kind, struct, path)
        item_kind, decoded = kind[2:], []
        for position, item in enumerate(value):
            longsteps.pause()
            if item_kind in _STRUCTS:
                made = self.struct(item, item_kind, struct, path, f"{shown}[{position}].")
                if item_kind == "v1.OwnerReference" and isinstance(made, dict):
                    made = {**dict.fromkeys(OWNER_REFERENCE_ALWAYS, ""), **made}
            elif item is None or isinstance(item, str):
                made = item or ""
            else:
                made = self.mismatch(item, item_kind, struct, path)
            if made is not _ABSENT:
                decoded.append(made)
        return decoded or _ABSENT


def decode_object_meta(value: Any, owner: str = "") -> tuple[Meta, list[str]]:
    """(the known fields that are not empty, the paths of unknown ones: `metadata.bogus`). Raises DecodeError.

    `owner`: the Go type that the metadata is a field of (`ConfigMap`), for a built-in type; its error texts say so.
    """
    decoder = _Decoder("metadata." if owner else "")
    if owner and value is not None and not isinstance(value, dict):
        actual = gofmt.json_type(value)
        raise DecodeError(
            f"json: cannot unmarshal {actual} into Go struct field {owner}.metadata of type v1.ObjectMeta"
        )
    decoded = decoder.struct(value, "v1.ObjectMeta", "", "", "metadata.")
    if decoder.error:
        raise DecodeError(decoder.error)
    return decoded, decoder.unknown


def decode_object_meta_leniently(value: Any) -> Meta | None:
    """For stored objects: fields that do not decode are dropped one by one; None when it is no object at all."""
    if not isinstance(value, dict):
        return {} if value is None else None
    decoded: Meta = {}
    for key in sorted(value):
        try:
            decoded |= decode_object_meta({key: value[key]})[0]
        except DecodeError:
            continue
    return decoded


def nameless_owners(value: Any) -> list[dict[str, Any]]:
    """Owner references that cannot be decoded, as validation sees them: without the members that have another type. It
    refuses those that lack a text; where all have theirs, there are none."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return []
    seen = [{name: each[name] for name in _OWNER_TEXTS if isinstance(each.get(name), str)} for each in value]
    return seen if any(len(each) < len(_OWNER_TEXTS) for each in seen) else []
