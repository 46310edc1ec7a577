"""What containers, and pods as a whole, ask for and may use.

Source: pkg/apis/core/validation/validation.go (validateResourceRequirements, validatePodResources,
validateResizePolicy), pkg/apis/core/helper/helpers.go, component-helpers/resource.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from quarterdeck.apimachinery import field, names, podamounts, quantity
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.podamounts import HUGE_PAGES, allows_overcommit, is_extended, is_native
from quarterdeck.apimachinery.quantity import Quantity
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object

_OF_CONTAINERS: Final = frozenset(("cpu", "memory", "ephemeral-storage"))
_OF_PODS: Final = frozenset(("cpu", "memory"))
_COUNTED: Final = frozenset(
    (
        "configmaps",
        "persistentvolumeclaims",
        "pods",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "services",
        "services.loadbalancers",
        "services.nodeports",
    )
)
_STANDARD: Final = frozenset(
    (
        *_COUNTED,
        *_OF_CONTAINERS,
        *(f"{kind}.{name}" for kind in ("limits", "requests") for name in _OF_CONTAINERS),
        "storage",
        "requests.storage",
    )
)
_RESIZED: Final = ("cpu", "memory")
_RESIZE_POLICIES: Final = ("NotRequired", "RestartContainer")

_NameCheck = Callable[[str, str], list[FieldError]]  # (path, name)


def resource_name(path: str, name: str, *, is_metric: bool = False) -> list[FieldError]:
    """Of anything that is counted. `is_metric`: of an autoscaler, where upstream takes it for a plain text at first
    (pkg/apis/core/v1/validation/validation.go)."""
    problems = checks.all_of(path, name if is_metric else field.named(name), names.qualified_name(name))
    is_standard = "/" in name or name in _STANDARD or name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}"))
    if not problems and not is_standard:
        problems.append(field.invalid(path, field.named(name), "must be a standard resource type or fully qualified"))
    return problems


def is_quota_resource(name: str) -> bool:
    """A resource of Kubernetes' own that a quota may limit."""
    return (name in _STANDARD and name != "storage") or name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}"))


def container_resource_name(path: str, name: str, *, is_metric: bool = False) -> list[FieldError]:
    """Of what a container asks for."""
    problems = resource_name(path, name, is_metric=is_metric)
    if "/" not in name:
        if name not in _OF_CONTAINERS and not name.startswith(HUGE_PAGES):
            problems.append(field.invalid(path, field.named(name), "must be a standard resource for containers"))
    elif not is_native(name) and not is_extended(name):
        problems.append(field.invalid(path, field.named(name), "doesn't follow extended resource name standard"))
    return problems


def _pod_resource_name(path: str, name: str) -> list[FieldError]:
    problems = resource_name(path, name)
    if not problems and name not in _OF_PODS and not name.startswith(HUGE_PAGES):
        problems.append(field.not_among(path, name, sorted((*_OF_PODS, HUGE_PAGES))))
    return problems


def validate_requirements(path: str, requirements: Object, claims: set[str]) -> list[FieldError]:
    """Of a container. `claims`: the names of the pod's claims."""
    return _requirements(path, requirements, claims, container_resource_name)


def validate_overhead(path: str, overhead: Mapping[str, str]) -> list[FieldError]:
    return _requirements(path, {"limits": overhead}, set(), container_resource_name)


def _requirements(path: str, requirements: Object, claims: set[str], check: _NameCheck) -> list[FieldError]:
    limits = podamounts.parse(requirements.get("limits"))
    requests = podamounts.parse(requirements.get("requests"))
    problems: list[FieldError] = []
    for name, amount in limits.items():
        at = field.key(f"{path}.limits", name)
        problems += check(at, name) + validate_amount(at, name, amount) + _whole_pages(at, name, amount)
    for name, amount in requests.items():
        at = field.key(f"{path}.requests", name)
        problems += check(at, name) + validate_amount(at, name, amount)
        problems += _within_limit(path, name, amount, limits.get(name)) + _whole_pages(at, name, amount)
    both = {*limits, *requests}
    if any(name.startswith(HUGE_PAGES) for name in both) and not both & {"cpu", "memory"}:
        problems.append(field.forbidden(path, "HugePages require cpu or memory"))
    return problems + _claims(f"{path}.claims", requirements.get("claims") or [], claims)


def _whole_pages(path: str, name: str, amount: Quantity) -> list[FieldError]:
    if not name.startswith(HUGE_PAGES) or _is_divisible(name, amount):
        return []
    return [field.invalid(path, str(amount), f"{amount} is not positive integer multiple of {name}")]


def validate_amount(path: str, name: str, amount: Quantity) -> list[FieldError]:
    problems = [field.invalid(path, str(amount), checks.NOT_NEGATIVE)] if amount.unscaled < 0 else []
    if (name in _COUNTED or is_extended(name)) and amount.milli() % 1000:
        problems.append(field.invalid(path, str(amount), "must be an integer"))
    return problems


def _is_divisible(name: str, amount: Quantity) -> bool:
    try:
        page = quantity.parse(name.removeprefix(HUGE_PAGES))
    except quantity.ParseError:
        return False
    # Differs from upstream: pages of more bytes than 64 bits hold make it panic.
    return page.whole() > 0 and page.milli() % 1000 == 0 and amount.whole() % page.whole() == 0


def _within_limit(path: str, name: str, amount: Quantity, limit: Quantity | None) -> list[FieldError]:
    at = f"{path}.requests"
    if limit is None:
        if allows_overcommit(name):
            return []
        return [field.required(f"{path}.limits", "Limit must be set for non overcommitable resources")]
    if amount != limit and not allows_overcommit(name):
        return [field.invalid(at, str(amount), f"must be equal to {name} limit of {limit}")]
    if amount > limit:
        return [field.invalid(at, str(amount), f"must be less than or equal to {name} limit of {limit}")]
    return []


def _claims(path: str, references: list[Object], known: set[str]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, reference in enumerate(references):
        at, name, request = field.index(path, position), reference.get("name", ""), reference.get("request", "")
        if not name:
            problems.append(field.required(at))
            continue
        key = f"{name}/{request}" if request else name
        if name in seen:
            problems.append(field.duplicate(at, name))
        else:
            if request:
                problems += checks.name(f"{at}.request", request, names.dns1123_label)
            if key in seen:
                problems.append(field.duplicate(at, key))
            elif not request:  # a claim after some of its requests: told of each
                problems += [field.duplicate(at, name) for other in seen if other.startswith(f"{name}/")]
            seen.add(key)
        if name not in known:
            listed = f": {', '.join(sorted(known))}" if known else " which is empty"
            detail = f"must be one of the names in pod.spec.resourceClaims{listed}"
            problems.append(FieldError(field.NOT_FOUND, at, name, detail))
    return problems


def validate_resize_policy(path: str, policies: list[Object], restart_policy: str) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, policy in enumerate(policies):
        name, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if name in seen:
            problems.append(field.duplicate(field.index(path, position), field.named(name)))
        seen.add(name)
        problems += checks.required_one_of(path, name, _RESIZED)
        problems += checks.required_one_of(path, restart, _RESIZE_POLICIES)
        if restart_policy == "Never" and restart != "NotRequired":
            detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            problems.append(field.invalid(path, field.named(restart), detail))
    return problems


def validate_pod_resources(path: str, spec: Object, claims: set[str]) -> list[FieldError]:
    """What a pod asks for as a whole, against what its containers ask for."""
    resources = spec.get("resources")
    if resources is None:
        return []
    if (spec.get("os") or {}).get("name") == "windows":
        return [field.forbidden(path, "may not be set for a windows pod")]
    problems: list[FieldError] = []
    if resources.get("claims") is not None:
        problems.append(field.forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level"))
    problems += _requirements(path, resources, claims, _pod_resource_name)
    asked, limits = podamounts.parse(resources.get("requests")), podamounts.parse(resources.get("limits"))
    for name, sum_ in podamounts.of_containers(spec).items():
        own = asked.get(name)
        if own is not None and sum_ > own:
            detail = f"must be greater than or equal to aggregate container requests of {sum_}"
            problems.append(field.invalid(field.key(f"{path}.requests", name), str(own), detail))
    for name, sum_ in podamounts.of_containers(spec, "limits").items():
        if name.startswith(HUGE_PAGES) and name in limits and sum_ > limits[name]:
            detail = f"must be greater than or equal to aggregate container limits of {sum_}"
            problems.append(field.invalid(field.key(f"{path}.limits", name), str(limits[name]), detail))
    for position, container in enumerate(spec.get("containers") or []):
        for name, limit in podamounts.parse((container.get("resources") or {}).get("limits")).items():
            if name in limits and limit > limits[name]:
                at = f"{field.key(field.index(f'{path}.containers', position), name)}.limits"
                detail = f"must be less than or equal to pod limits of {limits[name]}"
                problems.append(field.invalid(at, str(limit), detail))
    return problems
