"""Limit ranges: how much pods, containers and volume claims of a namespace may ask for.

Source: pkg/registry/core/limitrange/strategy.go, pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem),
pkg/apis/core/validation/validation.go (ValidateLimitRange).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quarterdeck.apimachinery import field, meta, names, podamounts, quantity, sentamounts
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.quantity import Quantity
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.core.podspec import round_up
from quarterdeck.registry.builtin.core.podvalidation import resources
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

CONTAINER: Final = "Container"
POD: Final = "Pod"
CLAIM: Final = "PersistentVolumeClaim"

_TYPES: Final = (CONTAINER, POD, CLAIM)
_RATIO: Final = "maxLimitRequestRatio"
_AMOUNTS: Final = ("max", "min", "default", "defaultRequest", _RATIO)
_MILLI_MAX: Final = (2**63 - 1) // 1000
_ONE: Final = quantity.parse("1")

Amounts = Mapping[str, Quantity]


def default_limit_range(obj: Object) -> None:
    """What a container may use where it says nothing: the most; what it asks for: that, or the least."""
    for item in obj["spec"].get("limits") or ():
        for name in _AMOUNTS:
            round_up(item.get(name))
        if item.get("type") == CONTAINER:
            default = item.get("default") or {}
            default = {**(item.get("max") or {}), **default}
            request = {**(item.get("min") or {}), **default, **(item.get("defaultRequest") or {})}
            for name, amounts in (("default", default), ("defaultRequest", request)):
                if amounts:
                    item[name] = amounts


class LimitRangeStrategy(BuiltinStrategy):
    allow_create_on_update = True
    validates_metadata_again = True
    validates_changed_metadata = False

    def default_new(self, obj: Object) -> None:
        if not obj["metadata"].get("name"):
            obj["metadata"]["name"] = meta.new_uid()

    def check(self, obj: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        seen: set[str] = set()
        for position, item in enumerate(obj["spec"].get("limits") or []):
            at, kind = field.index("spec.limits", position), item.get("type", "")
            problems += _type_name(f"{at}.type", kind)
            if kind in seen:
                problems.append(field.duplicate(f"{at}.type", field.named(kind)))
            seen.add(kind)
            problems += _item(at, kind, item)
        return problems


def _type_name(path: str, kind: str) -> list[FieldError]:
    problems = checks.all_of(path, field.named(kind), names.qualified_name(kind))
    if not problems and "/" not in kind and kind not in _TYPES:
        problems.append(field.invalid(path, field.named(kind), "must be a standard limit type or fully qualified"))
    return problems


def _item(path: str, kind: str, item: Object) -> list[FieldError]:
    check = resources.container_resource_name if kind in (POD, CONTAINER) else resources.resource_name
    amounts: dict[str, Amounts] = {}
    problems: list[FieldError] = []
    for member in _AMOUNTS:
        found = item.get(member) or {}
        if kind == POD and member in ("default", "defaultRequest"):
            if found:
                problems.append(field.forbidden(f"{path}.{member}", "may not be specified when `type` is 'Pod'"))
            found = {}
        if member == _RATIO and kind == CLAIM and "storage" not in {*amounts["min"], *amounts["max"]}:
            detail = "either minimum or maximum storage value is required, but neither was provided"
            problems.append(field.required(f"{path}.limits", detail))
        for name in sorted(found):
            problems += check(field.key(f"{path}.{member}", name), name)
        amounts[member] = {name: sentamounts.parse(text) for name, text in found.items()}
    for name in sorted(set().union(*amounts.values())):
        problems += _resource(path, name, {member: found[name] for member, found in amounts.items() if name in found})
    return problems


def _resource(path: str, name: str, amounts: Amounts) -> list[FieldError]:
    """What is said of one resource fits together. The pairs stand in upstream's order."""
    least, most = amounts.get("min"), amounts.get("max")
    default, request = amounts.get("default"), amounts.get("defaultRequest")
    problems: list[FieldError] = []

    def compare(
        member: str, shown: Quantity | None, low: tuple[str, Quantity | None], high: tuple[str, object]
    ) -> None:
        (low_word, small), (high_word, large) = low, high
        if small is not None and isinstance(large, Quantity) and small > large:
            detail = f"{low_word} value {small} is greater than {high_word} value {large}"
            problems.append(field.invalid(field.key(f"{path}.{member}", name), str(shown), detail))

    compare("min", least, ("min", least), ("max", most))
    compare("defaultRequest", request, ("min", least), ("default request", request))
    compare("defaultRequest", request, ("default request", request), ("max", most))
    compare("defaultRequest", request, ("default request", request), ("default limit", default))
    compare("default", least, ("min", least), ("default", default))
    compare("default", most, ("default", default), ("max", most))
    problems += _ratio(field.key(f"{path}.{_RATIO}", name), amounts)
    if not podamounts.allows_overcommit(name) and default is not None and request is not None and default != request:
        detail = f"default value {default} must equal to defaultRequest value {request} in {name}"
        problems.append(field.invalid(field.key(f"{path}.defaultRequest", name), str(request), detail))
    return problems


def _ratio(path: str, amounts: Amounts) -> list[FieldError]:
    ratio, least, most = (amounts.get(member) for member in (_RATIO, "min", "max"))
    if ratio is None:
        return []
    problems: list[FieldError] = []
    if ratio < _ONE:
        problems.append(field.invalid(path, str(ratio), f"ratio {ratio} is less than 1"))
    if least is None or most is None:
        return problems
    asked, low, high = float(ratio.whole()), least.whole(), most.whole()
    if max(ratio.whole(), low, high) < _MILLI_MAX:
        asked, low, high = ratio.milli() / 1000, least.milli(), most.milli()
    if low and asked > high / low:
        problems.append(field.invalid(path, str(ratio), f"ratio {ratio} is greater than max/min = {high / low:f}"))
    elif not low and high < 0:  # Go divides by zero, too
        problems.append(field.invalid(path, str(ratio), f"ratio {ratio} is greater than max/min = -Inf"))
    return problems
