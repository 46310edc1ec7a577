"""Object metadata: decoding it into its known fields, and validating it.

Decoding drops unknown fields and empty values, as the round trip through Go's ObjectMeta does, and refuses values of
wrong JSON types with the words of encoding/json. Validation returns field errors. Sources: apiextensions-apiserver
pkg/apiserver/schema/objectmeta, apimachinery/pkg/api/validation/objectmeta.go, apis/meta/v1/{types,validation}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from quarterdeck._kernels import objectmeta as kernel
from quarterdeck.apimachinery import field, gofmt, names
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.schema import timestamps

Meta = dict[str, Any]
NameCheck = Callable[[str, bool], list[str]]  # (name, whether it is a prefix) -> objections

ANNOTATIONS_BYTES_MAX: Final = 256 * 1024
FIELD_MANAGER_BYTES_MAX: Final = 128
SUBRESOURCE_BYTES_MAX: Final = 256
_LABEL_KEY_CHARS_MAX: Final = names.SUBDOMAIN_LENGTH_MAX + 1 + names.LABEL_LENGTH_MAX
_FINALIZER_ORPHAN: Final = "orphan"
_FINALIZER_FOREGROUND: Final = "foregroundDeletion"


class DecodeError(ValueError):
    """A value has a JSON type that its field cannot hold; the message is encoding/json's."""


# --- decoding -----------------------------------------------------------------------------------
#
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
_OWNER_REFERENCE_ALWAYS: Final = ("apiVersion", "kind", "name", "uid")
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
_STRINGS: Final = frozenset(("string", "types.UID", "v1.ManagedFieldsOperationType"))
_ABSENT: Final = object()


class _Decoder:
    """Decodes one value; keeps the first wrong type, as encoding/json does, and every unknown field.

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
            self.error = f"json: cannot unmarshal {_json_kind(value, kind)} into Go {place} of type {kind}"
        return _ABSENT

    def struct(self, value: Any, kind: str, outer_struct: str, path: str, shown: str) -> Any:
        if value is None:
            return {}
        if not isinstance(value, dict):
            return self.mismatch(value, kind, outer_struct, path)
        fields, decoded = _STRUCTS[kind], {}
        for key in sorted(value):
            field_kind = fields.get(key)
            if field_kind is None:
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
        if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**63:
            value = int(value)
        if type(value) is not int:
            return self.mismatch(value, go_kind, struct, path)
        return value if value or kind != go_kind else _ABSENT

    def time(self, value: Any, struct: str, path: str) -> Any:
        if not isinstance(value, str):
            raise DecodeError(self._time_mismatch(value, struct, path))
        try:
            return timestamps.normalize(value)
        except timestamps.TimeError as error:
            raise DecodeError(str(error)) from error

    def _time_mismatch(self, value: Any, struct: str, path: str) -> str:
        self.error = ""
        self.mismatch(value, "string", struct, path)
        return self.error

    def strings(self, value: Any, kind: str, struct: str, path: str) -> Any:
        if not isinstance(value, dict):
            return self.mismatch(value, kind, struct, path)
        decoded = {}
        for key in sorted(value):
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
            if item_kind in _STRUCTS:
                made = self.struct(item, item_kind, struct, path, f"{shown}[{position}].")
                if item_kind == "v1.OwnerReference" and isinstance(made, dict):
                    made = {**dict.fromkeys(_OWNER_REFERENCE_ALWAYS, ""), **made}
            elif item is None or isinstance(item, str):
                made = item or ""
            else:
                made = self.mismatch(item, item_kind, struct, path)
            if made is not _ABSENT:
                decoded.append(made)
        return decoded or _ABSENT


def _json_kind(value: Any, go_kind: str) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        # Only where a number is wanted does Go say which number it could not hold.
        is_wanted = go_kind in ("int64", "int32")
        return f"number {gofmt.format_json(value)}" if is_wanted else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def decode_object_meta(value: Any, owner: str = "") -> tuple[Meta, list[str]]:
    """(the known fields that are not empty, the paths of unknown ones: `metadata.bogus`). Raises DecodeError.

    `owner`: the Go type that the metadata is a field of (`ConfigMap`), for a built-in type; its error texts say so.
    """
    decoder = _Decoder("metadata." if owner else "")
    if owner and value is not None and not isinstance(value, dict):
        actual = _json_kind(value, "")
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


# --- validation ---------------------------------------------------------------------------------


def validate_object_meta(
    meta: Mapping[str, Any],
    namespaced: bool,
    path: str = "metadata",
    name_check: NameCheck = names.name_is_dns1123_subdomain,
) -> list[FieldError]:
    """Metadata of a new object (upstream: ValidateObjectMetaAccessor); the name has been generated by now."""
    any_name = _ANY_NAME.get(name_check)
    if any_name is not None and type(meta) is dict and kernel.is_good(meta, namespaced, any_name):
        return []
    errors = []
    if prefix := meta.get("generateName"):
        errors += [field.invalid(f"{path}.generateName", prefix, text) for text in name_check(prefix, True)]
    name = meta.get("name") or ""
    if not name:
        errors.append(field.required(f"{path}.name", "name or generateName is required"))
    else:
        errors += [field.invalid(f"{path}.name", name, text) for text in name_check(name, False)]
    errors += _validate_namespace(meta.get("namespace") or "", namespaced, f"{path}.namespace")
    generation = meta.get("generation") or 0
    if generation < 0:
        errors.append(field.invalid(f"{path}.generation", generation, "must be greater than or equal to 0"))
    if labels := meta.get("labels"):
        errors += validate_labels(labels, f"{path}.labels")
    if annotations := meta.get("annotations"):
        errors += validate_annotations(annotations, f"{path}.annotations")
    if references := meta.get("ownerReferences"):
        errors += validate_owner_references(references, f"{path}.ownerReferences")
    if finalizers := meta.get("finalizers"):
        errors += validate_finalizers(finalizers, f"{path}.finalizers")
    if entries := meta.get("managedFields"):
        errors += validate_managed_fields(entries, f"{path}.managedFields")
    return errors


# The checks of names that the kernel knows.
_ANY_NAME: Final[Mapping[NameCheck, bool]] = {names.name_is_dns1123_subdomain: False, names.path_segment_name: True}

is_good_update = kernel.is_good_update


def validate_object_meta_update(
    new: Mapping[str, Any], old: Mapping[str, Any], path: str = "metadata"
) -> list[FieldError]:
    """What may not change (upstream: ValidateObjectMetaAccessorUpdate).

    Upstream runs this twice on an update, once for every kind and once in the kind's own strategy, so that its causes
    appear twice; and `validate_object_meta` before it with names that need only fit a path. The caller does the same.
    """
    errors = []
    if old.get("deletionTimestamp"):
        errors += _validate_no_new_finalizers(new, old, f"{path}.finalizers")
    if not new.get("resourceVersion"):
        errors.append(field.invalid(f"{path}.resourceVersion", "", "must be specified for an update"))
    if (new.get("generation") or 0) < (old.get("generation") or 0):
        errors.append(field.invalid(f"{path}.generation", new.get("generation") or 0, "must not be decremented"))
    for name in ("name", "namespace", "uid"):
        if (new.get(name) or "") != (old.get(name) or ""):
            errors.append(field.invalid(f"{path}.{name}", new.get(name) or "", "field is immutable"))
    for name in ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"):
        if new.get(name) != old.get(name):
            errors.append(field.invalid(f"{path}.{name}", new.get(name), "field is immutable"))
    if labels := new.get("labels"):
        errors += validate_labels(labels, f"{path}.labels")
    if annotations := new.get("annotations"):
        errors += validate_annotations(annotations, f"{path}.annotations")
    if references := new.get("ownerReferences"):
        errors += validate_owner_references(references, f"{path}.ownerReferences")
    if entries := new.get("managedFields"):
        errors += validate_managed_fields(entries, f"{path}.managedFields")
    return errors


def validate_common_fields(
    new: Mapping[str, Any], old: Mapping[str, Any], namespaced: bool, path: str = "metadata"
) -> list[FieldError]:
    """What every update checks before the kind's own strategy does (upstream: rest.validateCommonFields)."""
    return [
        *validate_object_meta(new, namespaced, path, names.path_segment_name),
        *validate_object_meta_update(new, old, path),
    ]


def _validate_namespace(namespace: str, namespaced: bool, path: str) -> list[FieldError]:
    if not namespaced:
        return [field.forbidden(path, "not allowed on this type")] if namespace else []
    if not namespace:
        return [field.required(path)]
    if len(namespace) <= names.LABEL_LENGTH_MAX and _is_namespace(namespace):
        return []
    return [field.invalid(path, namespace, text) for text in names.namespace_name(namespace)]


# The same few namespaces and labels come with nearly every object. What is remembered is short: the callers look at
# the lengths first.
@lru_cache(maxsize=1024)
def _is_namespace(name: str) -> bool:
    return not names.namespace_name(name)


_CONTROLLERS_CHARS_MAX: Final = 1 << 20


@lru_cache(maxsize=4096)
def _is_label(key: str, value: str) -> bool:
    return not names.qualified_name(key) and not names.label_value(value)


def validate_labels(labels: Mapping[str, str], path: str) -> list[FieldError]:
    for key, value in labels.items():
        if len(key) > _LABEL_KEY_CHARS_MAX or len(value) > names.LABEL_LENGTH_MAX or not _is_label(key, value):
            break
    else:
        return []
    errors = []
    for key in sorted(labels):
        errors += [field.invalid(path, key, text) for text in names.qualified_name(key)]
        errors += [field.invalid(path, labels[key], text) for text in names.label_value(labels[key])]
    return errors


def validate_annotations(annotations: Mapping[str, str], path: str) -> list[FieldError]:
    errors, size = [], 0
    for key in sorted(annotations):
        errors += [field.invalid(path, key, text) for text in names.qualified_name(key.lower())]
        size += len(key.encode("utf-8", "surrogatepass")) + len(annotations[key].encode("utf-8", "surrogatepass"))
    if size > ANNOTATIONS_BYTES_MAX:
        errors.append(field.too_long(path, ANNOTATIONS_BYTES_MAX))
    return errors


def parse_group_version(api_version: str) -> tuple[str, str] | None:
    """(group, version), None for what has more than one slash (upstream: schema.ParseGroupVersion)."""
    if api_version in ("", "/"):
        return "", ""
    group, slash, version = api_version.partition("/")
    if "/" in version:
        return None
    return (group, version) if slash else ("", group)


def validate_owner_references(references: Sequence[Mapping[str, Any]], path: str) -> list[FieldError]:
    """Differs from upstream: each controller beside the first is told with the whole list; here as many of them as make
    _CONTROLLERS_CHARS_MAX together, at least one."""
    errors: list[FieldError] = []
    controller = ""
    shown: GoText | None = None
    room = _CONTROLLERS_CHARS_MAX
    for reference in references:
        errors += _validate_owner_reference(reference, path)
        if reference.get("controller"):
            current = f"{reference.get('kind') or ''}/{reference.get('name') or ''}"
            if controller:
                if room <= 0:
                    continue
                if shown is None:
                    shown = GoText("[" + ",".join(map(_owner_reference_json, references)) + "]")
                room -= len(shown)
                detail = (
                    'Only one reference can have Controller set to true. Found "true" in references for '
                    f"{controller} and {current}"
                )
                errors.append(field.invalid(path, shown, detail))
            else:
                controller = current
    return errors


def _validate_owner_reference(reference: Mapping[str, Any], path: str) -> list[FieldError]:
    errors = []
    api_version = reference.get("apiVersion") or ""
    group, version = parse_group_version(api_version) or ("", "")
    if not version:
        errors.append(field.invalid(f"{path}.apiVersion", api_version, "version must not be empty"))
    for name in ("kind", "name", "uid"):
        if not reference.get(name):
            errors.append(field.invalid(f"{path}.{name}", "", "must not be empty"))
    if (group, version, reference.get("kind")) == ("", "v1", "Event"):
        shown = GoText(_owner_reference_json(reference))
        errors.append(field.invalid(path, shown, "/v1, Kind=Event is disallowed from being an owner"))
    return errors


def _owner_reference_json(reference: Mapping[str, Any]) -> str:
    """In the order of Go's struct."""
    shown = [f'"{name}":{gofmt.format_json(reference.get(name) or "")}' for name in _OWNER_REFERENCE_ALWAYS]
    for name in ("controller", "blockOwnerDeletion"):
        if reference.get(name) is not None:
            shown.append(f'"{name}":{gofmt.format_json(reference[name])}')
    return "{" + ",".join(shown) + "}"


def validate_finalizers(finalizers: Sequence[str], path: str) -> list[FieldError]:
    errors = [field.invalid(path, name, text) for name in finalizers for text in names.qualified_name(name)]
    if _FINALIZER_ORPHAN in finalizers and _FINALIZER_FOREGROUND in finalizers:
        detail = f"finalizer {_FINALIZER_ORPHAN} and {_FINALIZER_FOREGROUND} cannot be both set"
        errors.append(field.invalid(path, list(finalizers), detail))
    return errors


def _validate_no_new_finalizers(new: Mapping[str, Any], old: Mapping[str, Any], path: str) -> list[FieldError]:
    extra = sorted(set(new.get("finalizers") or ()) - set(old.get("finalizers") or ()))
    if not extra:
        return []
    shown = "[]string{" + ", ".join(map(gofmt.quote, extra)) + "}"
    detail = f"no new finalizers can be added if the object is being deleted, found new finalizers {shown}"
    return [field.forbidden(path, detail)]


def validate_managed_fields(entries: Sequence[Mapping[str, Any]], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for position, entry in enumerate(entries):
        if _is_usual_entry(entry):
            continue
        at = field.index(path, position)
        operation = entry.get("operation") or ""
        if operation not in ("Apply", "Update"):
            errors.append(field.invalid(f"{at}.operation", operation, "must be `Apply` or `Update`"))
        if (fields_type := entry.get("fieldsType") or "") not in ("", "FieldsV1"):
            errors.append(field.invalid(f"{at}.fieldsType", fields_type, "must be `FieldsV1`"))
        errors += validate_field_manager(entry.get("manager") or "", f"{at}.manager")
        if len((entry.get("subresource") or "").encode("utf-8", "surrogatepass")) > SUBRESOURCE_BYTES_MAX:
            errors.append(field.too_long(f"{at}.subresource", SUBRESOURCE_BYTES_MAX))
    return errors


def _is_usual_entry(entry: Mapping[str, Any]) -> bool:
    """What this server writes: nothing in it can be refused."""
    manager = entry.get("manager") or ""
    return (
        entry.get("operation") in ("Apply", "Update")
        and entry.get("fieldsType") == "FieldsV1"
        and "subresource" not in entry
        and len(manager) <= FIELD_MANAGER_BYTES_MAX
        and manager.isascii()
        and manager.isprintable()
    )


def validate_field_manager(manager: str, path: str) -> list[FieldError]:
    errors = []
    if len(manager.encode("utf-8", "surrogatepass")) > FIELD_MANAGER_BYTES_MAX:
        errors.append(field.too_long(path, FIELD_MANAGER_BYTES_MAX))
    position = 0
    for char in manager:
        if not char.isprintable():
            code = f"U+{ord(char):04X}"
            errors.append(field.invalid(path, manager, f"invalid character {code} (at position {position})"))
        position += len(char.encode("utf-8", "surrogatepass"))
    return errors


# --- embedded resources ---------------------------------------------------------------------------


def coerce_embedded(resource: dict[str, Any], path: str) -> list[str]:
    """Checks the types of apiVersion and kind and decodes metadata, in place; the paths of unknown metadata fields.

    Raises DecodeError with the whole text of the field error.
    """
    for name in ("apiVersion", "kind"):
        if name in resource and not isinstance(resource[name], str):
            raise DecodeError(str(field.invalid(f"{path}.{name}", resource[name], "must be a string")))
    if "metadata" not in resource:
        return []
    metadata = resource["metadata"]
    try:
        resource["metadata"], unknown = decode_object_meta(metadata)
    except DecodeError as error:
        raise DecodeError(str(field.invalid(f"{path}.metadata", metadata, str(error)))) from error
    return [f"{path}.{name}" for name in unknown]


def coerce_embedded_leniently(resource: dict[str, Any]) -> None:
    """For stored objects: what has the wrong type is dropped."""
    for name in ("apiVersion", "kind"):
        if name in resource and not isinstance(resource[name], str):
            del resource[name]
    if "metadata" in resource:
        decoded = decode_object_meta_leniently(resource["metadata"])
        if decoded is not None:
            resource["metadata"] = decoded


def validate_embedded(resource: Mapping[str, Any], path: str) -> list[FieldError]:
    """apiVersion and kind are needed, metadata must be good if it is there; a name is not needed."""
    errors = [field.required(f"{path}.{name}") for name in ("apiVersion", "kind") if name not in resource]
    errors += _validate_embedded_type(resource, path)
    if "metadata" in resource:
        try:
            meta = decode_object_meta(resource["metadata"])[0]
        except DecodeError as error:
            return [*errors, field.invalid(f"{path}.metadata", resource["metadata"], str(error))]
        meta.setdefault("name", "fakename")
        check = names.path_segment_name
        errors += validate_object_meta(meta, bool(meta.get("namespace")), f"{path}.metadata", check)
    return errors


def _validate_embedded_type(resource: Mapping[str, Any], path: str) -> list[FieldError]:
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
            if parse_group_version(value) is None:
                errors.append(field.invalid(at, value, f"unexpected GroupVersion string: {value}"))
        elif texts := names.dns1035_label(value.lower()):
            detail = "may have mixed case, but should otherwise match: " + ",".join(texts)
            errors.append(field.invalid(at, value, detail))
    return errors
