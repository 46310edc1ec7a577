"""Definitions as a whole: what create, update and status updates check.

Upstream works on an internal type in which what all versions have in common (schema, subresources, columns, selectable
fields) stands beside the versions; paths of causes follow it: `spec.validation…` where all are alike,
`spec.versions[i]…` where they differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.approval import ANNOTATION, approval_state, is_protected_group
from quarterdeck.apiextensions.validation import conversion as conversions
from quarterdeck.apiextensions.validation import hoisting, internal, names, paths, subschemas
from quarterdeck.apiextensions.validation.defaults import Allowance, Demands
from quarterdeck.apiextensions.validation.formats import unknown_format_warnings
from quarterdeck.apiextensions.validation.schemas import validate_schema
from quarterdeck.apiextensions.validation.tolerance import Tolerance
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery import names as api_names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta, structural

Version = dict[str, Any]

_SCOPES: Final = ["Cluster", "Namespaced"]


class _Words(NamedTuple):
    """How upstream names what a version has of its own, and what all versions have in common."""

    schema: str
    no_schema: str


_OF_VERSION: Final = _Words("schema", "may only be set when `version.schema.openAPIV3Schema` is not included")
_OF_ALL: Final = _Words("validation", "may only be set when validations.schema is included")
_IMMUTABLE: Final = "field is immutable"
_PRESERVE: Final = (
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
)


def validate_definition(obj: Object, allowance: Allowance | None = None) -> list[FieldError]:
    """Causes against a new definition, its metadata included. Raises TakesLong where there is an allowance of what the
    rules on defaults may cost, and they cost more."""
    spec = obj["spec"]

    def check_name(name: str, is_prefix: bool = False) -> list[str]:
        return names.check_definition_name(name, spec, is_prefix)

    problems = objectmeta.validate_object_meta(obj["metadata"], False, "metadata", check_name)
    problems += _validate_spec(spec, Demands(allowance), require_recognized=True, allow_bad_bundle=True)
    problems += _validate_status(obj)
    problems += _validate_stored_versions(obj)
    problems += _validate_approval(obj, None)
    return problems + _validate_preserve(obj, None)


def validate_definition_update(new: Object, old: Object, allowance: Allowance | None = None) -> list[FieldError]:
    """Causes against a changed definition beside those of its metadata. Raises TakesLong as well."""
    established = conditions.is_true(old, conditions.ESTABLISHED)
    recognized = conversions.has_recognized_versions(old["spec"].get("conversion"))
    allow_bad_bundle = not established or conversions.has_bad_bundle(old["spec"].get("conversion"))
    spec, old_spec = new["spec"], old["spec"]
    demands = Demands(allowance, Tolerance(spec, old_spec))
    problems = _validate_spec(spec, demands, require_recognized=recognized, allow_bad_bundle=allow_bad_bundle)
    if established:
        problems += _immutable("spec.scope", spec["scope"], old_spec["scope"])
        problems += _immutable("spec.names.kind", spec["names"]["kind"], old_spec["names"]["kind"])
    problems += _immutable("spec.group", spec["group"], old_spec["group"])
    problems += _immutable("spec.names.plural", spec["names"]["plural"], old_spec["names"]["plural"])
    problems += _validate_status(new)
    problems += _validate_stored_versions(new)
    problems += _validate_approval(new, old)
    return problems + _validate_preserve(new, old)


def validate_status_update(new: Object) -> list[FieldError]:
    return _validate_status(new)


def warnings_of(new: Object, old: Object | None = None) -> list[str]:
    """Formats that nobody knows, where the old definition did not have them."""
    return unknown_format_warnings(new, old)


def _immutable(path: str, new: object, old: object) -> list[FieldError]:
    return [] if new == old else [field.invalid(path, new, _IMMUTABLE)]


def _validate_spec(
    spec: dict[str, Any], demands: Demands, *, require_recognized: bool, allow_bad_bundle: bool
) -> list[FieldError]:
    versions: list[Version] = spec.get("versions") or []
    problems = names.validate_group(spec["group"])
    problems += names.validate_enum("spec.scope", spec["scope"], _SCOPES)
    preserves = bool(spec.get("preserveUnknownFields"))
    problems += _require_schemas(versions, demands.tolerance, preserves=preserves)
    if preserves and _has_anywhere(versions, _has_default):
        text = "must be false in order to use defaults in the schema"
        problems.append(field.invalid("spec.preserveUnknownFields", True, text))
    elif preserves and demands.tolerance.is_not_structural and not _has_anywhere(versions, _has_extension):
        demands = demands._replace(is_structural=False)
    hoisted = hoisting.hoisted_members(versions)
    problems += _validate_versions(versions, hoisted, demands)
    problems += _validate_version_set(spec.get("versions"), hoisted)
    problems += names.validate_names(spec["names"], "spec.names", are_required=True)
    problems += _validate_shared(versions, hoisted, demands)
    conversion = spec.get("conversion")
    if preserves and conversion is not None and conversion.get("strategy") != "None":
        text = "must be None if spec.preserveUnknownFields is true"
        shown = field.named(conversion.get("strategy", ""))
        problems.append(field.invalid("spec.conversion.strategy", shown, text))
    return problems + conversions.validate_conversion(
        conversion, require_recognized=require_recognized, allow_bad_bundle=allow_bad_bundle
    )


def _validate_versions(versions: list[Version], hoisted: frozenset[str], demands: Demands) -> list[FieldError]:
    """Each version, without what all have in common."""
    problems: list[FieldError] = []
    # Of versions with the same name, upstream asks the first for its subresources.
    subresources_of = {version["name"]: version.get("subresources") for version in reversed(versions)}
    for position, version in enumerate(versions):
        path = f"spec.versions[{position}]"
        if texts := api_names.dns1035_label(version["name"]):
            problems.append(field.invalid(f"{path}.name", version["name"], ",".join(texts)))
        problems += names.validate_deprecation(version, path)
        own = {member: version.get(member) for member in hoisting.MEMBERS if member not in hoisted}
        has_status = _has_status(subresources_of[version["name"]])
        problems += _validate_parts(own, _OF_VERSION, path, has_status, demands._replace(version=version["name"]))
    return problems


def _validate_shared(versions: list[Version], hoisted: frozenset[str], demands: Demands) -> list[FieldError]:
    """What all versions have in common."""
    if not versions:
        return []
    shared = {member: versions[0].get(member) for member in hoisted}
    has_status = any(_has_status(version.get("subresources")) for version in versions)
    return _validate_parts(shared, _OF_ALL, "spec", has_status, demands._replace(version=versions[0]["name"]))


def _validate_parts(
    parts: dict[str, Any], words: _Words, path: str, has_status: bool, demands: Demands
) -> list[FieldError]:
    """`parts`: schema, subresources, columns, selectable fields of one version, or what all have in common."""
    problems: list[FieldError] = []
    validation = parts.get("schema")
    schema = (validation or {}).get("openAPIV3Schema")
    if schema is not None:
        schema_path = f"{path}.{words.schema}.openAPIV3Schema"
        problems += validate_schema(schema, schema_path, has_status=has_status, demands=demands)
    problems += paths.validate_subresources(parts.get("subresources"), f"{path}.subresources")
    for position, column in enumerate(parts.get("additionalPrinterColumns") or []):
        problems += paths.validate_column(column, f"{path}.additionalPrinterColumns[{position}]")
    selectable = parts.get("selectableFields")
    if selectable:
        at = f"{path}.selectableFields"
        if schema is None and not (words is _OF_ALL and validation is not None):
            problems.append(field.invalid(at, "", words.no_schema))
        else:
            version = "" if words is _OF_ALL else demands.version
            problems += _validate_selectable(selectable, schema, path, version, demands.tolerance)
    return problems


def _validate_selectable(
    selectable: list[dict[str, Any]], schema: dict[str, Any] | None, path: str, version: str, tolerance: Tolerance
) -> list[FieldError]:
    """A schema that cannot be read as structural is told here once more, and has no fields to select."""
    problems: list[FieldError] = []
    if schema is not None and (text := structural.conversion_error(schema)):
        problems.append(field.invalid(f"{path}.schema.openAPIV3Schema", "", text))
        schema = None

    def may_be_more() -> bool:
        return tolerance.keeps_fields(version, selectable, paths.SELECTABLE_FIELDS_MAX)

    at = f"{path}.selectableFields"
    return problems + paths.validate_selectable_fields(selectable, schema or {}, at, may_be_more)


def _require_schemas(versions: list[Version], tolerance: Tolerance, *, preserves: bool) -> list[FieldError]:
    lacking = [
        (f"spec.versions[{position}].schema.openAPIV3Schema", version["served"])
        for position, version in enumerate(versions)
        if (version.get("schema") or {}).get("openAPIV3Schema") is None
    ]
    if not lacking or not tolerance.lacks_schemas:
        return [field.required(path, "") for path, _ in lacking]
    text = "because otherwise all fields are pruned"
    return [field.required(path, text) for path, is_served in lacking if is_served and not preserves]


def _validate_version_set(sent: list[Version] | None, hoisted: frozenset[str]) -> list[FieldError]:
    """Versions beside each other: their names, how many are stored, and the first one's name once more."""
    problems = []
    versions = sent or []
    if len({version["name"] for version in versions}) != len(versions):
        shown = internal.print_versions(sent, hoisted)
        problems.append(field.invalid("spec.versions", shown, "must contain unique version names"))
    if sum(bool(version["storage"]) for version in versions) != 1:
        shown = internal.print_versions(sent, hoisted)
        text = "must have exactly one version marked as storage version"
        problems.append(field.invalid("spec.versions", shown, text))
    first = versions[0]["name"] if versions else ""
    if first and (texts := api_names.dns1035_label(first)):
        problems.append(field.invalid("spec.version", first, ",".join(texts)))
    return problems


def _has_status(subresources: dict[str, Any] | None) -> bool:
    return (subresources or {}).get("status") is not None


def _has_anywhere(versions: list[Version], is_wanted: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether there is such a schema in that of a version."""
    roots = ((version.get("schema") or {}).get("openAPIV3Schema") for version in versions)
    return any(is_wanted(schema) for root in roots for schema in subschemas.walk(root))


def _has_default(schema: dict[str, Any]) -> bool:
    return schema.get("default") is not None


def _has_extension(schema: dict[str, Any]) -> bool:
    """Whether it says what only structural schemas may."""
    return (
        any(schema.get(name) for name in (structural.EMBEDDED, structural.INT_OR_STRING, structural.LIST_MAP_KEYS))
        or any(schema.get(name) is not None for name in (structural.PRESERVE, structural.LIST_TYPE))
        or bool(schema.get(structural.VALIDATIONS))
    )


def _validate_status(obj: Object) -> list[FieldError]:
    return names.validate_names(obj["status"].get("acceptedNames") or {}, "status.acceptedNames", are_required=False)


def _validate_stored_versions(obj: Object) -> list[FieldError]:
    path = "status.storedVersions"
    stored: list[str] | None = obj["status"].get("storedVersions")
    if not stored:
        return [field.invalid(path, stored, "must have at least one stored version")]
    problems: list[FieldError] = []
    missing = {name: position for position, name in enumerate(stored)}
    for version in obj["spec"].get("versions") or []:
        name = version["name"]
        if version["storage"] and name not in missing:
            problems.append(field.invalid(path, stored, f"must have the storage version {name}"))
        missing.pop(name, None)
    for name, position in missing.items():
        text = (
            f"missing from spec.versions; {name} was previously a storage version, and must remain in "
            f"spec.versions until a storage migration ensures no data remains persisted in {name} and removes "
            f"{name} from status.storedVersions"
        )
        problems.append(field.invalid(field.index(path, position), name, text))
    return problems


def _validate_approval(new: Object, old: Object | None) -> list[FieldError]:
    """Kubernetes' own groups need an annotation; an unchanged state is let pass."""
    if not is_protected_group(new["spec"]["group"]):
        return []
    value = (new["metadata"].get("annotations") or {}).get(ANNOTATION, "")
    state, text = approval_state(value)
    if old is not None:
        before, _ = approval_state((old["metadata"].get("annotations") or {}).get(ANNOTATION, ""))
        if before == state:
            return []
    path = field.key("metadata.annotations", ANNOTATION)
    if state == "invalid":
        return [field.invalid(path, value, text)]
    return [field.required(path, text)] if state == "missing" else []


def _validate_preserve(new: Object, old: Object | None) -> list[FieldError]:
    if old is not None and old["spec"].get("preserveUnknownFields"):
        return []
    if not new["spec"].get("preserveUnknownFields"):
        return []
    return [field.invalid("spec.preserveUnknownFields", True, _PRESERVE)]
