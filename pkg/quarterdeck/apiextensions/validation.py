"""Checks of CustomResourceDefinitions. Source: apiextensions/validation/validation.go."""

from __future__ import annotations

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import structural


def validate_definition(obj: Object) -> list[FieldError]:
    spec = obj["spec"]
    problems: list[FieldError] = []
    wanted = f"{spec['names']['plural']}.{spec['group']}"
    if obj["metadata"].get("name") != wanted:
        detail = 'must be spec.names.plural+"."+spec.group'
        problems.append(field.invalid("metadata.name", obj["metadata"].get("name", ""), detail))
    if not spec["group"]:
        problems.append(field.required("spec.group"))
    else:
        problems += [
            field.invalid("spec.group", spec["group"], text) for text in names.dns1123_subdomain(spec["group"])
        ]
    if spec["scope"] not in ("Cluster", "Namespaced"):
        if spec["scope"]:
            problems.append(field.not_supported("spec.scope", spec["scope"], ["Cluster", "Namespaced"]))
        else:
            problems.append(field.required("spec.scope"))
    if sum(bool(version["storage"]) for version in spec["versions"] or []) != 1:
        detail = "must have exactly one version marked as storage version"
        problems.append(field.invalid("spec.versions", field.GoText("null"), detail))
    for position, version in enumerate(spec["versions"] or []):
        path = f"spec.versions[{position}].schema.openAPIV3Schema"
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if schema is None:
            problems.append(field.required(path, "schemas are required"))
        else:
            problems += structural.parse(schema, path)[1]
    return problems


def validate_definition_update(new: Object, old: Object) -> list[FieldError]:
    return validate_definition(new)


def validate_status_update(new: Object, old: Object) -> list[FieldError]:
    return []


def warnings_of(new: Object, old: Object | None = None) -> list[str]:
    return []
