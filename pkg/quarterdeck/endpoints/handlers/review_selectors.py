"""Selectors of access reviews: whether they are well formed, and what authorizers are told of them. What cannot be read
is left out: a selector only narrows what is asked for.

Source: pkg/apis/authorization/validation/validation.go, pkg/registry/authorization/util/helpers.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.apimachinery import field, fields, labels, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.requirements import EQUALS, NOT_EQUALS, Requirement, SelectorError
from quarterdeck.authorization.selectors import FieldRequirements, LabelRequirements, Selectors
from quarterdeck.registry.builtin import checks

_PATH: Final = "spec.resourceAttributes"
_WITH_VALUES: Final = ("In", "NotIn")
_WITHOUT: Final = ("Exists", "DoesNotExist")

Selector = Mapping[str, Any]


def validate(resource: Mapping[str, Any] | None) -> list[FieldError]:
    """Of resourceAttributes, where there are any. An operator that nobody knows is none of the faults: the client may
    be newer."""
    problems: list[FieldError] = []
    for name in ("fieldSelector", "labelSelector"):
        selector = (resource or {}).get(name)
        if selector is not None:
            problems += _validate(f"{_PATH}.{name}", selector, is_of_fields=name == "fieldSelector")
    return problems


def read(resource: Mapping[str, Any]) -> Selectors | None:
    """Of resourceAttributes; None where there are none."""
    of_fields, of_labels = resource.get("fieldSelector"), resource.get("labelSelector")
    if of_fields is None and of_labels is None:
        return None
    found = Selectors()
    found.fields, found.is_field_bad = _read_fields(of_fields or {})
    found.labels, found.is_label_bad = _read_labels(of_labels or {})
    return found


def explain_unread(selectors: Selectors | None) -> list[str]:
    """Which of the selectors, or of their parts, cannot be read."""
    if selectors is None:
        return []
    given = (
        ("fieldSelector", selectors.is_field_bad, selectors.fields),
        ("labelSelector", selectors.is_label_bad, selectors.labels),
    )
    return [
        f"{_PATH}.{name} {'partially ' if good else ''}ignored due to parse error" for name, bad, good in given if bad
    ]


def _validate(path: str, selector: Selector, *, is_of_fields: bool) -> list[FieldError]:
    raw, requirements = selector.get("rawSelector", ""), selector.get("requirements") or []
    problems: list[FieldError] = []
    if raw and requirements:
        text = "may not specified at the same time as requirements"
        problems.append(field.invalid(f"{path}.rawSelector", raw, text))
    if not raw and not requirements:
        text = f"when {path} is specified, requirements or rawSelector is required"
        problems.append(field.required(f"{path}.requirements", text))
    for position, requirement in enumerate(requirements):
        place = field.index(f"{path}.requirements", position)
        problems += _validate_requirement(place, requirement, is_of_fields=is_of_fields)
    return problems


def _validate_requirement(path: str, requirement: Selector, *, is_of_fields: bool) -> list[FieldError]:
    key, operator, values = (requirement.get(name) for name in ("key", "operator", "values"))
    problems: list[FieldError] = []
    if is_of_fields and not key:
        problems.append(field.required(f"{path}.key", "must be specified"))
    if operator in _WITH_VALUES and not values:
        problems.append(field.required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    if operator in _WITHOUT and values:
        text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        problems.append(field.forbidden(f"{path}.values", text))
    if not is_of_fields:
        problems += checks.name(f"{path}.key", key or "", names.qualified_name)
        for position, value in enumerate(values or ()):
            problems += checks.name(field.index(f"{path}.values", position), value, names.label_value)
    return problems


def _read_fields(selector: Selector) -> tuple[FieldRequirements, bool]:
    """The requirements that can be read, and whether there are others."""
    if raw := selector.get("rawSelector"):
        try:
            return fields.parse(raw).requirements, False
        except SelectorError:
            return (), True
    good: list[fields.Requirement] = []
    is_bad = False
    for requirement in selector.get("requirements") or ():
        operator, values = requirement.get("operator"), list(requirement.get("values") or ())
        if operator in _WITH_VALUES and len(values) == 1:
            sign = EQUALS if operator == "In" else NOT_EQUALS
            good.append(fields.Requirement(requirement.get("key") or "", sign, values[0]))
        else:
            is_bad = True
    return tuple(good), is_bad


def _read_labels(selector: Selector) -> tuple[LabelRequirements, bool]:
    if raw := selector.get("rawSelector"):
        try:
            return labels.parse(raw).requirements, False
        except SelectorError:
            return (), True
    good: list[Requirement] = []
    is_bad = False
    for requirement in selector.get("requirements") or ():
        try:
            good += labels.from_label_selector({"matchExpressions": [requirement]}).requirements
        except SelectorError:
            is_bad = True
    return tuple(good), is_bad
