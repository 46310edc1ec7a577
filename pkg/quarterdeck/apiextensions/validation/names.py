"""Names, group, scope and versions' names of a definition."""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import field, gotext, names
from quarterdeck.apimachinery.field import FieldError

DEPRECATION_WARNING_MAX: Final = 256
_MIXED_CASE: Final = "may have mixed case, but should otherwise match: "


def check_definition_name(name: str, spec: dict[str, Any], is_prefix: bool) -> list[str]:
    """The texts that are wrong with metadata.name, which is plural.group, or with the beginning of a generated one."""
    problems = names.name_is_dns1123_subdomain(name, is_prefix)
    if name != f"{spec['names']['plural']}.{spec['group']}":
        problems.append('must be spec.names.plural+"."+spec.group')
    return problems


def validate_group(group: str) -> list[FieldError]:
    path = "spec.group"
    if not group:
        return [field.required(path)]
    if problems := names.dns1123_subdomain(group):
        return [field.invalid(path, group, ",".join(problems))]
    if "." not in group:
        return [field.invalid(path, group, "should be a domain with at least one dot")]
    return []


def validate_enum(path: str, value: str, allowed: list[str]) -> list[FieldError]:
    if not value:
        return [field.required(path)]
    return [] if value in allowed else [field.not_supported(path, value, allowed)]


def validate_names(spec_names: dict[str, Any], path: str, *, are_required: bool) -> list[FieldError]:
    """`are_required`: spec.names; the accepted names of a status may still be empty."""
    problems: list[FieldError] = []
    if are_required:
        for member in ("plural", "singular", "kind", "listKind"):
            if not spec_names.get(member):
                problems.append(field.required(field.child(path, member)))
    for member in ("plural", "singular"):
        value = spec_names.get(member) or ""
        if value and (texts := names.dns1035_label(value)):
            problems.append(field.invalid(field.child(path, member), value, ",".join(texts)))
    for member in ("kind", "listKind"):
        value = spec_names.get(member) or ""
        if value and (texts := names.dns1035_label(gotext.lower(value))):
            problems.append(field.invalid(field.child(path, member), value, _MIXED_CASE + ",".join(texts)))
    problems += _validate_labels(spec_names.get("shortNames"), field.child(path, "shortNames"))
    kind, list_kind = spec_names.get("kind"), spec_names.get("listKind")
    if kind and kind == list_kind:
        text = "kind and listKind may not be the same"
        problems.append(field.invalid(field.child(path, "listKind"), list_kind, text))
    return problems + _validate_labels(spec_names.get("categories"), field.child(path, "categories"))


def _validate_labels(values: list[str] | None, path: str) -> list[FieldError]:
    return [
        field.invalid(field.index(path, position), value, ",".join(texts))
        for position, value in enumerate(values or [])
        if (texts := names.dns1035_label(value))
    ]


def validate_deprecation(version: dict[str, Any], path: str) -> list[FieldError]:
    """Source: validation.go (validateDeprecationWarning)."""
    warning = version.get("deprecationWarning")
    if warning is None:
        return []
    at = field.child(path, "deprecationWarning")
    shown = field.named(warning)
    if not version.get("deprecated"):
        return [field.invalid(at, shown, "can only be set for deprecated versions")]
    problems = []
    if len(warning.encode("utf-8", "surrogatepass")) > DEPRECATION_WARNING_MAX:
        problems.append(field.invalid(at, shown, f"must be <= {DEPRECATION_WARNING_MAX} characters long"))
    if not warning:
        problems.append(field.invalid(at, shown, "must not be an empty string"))
    position = 0
    for char in warning:
        if not gotext.is_printable(char):
            text = f"must only contain printable UTF-8 characters; non-printable character found at index {position}"
            problems.append(field.invalid(at, shown, text))
            break
        position += len(char.encode("utf-8", "surrogatepass"))
    return problems
