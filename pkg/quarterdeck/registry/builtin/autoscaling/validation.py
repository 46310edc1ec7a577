"""The spec of an autoscaler (v2).

Source: pkg/apis/autoscaling/validation/validation.go; api/autoscaling/v2/types.go for what is declared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery import field, names, quantity
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.core.podvalidation.resources import container_resource_name
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

_PERIOD_S_MAX: Final = 1800
_WINDOW_S_MAX: Final = 3600
_SELECTIONS: Final = ("Disabled", "Max", "Min")
_POLICIES: Final = ("Percent", "Pods")
_TARGETS: Final = ("Utilization", "Value", "AverageValue")
_NO_TARGET: Final = "must set either a target raw value or a target utilization"
_TWO_TARGETS: Final = "may not set both a target raw value and a target utilization"


def validate_spec(spec: Object) -> list[FieldError]:
    return _spec(spec, replicas_min=1, old=None)


def validate_spec_update(spec: Object, old: Object) -> list[FieldError]:
    return _spec(spec, replicas_min=0 if old.get("minReplicas") == 0 else 1, old=old)


def _spec(spec: Object, *, replicas_min: int, old: Object | None) -> list[FieldError]:
    """`old`: an apiVersion that stays as it is may be wrong, and so may any where a metric's was."""
    least, most = spec.get("minReplicas"), spec.get("maxReplicas", 0)
    problems: list[FieldError] = []
    if least is not None and least < replicas_min:
        problems.append(field.invalid("spec.minReplicas", least, f"must be greater than or equal to {replicas_min}"))
    if most == 0:
        problems.append(field.required("spec.maxReplicas", "must be set and greater than 0"))
    elif most < 0:
        problems.append(field.invalid("spec.maxReplicas", most, "must be greater than or equal to 1"))
    if least is not None and most < least:
        problems.append(field.invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"))
    target = spec.get("scaleTargetRef") or {}
    problems += _reference("spec.scaleTargetRef", target)
    if old is None or _version_and_kind(target) != _version_and_kind(old.get("scaleTargetRef") or {}):
        # Of all that can be scaled it alone is in the group without a name.
        needs_group = target.get("kind", "") != "ReplicationController"
        problems += _version("spec.scaleTargetRef", target, needs_group=needs_group)
    problems += _metrics(spec.get("metrics") or [], least, had_wrong=_had_wrong_object(old))
    for name in ("scaleUp", "scaleDown"):
        if (rules := (spec.get("behavior") or {}).get(name)) is not None:
            problems += _rules(f"spec.behavior.{name}", rules)
    return problems


def _version_and_kind(reference: Object) -> tuple[str, str]:
    return reference.get("apiVersion", ""), reference.get("kind", "")


def _had_wrong_object(old: Object | None) -> bool:
    described = [
        (each.get("object") or {}).get("describedObject") or {}
        for each in (old or {}).get("metrics") or []
        if each.get("type") == "Object"
    ]
    return any(_version_problem(each, needs_group=False) for each in described)


def _reference(path: str, reference: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    for name in ("kind", "name"):
        problems += checks.required_name(f"{path}.{name}", reference.get(name, ""), names.path_segment_name)
    return problems


def _version(path: str, reference: Object, *, needs_group: bool) -> list[FieldError]:
    text = _version_problem(reference, needs_group=needs_group)
    return [field.invalid(f"{path}.apiVersion", reference.get("apiVersion", ""), text)] if text else []


def _version_problem(reference: Object, *, needs_group: bool) -> str:
    version = reference.get("apiVersion", "")
    parsed = objectmeta.parse_group_version(version)
    if parsed is None:
        return f"unexpected GroupVersion string: {version}"
    return "apiVersion must specify API group" if needs_group and not parsed[0] else ""


def _metrics(metrics: list[Object], least: int | None, *, had_wrong: bool) -> list[FieldError]:
    problems: list[FieldError] = []
    for position, metric in enumerate(metrics):
        problems += _metric(field.index("spec.metrics", position), metric, had_wrong=had_wrong)
    if least == 0 and not any(each.get("type") in ("Object", "External") for each in metrics):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        problems.append(field.forbidden("spec.metrics", detail))
    return problems


def _metric(path: str, metric: Object, *, had_wrong: bool) -> list[FieldError]:
    kind, at = metric.get("type", ""), f"{path}.type"
    problems: list[FieldError] = []
    if not kind:
        problems.append(field.required(at, "must specify a metric source type"))
    unknown = [] if kind in _TYPES else [field.not_among(at, kind, sorted(_TYPES))]
    problems += unknown
    present = [name for name in _SOURCES if metric.get(name) is not None]
    if present:
        problems += _source(f"{path}.{present[0]}", present[0], metric[present[0]], had_wrong=had_wrong)
    expected = _TYPES.get(kind, "")
    if expected and expected not in present:
        problems.append(field.required(f"{path}.{expected}", "must populate information for the given metric source"))
    problems += unknown  # told twice
    if len(present) != 1:
        problems += [
            field.forbidden(f"{path}.{name}", "must populate the given metric source only")
            for name in present
            if name != expected
        ]
    return problems


def _source(path: str, name: str, source: Object, *, had_wrong: bool) -> list[FieldError]:
    if name != "object":
        return _SOURCES[name](path, source)
    at, described = f"{path}.describedObject", source.get("describedObject") or {}
    problems = _reference(at, described)
    if not had_wrong:
        problems += _version(at, described, needs_group=False)
    return problems + _object(path, source)


def _identifier(path: str, metric: Object) -> list[FieldError]:
    name = metric.get("name", "")
    if not name:
        return [field.required(f"{path}.name", "must specify a metric name")]
    return checks.name(f"{path}.name", name, names.path_segment_name)


def _target(path: str, target: Object) -> list[FieldError]:
    kind = target.get("type", "")
    problems: list[FieldError] = []
    if not kind:
        problems.append(field.required(f"{path}.type", "must specify a metric target type"))
    if kind not in _TARGETS:
        problems.append(
            field.invalid(f"{path}.type", field.named(kind), "must be either Utilization, Value, or AverageValue")
        )
    for name in ("value", "averageValue"):
        amount = target.get(name)
        if amount is not None and quantity.parse(amount).unscaled <= 0:
            problems.append(field.invalid(f"{path}.{name}", amount, "must be positive"))
    percent = target.get("averageUtilization")
    if percent is not None and percent < 1:
        problems.append(field.invalid(f"{path}.averageUtilization", percent, "must be greater than 0"))
    return problems


def _object(path: str, source: Object) -> list[FieldError]:
    target = source.get("target") or {}
    problems = _identifier(f"{path}.metric", source.get("metric") or {}) + _target(f"{path}.target", target)
    if target.get("value") is None and target.get("averageValue") is None:
        detail = "must set either a target value or averageValue"
        problems.append(field.required(f"{path}.target.averageValue", detail))
    return problems


def _external(path: str, source: Object) -> list[FieldError]:
    target = source.get("target") or {}
    problems = _identifier(f"{path}.metric", source.get("metric") or {}) + _target(f"{path}.target", target)
    has_value, has_average = target.get("value") is not None, target.get("averageValue") is not None
    if not has_value and not has_average:
        detail = "must set either a target value for metric or a per-pod target"
        problems.append(field.required(f"{path}.target.averageValue", detail))
    if has_value and has_average:
        detail = "may not set both a target value for metric and a per-pod target"
        problems.append(field.forbidden(f"{path}.target.value", detail))
    return problems


def _pods(path: str, source: Object) -> list[FieldError]:
    target = source.get("target") or {}
    problems = _identifier(f"{path}.metric", source.get("metric") or {}) + _target(f"{path}.target", target)
    if target.get("averageValue") is None:
        problems.append(field.required(f"{path}.target.averageValue", "must specify a positive target averageValue"))
    return problems


def _container_resource(path: str, source: Object) -> list[FieldError]:
    container = source.get("container", "")
    problems = _resource_name(path, source)
    if name := source.get("name"):
        problems += container_resource_name(f"{path}.name", name, is_metric=True)
    if container:
        problems += checks.name(f"{path}.container", container, names.dns1123_label)
    else:
        problems.append(field.required(f"{path}.container", "must specify a container"))
    return problems + _resource_target(f"{path}.target", source.get("target") or {})


def _resource(path: str, source: Object) -> list[FieldError]:
    return _resource_name(path, source) + _resource_target(f"{path}.target", source.get("target") or {})


def _resource_name(path: str, source: Object) -> list[FieldError]:
    return [] if source.get("name") else [field.required(f"{path}.name", "must specify a resource name")]


def _resource_target(at: str, target: Object) -> list[FieldError]:
    problems = _target(at, target)
    has_percent, has_average = target.get("averageUtilization") is not None, target.get("averageValue") is not None
    if not has_percent and not has_average:
        problems.append(field.required(f"{at}.averageUtilization", _NO_TARGET))
    if has_percent and has_average:
        problems.append(field.forbidden(f"{at}.averageValue", _TWO_TARGETS))
    return problems


def _rules(path: str, rules: Object) -> list[FieldError]:
    window_s, at = rules.get("stabilizationWindowSeconds"), f"{path}.stabilizationWindowSeconds"
    problems: list[FieldError] = []
    if window_s is not None and window_s < 0:
        problems.append(field.invalid(at, window_s, "must be greater than or equal to zero"))
    if window_s is not None and window_s > _WINDOW_S_MAX:
        problems.append(field.invalid(at, window_s, f"must be less than or equal to {_WINDOW_S_MAX}"))
    if (selection := rules.get("selectPolicy")) is not None:
        problems += checks.one_of(f"{path}.selectPolicy", selection, _SELECTIONS)
    policies = rules.get("policies") or []
    if not policies:
        problems.append(field.required(f"{path}.policies", "must specify at least one Policy"))
    for position, policy in enumerate(policies):
        problems += _policy(field.index(f"{path}.policies", position), policy)
    tolerance = rules.get("tolerance")
    if tolerance is not None and quantity.parse(tolerance).unscaled < 0:
        problems.append(field.invalid(f"{path}.tolerance", tolerance, checks.NOT_NEGATIVE))
    return problems


def _policy(path: str, policy: Object) -> list[FieldError]:
    problems = checks.one_of(f"{path}.type", policy.get("type", ""), _POLICIES)
    for name in ("value", "periodSeconds"):
        if (number := policy.get(name, 0)) <= 0:
            problems.append(field.invalid(f"{path}.{name}", number, checks.NOT_POSITIVE))
    if (period_s := policy.get("periodSeconds", 0)) > _PERIOD_S_MAX:
        detail = f"must be less than or equal to {_PERIOD_S_MAX}"
        problems.append(field.invalid(f"{path}.periodSeconds", period_s, detail))
    return problems


# In the order in which upstream looks at them: it checks the first alone.
_SOURCES: Final[dict[str, Callable[[str, Object], list[FieldError]]]] = {
    "object": _object,
    "external": _external,
    "pods": _pods,
    "resource": _resource,
    "containerResource": _container_resource,
}
_TYPES: Final = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
