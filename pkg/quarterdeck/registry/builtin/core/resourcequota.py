"""Resource quotas: how much a namespace may use in all.

Source: pkg/registry/core/resourcequota/strategy.go, pkg/apis/core/validation/validation.go (ValidateResourceQuota*),
pkg/apis/core/helper/helpers.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, quantity, sentamounts
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.core.podspec import round_up
from quarterdeck.registry.builtin.core.podvalidation import gonames, resources
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_OF_PODS: Final = frozenset(
    ("pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"),
)
# The resources that a scope counts.
_SCOPES: Final = {
    "Terminating": _OF_PODS,
    "NotTerminating": _OF_PODS,
    "BestEffort": frozenset(("pods",)),
    "NotBestEffort": _OF_PODS,
    "PriorityClass": _OF_PODS,
    "CrossNamespacePodAffinity": _OF_PODS,
    "VolumeAttributesClass": frozenset(("persistentvolumeclaims", "requests.storage")),
}
_WITHOUT_VALUES: Final = frozenset(
    ("BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity")
)
_ASKED_AND_LIMITED: Final = ("cpu", "memory", "storage", "ephemeral-storage")
_CONFLICTS: Final = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))


def default_quota(obj: Object) -> None:
    for member, amounts in (("spec", "hard"), ("status", "hard"), ("status", "used")):
        round_up((obj.get(member) or {}).get(amounts))


class ResourceQuotaStrategy(BuiltinStrategy):
    def default_new(self, obj: Object) -> None:
        obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]

    def check(self, obj: Object) -> list[FieldError]:
        spec = written.restore(obj["spec"], "spec")
        problems = _amounts("spec.hard", spec.get("hard"))
        problems += _scopes("spec.scopes", spec)
        if (selector := spec.get("scopeSelector")) is not None:
            problems += _selector("spec.scopeSelector.matchExpressions", selector, spec)
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new)
        scopes = written.restore(new["spec"], "spec").get("scopes")
        if set(scopes or []) != set(old["spec"].get("scopes") or []):
            problems.append(field.invalid("spec.scopes", scopes, "field is immutable"))
        return problems

    def warn(self, obj: Object) -> list[str]:
        hard = obj["spec"].get("hard") or {}
        return [text for name in _ASKED_AND_LIMITED if (text := _warn_of_limit(name, hard))]

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        return []


class ResourceQuotaStatusStrategy(BuiltinStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status = new["status"]
        return _amounts("status.hard", status.get("hard")) + _amounts("status.used", status.get("used"))


def _amounts(path: str, amounts: dict[str, str] | None) -> list[FieldError]:
    problems: list[FieldError] = []
    for name, text in sorted((amounts or {}).items()):
        at = field.key(path, name)
        problems += resources.resource_name(at, name)
        if "/" not in name and not resources.is_quota_resource(name):
            problems.append(field.invalid(at, field.named(name), "must be a standard resource for quota"))
        problems += resources.validate_amount(at, name, sentamounts.parse(text))
    return problems


def _warn_of_limit(name: str, hard: dict[str, str]) -> str:
    """What is told of a quota that lets pods ask for more of a resource than their limits may be, "" if nothing."""
    asked, limit = f"requests.{name}", f"limits.{name}"
    if asked not in hard and name in ("cpu", "memory"):
        asked = name
    if asked not in hard or limit not in hard:
        return ""
    most, highest = quantity.parse(hard[asked]), quantity.parse(hard[limit])
    return f"ResourceQuota {asked} ({most}) should be less than {limit} ({highest})" if most > highest else ""


def _misfits(scope: str, spec: Object) -> list[str]:
    """The resources of a quota that a scope does not count."""
    counted = _SCOPES.get(scope)
    if counted is None:
        return []
    return [name for name in spec.get("hard") or {} if resources.is_quota_resource(name) and name not in counted]


def _conflicts(path: str, found: set[str], spec: Object) -> list[FieldError]:
    shown = spec.get("scopes")
    return [field.invalid(path, shown, "conflicting scopes") for pair in _CONFLICTS if found.issuperset(pair)]


def _scopes(path: str, spec: Object) -> list[FieldError]:
    scopes = spec.get("scopes") or []
    problems: list[FieldError] = []
    for scope in scopes:
        if scope not in _SCOPES:
            problems.append(field.invalid(path, scopes, "unsupported scope"))
        detail = "unsupported scope applied to resource"
        problems += [field.invalid(path, scopes, detail) for _ in _misfits(scope, spec)]
    return problems + _conflicts(path, set(scopes), spec)


def _selector(path: str, selector: Object, spec: Object) -> list[FieldError]:
    expressions = selector.get("matchExpressions") or []
    problems: list[FieldError] = []
    for expression in expressions:
        scope = expression.get("scopeName", "")
        if scope not in _SCOPES:
            problems.append(field.invalid(f"{path}.scopeName", field.named(scope), "unsupported scope"))
        if misfits := _misfits(scope, spec):
            shown, detail = gonames.show("ScopeSelector", selector), "unsupported scope applied to resource"
            problems += [field.invalid(path, shown, detail) for _ in misfits]
        problems += _operator(path, expression)
    return problems + _conflicts(path, {each.get("scopeName", "") for each in expressions}, spec)


def _operator(path: str, expression: Object) -> list[FieldError]:
    operator, values = expression.get("operator", ""), expression.get("values") or []
    problems: list[FieldError] = []
    if expression.get("scopeName") in _WITHOUT_VALUES and operator != "Exists":
        detail = (
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
            "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
            "ResourceQuotaScopeCrossNamespacePodAffinity"
        )
        problems.append(field.invalid(f"{path}.operator", field.named(operator), detail))
    if operator in ("In", "NotIn"):
        if not values:
            detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            problems.append(field.required(f"{path}.values", detail))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            problems.append(field.invalid(f"{path}.values", values, detail))
    else:
        problems.append(field.invalid(f"{path}.operator", field.named(operator), "not a valid selector operator"))
    return problems
