"""Wishes to have all objects of a resource written again in its storage version.

Source: pkg/registry/storagemigration/storagemigration/strategy.go, pkg/apis/storagemigration/validation/validation.go.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.conditions import validate_conditions
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, keep_metadata
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import goorder, gotypes, objectmeta

_CONDITIONS: Final = "status.conditions"
_OUTCOMES: Final = (("Success", "Succeeded"), ("Failed", "Failed"))

_is_version = re.compile(r"[1-9][0-9]*\Z").match


class MigrationStrategy(BuiltinStrategy):
    allow_unconditional_update = False

    def default_new(self, obj: Object) -> None:
        obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})

    def check(self, obj: Object) -> list[FieldError]:
        resource = _resource_of(obj)
        group, name = resource.get("group") or "", resource.get("resource") or ""
        problems: list[FieldError] = []
        if not name:
            problems.append(field.required("spec.resource.resource", "resource is required to be set"))
        elif texts := names.dns1035_label(name):
            problems.append(field.invalid("spec.resource.resource", name, ",".join(texts)))
        if group and (texts := names.dns1123_subdomain(group)):
            problems.append(field.invalid("spec.resource.group", group, ",".join(texts)))
        return problems

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], False)
        problems += self._validate_metadata(new["metadata"]) + self.check(new)
        problems += self._validate_changed_metadata(new, old)
        if _resource_of(new) != _resource_of(old):
            resource = {"group": "", "resource": "", **_resource_of(new)}
            shown = GoText(checks.in_order({"Resource": resource}))
            problems.append(field.invalid("spec", shown, checks.IMMUTABLE))
        return problems


class MigrationStatusStrategy(MigrationStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        keep_metadata(new, old)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], False)
        problems += self._validate_changed_metadata(new, old)
        status, before = new.get("status") or {}, old.get("status") or {}
        version, known = status.get("resourceVersion") or "", before.get("resourceVersion") or ""
        path, conditions = "status.resourceVersion", status.get("conditions") or []
        if version and not _is_version(version):
            problems.append(field.invalid(path, version, f"resource version is not well formed: {version}"))
        problems += validate_conditions(conditions, _CONDITIONS)
        if known and version != known:
            problems.append(field.invalid(path, version, checks.IMMUTABLE))
        return problems + _validate_outcome(conditions, before.get("conditions") or [])


def _resource_of(obj: Object) -> Object:
    found: Object = (obj.get("spec") or {}).get("resource") or {}
    return found


def _validate_outcome(conditions: list[Object], before: list[Object]) -> list[FieldError]:
    """There is one, and it stays."""
    details: list[str] = []
    if all(_is_true(conditions, kind) for _, kind in _OUTCOMES):
        details.append("Both success and failed conditions cannot be true at the same time")
    details += [
        f"{word} condition cannot be set to false once it is true"
        for word, kind in _OUTCOMES
        if _is_true(before, kind) and not _is_true(conditions, kind)
    ]
    if not details:
        return []
    struct = gotypes.named_struct("meta", "Condition")
    ordered = [goorder.order_members(each, struct) for each in conditions]
    shown = GoText(checks.in_order(written.shown(_CONDITIONS, ordered)))
    return [field.invalid(_CONDITIONS, shown, detail) for detail in details]


def _is_true(conditions: list[Object], kind: str) -> bool:
    """By the first of its type."""
    found = next((each for each in conditions if each.get("type") == kind), {})
    return found.get("status") == "True"
