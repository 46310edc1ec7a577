"""Definitions as a whole: what create, update and status updates check.

Upstream works on an internal type in which what all versions have in common (schema, subresources, columns, selectable
fields) stands beside the versions; paths of causes follow it: `spec.validation…` where all are alike,
`spec.versions[i]…` where they differ.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.approval import ANNOTATION, approval_state, is_protected_group
from quarterdeck.apiextensions.validation import conversion as conversions
from quarterdeck.apiextensions.validation import internal, names, paths
from quarterdeck.apiextensions.validation.defaults import Allowance
from quarterdeck.apiextensions.validation.formats import unknown_format_warnings
from quarterdeck.apiextensions.validation.schemas import Options, validate_schema
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery import names as api_names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

_SCOPES: Final = ["Cluster", "Namespaced"]
_HOISTED: Final = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")
_IMMUTABLE: Final = "field is immutable"
_PRESERVE: Final = (
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
)


def validate_definition(obj: Object, allowance: Allowance | None = None) -> list[FieldError]:
    """Causes against a new definition, its metadata included. Raises TakesLong where there is an allowance of what the
    rules on defaults may cost, and they cost more."""
    spec = obj["spec"]

    def check_name(name: str, _is_prefix: bool = False) -> list[str]:
        return names.check_definition_name(name, spec)

    problems = objectmeta.validate_object_meta(obj["metadata"], False, "metadata", check_name)
    problems += _validate_spec(spec, Options(allowance=allowance), require_recognized=True, allow_bad_bundle=True)
    problems += _validate_status(obj)
    problems += _validate_approval(obj, None)
    return problems + _validate_preserve(obj, None)


def validate_definition_update(new: Object, old: Object, allowance: Allowance | None = None) -> list[FieldError]:
    """Causes against a changed definition beside those of its metadata. Raises TakesLong as well."""
    established = conditions.is_true(old, conditions.ESTABLISHED)
    recognized = conversions.has_recognized_versions(old["spec"].get("conversion"))
    allow_bad_bundle = not established or _keeps_bad_bundle(new, old)
    spec, old_spec = new["spec"], old["spec"]
    options = Options(allowance=allowance)
    problems = _validate_spec(spec, options, require_recognized=recognized, allow_bad_bundle=allow_bad_bundle)
    if established:
        problems += _immutable("spec.scope", spec["scope"], old_spec["scope"])
        problems += _immutable("spec.names.kind", spec["names"]["kind"], old_spec["names"]["kind"])
    problems += _immutable("spec.group", spec["group"], old_spec["group"])
    problems += _immutable("spec.names.plural", spec["names"]["plural"], old_spec["names"]["plural"])
    problems += _validate_status(new)
    problems += _validate_approval(new, old)
    return problems + _validate_preserve(new, old)


def validate_status_update(new: Object, old: Object) -> list[FieldError]:
    return names.validate_names(new["status"].get("acceptedNames") or {}, "status.acceptedNames", are_required=False)


def warnings_of(new: Object, old: Object | None = None) -> list[str]:
    """Formats that nobody knows, where the old definition did not have them."""
    return unknown_format_warnings(new, old)


def _immutable(path: str, new: object, old: object) -> list[FieldError]:
    return [] if new == old else [field.invalid(path, new, _IMMUTABLE)]


def _validate_spec(
    spec: dict[str, Any], options: Options, *, require_recognized: bool, allow_bad_bundle: bool
) -> list[FieldError]:
    versions: list[dict[str, Any]] = spec.get("versions") or []
    problems = names.validate_group(spec["group"])
    problems += names.validate_enum("spec.scope", spec["scope"], _SCOPES)
    problems += _require_schemas(versions)
    if spec.get("preserveUnknownFields") and any(_has_default(version) for version in versions):
        text = "must be false in order to use defaults in the schema"
        problems.append(field.invalid("spec.preserveUnknownFields", True, text))
    problems += _validate_version_names(versions)
    hoisted = hoisted_members(versions)
    for position, version in enumerate(versions):
        path = f"spec.versions[{position}]"
        problems += names.validate_deprecation(version, path)
        own = {member: version.get(member) for member in _HOISTED if member not in hoisted}
        problems += _validate_parts(own, path, f"{path}.schema", _has_status(version), options)
    shared = {member: versions[0].get(member) for member in hoisted} if versions else {}
    has_status = any(_has_status(version) for version in versions)
    problems += _validate_parts(shared, "spec", "spec.validation", has_status, options)
    problems += names.validate_names(spec["names"], "spec.names", are_required=True)
    strategy = (spec.get("conversion") or {}).get("strategy", "")
    if spec.get("preserveUnknownFields") and strategy not in ("", "None"):
        text = "must be None if spec.preserveUnknownFields is true"
        problems.append(field.invalid("spec.conversion.strategy", strategy, text))
    return problems + conversions.validate_conversion(
        spec.get("conversion"), require_recognized=require_recognized, allow_bad_bundle=allow_bad_bundle
    )


def hoisted_members(versions: list[dict[str, Any]]) -> frozenset[str]:
    """The members in which all versions are alike."""
    return frozenset(
        member
        for member in _HOISTED
        if all((version.get(member) or None) == (versions[0].get(member) or None) for version in versions)
    )


def _validate_parts(
    parts: dict[str, Any], path: str, schema_path: str, has_status: bool, options: Options
) -> list[FieldError]:
    """`parts`: schema, subresources, columns, selectable fields of one version, or what all have in common."""
    problems: list[FieldError] = []
    schema = (parts.get("schema") or {}).get("openAPIV3Schema")
    if schema is not None:
        problems += validate_schema(schema, f"{schema_path}.openAPIV3Schema", has_status=has_status, options=options)
    problems += paths.validate_subresources(parts.get("subresources"), f"{path}.subresources")
    for position, column in enumerate(parts.get("additionalPrinterColumns") or []):
        problems += paths.validate_column(column, f"{path}.additionalPrinterColumns[{position}]")
    selectable = parts.get("selectableFields")
    if selectable:
        at = f"{path}.selectableFields"
        if schema is None:
            text = "may only be set when `version.schema.openAPIV3Schema` is not included"
            problems.append(field.invalid(at, "", text))
        else:
            problems += paths.validate_selectable_fields(selectable, schema, at)
    return problems


def _require_schemas(versions: list[dict[str, Any]]) -> list[FieldError]:
    return [
        field.required(f"spec.versions[{position}].schema.openAPIV3Schema", "")
        for position, version in enumerate(versions)
        if (version.get("schema") or {}).get("openAPIV3Schema") is None
    ]


def _validate_version_names(versions: list[dict[str, Any]]) -> list[FieldError]:
    problems = []
    for position, version in enumerate(versions):
        if texts := api_names.dns1035_label(version["name"]):
            at = f"spec.versions[{position}].name"
            problems.append(field.invalid(at, version["name"], ",".join(texts)))
    hoisted = hoisted_members(versions)
    if len({version["name"] for version in versions}) != len(versions):
        shown = internal.print_versions(versions, hoisted)
        problems.append(field.invalid("spec.versions", shown, "must contain unique version names"))
    if sum(bool(version["storage"]) for version in versions) != 1:
        shown = internal.print_versions(versions, hoisted)
        text = "must have exactly one version marked as storage version"
        problems.append(field.invalid("spec.versions", shown, text))
    if versions and (texts := api_names.dns1035_label(versions[0]["name"])):
        problems.append(field.invalid("spec.version", versions[0]["name"], ",".join(texts)))
    return problems


def _has_status(version: dict[str, Any]) -> bool:
    return (version.get("subresources") or {}).get("status") is not None


def _has_default(version: dict[str, Any]) -> bool:
    pending: list[Any] = [(version.get("schema") or {}).get("openAPIV3Schema")]
    while pending:
        node = pending.pop()
        if not isinstance(node, dict):
            continue
        if node.get("default") is not None:
            return True
        pending += (node.get("properties") or {}).values()
        pending += (node.get("items"), node.get("additionalProperties"), node.get("not"))
        for junctor in ("allOf", "anyOf", "oneOf"):
            pending += node.get(junctor) or ()
    return False


def _validate_status(obj: Object) -> list[FieldError]:
    status = obj["status"]
    problems = names.validate_names(status.get("acceptedNames") or {}, "status.acceptedNames", are_required=False)
    stored: list[str] = status.get("storedVersions") or []
    if not stored:
        problems.append(field.invalid("status.storedVersions", stored, "must have at least one stored version"))
    present = {version["name"] for version in obj["spec"].get("versions") or []}
    for version in obj["spec"].get("versions") or []:
        if version["storage"] and version["name"] not in stored:
            text = f"must have the storage version {version['name']}"
            problems.append(field.invalid("status.storedVersions", stored, text))
    for position, name in enumerate(stored):
        if name not in present:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in "
                f"spec.versions until a storage migration ensures no data remains persisted in {name} and removes "
                f"{name} from status.storedVersions"
            )
            problems.append(field.invalid(field.index("status.storedVersions", position), name, text))
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


def _bundle_of(obj: Object) -> str:
    webhook = (obj["spec"].get("conversion") or {}).get("webhook") or {}
    return (webhook.get("clientConfig") or {}).get("caBundle") or ""


def _keeps_bad_bundle(new: Object, old: Object) -> bool:
    bundle = _bundle_of(new)
    return bool(bundle) and bundle == _bundle_of(old)
