"""Where a pod may run: affinity, tolerations, topology spread.

Source: pkg/apis/core/validation/validation.go (validateAffinity, ValidateTolerations,
validateTopologySpreadConstraints).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_UNSATISFIABLE: Final = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION_POLICIES: Final = ("Honor", "Ignore")
_WEIGHT_MAX: Final = 100
_OPERATORS: Final = ("Equal", "Exists")
_COMPARISONS: Final = ("Lt", "Gt")  # known, and off by default


def validate_affinity(path: str, affinity: Object | None) -> list[FieldError]:
    if affinity is None:
        return []
    problems: list[FieldError] = []
    if (of_nodes := affinity.get("nodeAffinity")) is not None:
        problems += _node_affinity(f"{path}.nodeAffinity", of_nodes)
    for name in ("podAffinity", "podAntiAffinity"):
        of_pods = affinity.get(name) or {}
        for position, term in enumerate(of_pods.get(_REQUIRED) or []):
            problems += _pod_term(field.index(f"{path}.{name}.{_REQUIRED}", position), term)
        for position, weighted in enumerate(of_pods.get(_PREFERRED) or []):
            at = field.index(f"{path}.{name}.{_PREFERRED}", position)
            problems += _weight(at, weighted)
            problems += _pod_term(f"{at}.podAffinityTerm", weighted.get("podAffinityTerm") or {})
    return problems


def _weight(path: str, term: Object) -> list[FieldError]:
    weight = term.get("weight", 0)
    if 0 < weight <= _WEIGHT_MAX:
        return []
    return [field.invalid(f"{path}.weight", weight, "must be in the range 1-100")]


def _node_affinity(path: str, affinity: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    if (required := affinity.get(_REQUIRED)) is not None:
        problems += validate_node_selector(f"{path}.{_REQUIRED}", required)
    for position, term in enumerate(affinity.get(_PREFERRED) or []):
        at = field.index(f"{path}.{_PREFERRED}", position)
        problems += _weight(at, term)
        problems += _node_term(f"{at}.preference", term.get("preference") or {}, checks_values=False)
    return problems


def validate_node_selector(path: str, selector: Object, *, checks_values: bool = True) -> list[FieldError]:
    at, terms = f"{path}.nodeSelectorTerms", selector.get("nodeSelectorTerms") or []
    problems = [] if terms else [field.required(at, "must have at least one node selector term")]
    for position, term in enumerate(terms):
        problems += _node_term(field.index(at, position), term, checks_values=checks_values)
    return problems


def _node_term(path: str, term: Object, *, checks_values: bool) -> list[FieldError]:
    problems: list[FieldError] = []
    for position, requirement in enumerate(term.get("matchExpressions") or []):
        at = field.index(f"{path}.matchExpressions", position)
        problems += _node_requirement(at, requirement, checks_values=checks_values)
    for position, requirement in enumerate(term.get("matchFields") or []):
        problems += _node_field(field.index(f"{path}.matchFields", position), requirement)
    return problems


def _node_requirement(path: str, requirement: Object, *, checks_values: bool) -> list[FieldError]:
    operator, values, at = requirement.get("operator", ""), requirement.get("values") or [], f"{path}.values"
    problems: list[FieldError] = []
    if operator in ("In", "NotIn"):
        if not values:
            problems.append(field.required(at, "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            problems.append(field.forbidden(at, detail))
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            problems.append(field.required(at, detail))
    else:
        problems.append(field.invalid(f"{path}.operator", field.named(operator), "not a valid selector operator"))
    problems += checks.name(f"{path}.key", requirement.get("key", ""), names.qualified_name)
    if checks_values:
        for position, value in enumerate(values):
            problems += checks.name(field.index(at, position), value, names.label_value)
    return problems


def _node_field(path: str, requirement: Object) -> list[FieldError]:
    operator, values, key = requirement.get("operator", ""), requirement.get("values") or [], requirement.get("key", "")
    problems: list[FieldError] = []
    if operator not in ("In", "NotIn"):
        problems.append(field.invalid(f"{path}.operator", field.named(operator), "not a valid selector operator"))
    elif len(values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        problems.append(field.required(f"{path}.values", detail))
    if key != "metadata.name":
        return [*problems, field.invalid(f"{path}.key", key, "not a valid field selector key")]
    for position, value in enumerate(values):
        problems += checks.name(field.index(f"{path}.values", position), value, names.dns1123_subdomain)
    return problems


def _pod_term(path: str, term: Object) -> list[FieldError]:
    selector = term.get("labelSelector")
    problems = checks.label_selector(f"{path}.labelSelector", selector)
    problems += checks.label_selector(f"{path}.namespaceSelector", term.get("namespaceSelector"))
    for namespace in term.get("namespaces") or []:
        problems += checks.name(f"{path}.namespace", namespace, names.namespace_name)
    match, mismatch = term.get("matchLabelKeys") or [], term.get("mismatchLabelKeys") or []
    for name, keys in (("matchLabelKeys", match), ("mismatchLabelKeys", mismatch)):
        problems += _label_keys(f"{path}.{name}", keys, selector)
    problems += _repeated_keys(path, match, selector)
    for position, key in enumerate(match):
        if key in mismatch:
            at = field.index(f"{path}.matchLabelKeys", position)
            problems.append(field.invalid(at, key, "exists in both matchLabelKeys and mismatchLabelKeys"))
    key = term.get("topologyKey", "")
    if not key:
        problems.append(field.required(f"{path}.topologyKey", "can not be empty"))
    return problems + checks.name(f"{path}.topologyKey", key, names.qualified_name)


def _label_keys(path: str, keys: list[str], selector: Object | None) -> list[FieldError]:
    if not keys:
        return []
    if selector is None:
        return [field.forbidden(path, "must not be specified when labelSelector is not set")]
    problems: list[FieldError] = []
    for position, key in enumerate(keys):
        problems += checks.name(field.index(path, position), key, names.qualified_name)
    return problems


def _repeated_keys(path: str, keys: list[str], selector: Object | None) -> list[FieldError]:
    """The selector has an expression for each key by now; a second one is the user's."""
    if selector is None:
        return []
    positions = {key: position for position, key in enumerate(keys)}
    seen = set(selector.get("matchLabels") or {})
    problems: list[FieldError] = []
    for expression in selector.get("matchExpressions") or []:
        key = expression.get("key", "")
        if key in positions and key in seen:
            at = field.index(path, positions[key])
            problems.append(field.invalid(at, key, "exists in both matchLabelKeys and labelSelector"))
        seen.add(key)
    return problems


def validate_tolerations(path: str, tolerations: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    for position, toleration in enumerate(tolerations):
        if not _is_usual(toleration):
            problems += _toleration(field.index(path, position), toleration)
    return problems


def _is_usual(toleration: Object) -> bool:
    """As those that every pod is given: `_toleration` has nothing to say of it."""
    if toleration.get("operator") != "Exists" or toleration.get("effect") != "NoExecute" or toleration.get("value"):
        return False
    key = toleration.get("key")
    return not key or not names.qualified_name(key)


def _toleration(path: str, toleration: Object) -> list[FieldError]:
    key, value = toleration.get("key", ""), toleration.get("value", "")
    operator, effect = toleration.get("operator", ""), toleration.get("effect", "")
    problems = checks.name(f"{path}.key", key, names.qualified_name) if key else []
    if not key and operator != "Exists":
        detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        problems.append(field.invalid(f"{path}.operator", field.named(operator), detail))
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        problems.append(field.invalid(f"{path}.effect", field.named(effect), detail))
    if operator in ("Equal", ""):
        if texts := names.label_value(value):
            problems.append(field.invalid(f"{path}.operator", value, ";".join(texts)))
    elif operator == "Exists":
        if value:
            detail = "value must be empty when `operator` is 'Exists'"
            problems.append(field.invalid(f"{path}.operator", value, detail))
    else:
        problems.append(
            field.not_among(
                f"{path}.operator", operator, [*_OPERATORS, *(_COMPARISONS if operator in _COMPARISONS else ())]
            )
        )
    if effect:
        problems += checks.one_of(f"{path}.effect", effect, _EFFECTS)
    return problems


def validate_spread(path: str, constraints: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    kinds = [(one.get("topologyKey", ""), one.get("whenUnsatisfiable", "")) for one in constraints]
    last = {kind: position for position, kind in enumerate(kinds)}
    for position, constraint in enumerate(constraints):
        at, (key, action) = field.index(path, position), kinds[position]
        if (skew := constraint.get("maxSkew", 0)) <= 0:
            problems.append(field.invalid(f"{at}.maxSkew", skew, checks.NOT_POSITIVE))
        if not key:
            problems.append(field.required(f"{at}.topologyKey", "can not be empty"))
        problems += checks.one_of(f"{at}.whenUnsatisfiable", action, _UNSATISFIABLE)
        if last[kinds[position]] > position:
            problems.append(field.duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}"))
        problems += _domains(f"{at}.minDomains", constraint.get("minDomains"), action)
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if (policy := constraint.get(name)) is not None:
                problems += checks.one_of(f"{at}.{name}", policy, _INCLUSION_POLICIES)
        keys, selector = constraint.get("matchLabelKeys") or [], constraint.get("labelSelector")
        problems += _label_keys(f"{at}.matchLabelKeys", keys, selector)
        problems += _repeated_keys(at, keys, selector)
        problems += checks.label_selector(f"{at}.labelSelector", constraint.get("labelSelector"))
    return problems


def _domains(path: str, least: int | None, action: str) -> list[FieldError]:
    if least is None:
        return []
    problems = [field.invalid(path, least, checks.NOT_POSITIVE)] if least <= 0 else []
    if action != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        problems.append(field.invalid(path, least, detail))
    return problems
