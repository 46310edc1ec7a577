"""Containers, init containers and ephemeral containers.

Source: pkg/apis/core/validation/validation.go (validateContainers, validateInitContainers, validateEphemeralContainers,
validateContainerCommon).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from quarterdeck._kernels.variables import odd
from quarterdeck.apimachinery import field, gotext, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podvalidation import env, handlers, mounts, resources, security

_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_RESTART_POLICIES: Final = ("Always", "Never", "OnFailure")
_RESTART_ACTIONS: Final = ("Restart", "RestartAllContainers")
_EXIT_OPERATORS: Final = ("In", "NotIn")
_RESTART_RULES_MAX: Final = 20
_EXIT_CODES_MAX: Final = 255
_NOT_INIT: Final = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
_NOT_EPHEMERAL: Final = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)
# Which are there in Go, and empty, where nothing is said.
_STRUCTS: Final = ("resources",)
_ONLY_MAIN: Final = "cannot be set for an Ephemeral Container"


class PodFacts:
    """What the checks of a container need to know of its pod. `has_odd_variables`: what they found, that one may be
    more than a name and a text."""

    __slots__ = ("claims", "grace_s", "has_host_users", "has_odd_variables", "restart_policy", "volumes")

    def __init__(
        self,
        volumes: dict[str, Object],
        claims: set[str],
        grace_s: int | None,
        restart_policy: str,
        has_host_users: bool,
    ) -> None:
        self.volumes = volumes
        self.claims = claims
        self.grace_s = grace_s
        self.restart_policy = restart_policy
        self.has_host_users = has_host_users
        self.has_odd_variables = False


def validate_containers(path: str, containers: list[Object], facts: PodFacts) -> list[FieldError]:
    if not containers:
        return [field.required(path)]
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, container in enumerate(containers):
        at, name = field.index(path, position), container.get("name", "")
        problems += _validate_common(at, container, facts)
        if name in seen:
            problems.append(field.duplicate(f"{at}.name", name))
        seen.add(name)
        if (lifecycle := container.get("lifecycle")) is not None:
            problems += handlers.validate_lifecycle(f"{at}.lifecycle", lifecycle, facts.grace_s)
        problems += handlers.validate_probes(at, container)
        problems += _restart_policy(at, container)
    return problems + _host_port_conflicts(path, containers)


def validate_init_containers(
    path: str, containers: list[Object], others: Iterable[Object], facts: PodFacts
) -> list[FieldError]:
    problems: list[FieldError] = []
    seen = {other.get("name", "") for other in others}
    for position, container in enumerate(containers):
        at, name = field.index(path, position), container.get("name", "")
        problems += _validate_common(at, container, facts)
        problems += _restart_policy(at, container, is_init=True)
        if name in seen:
            problems.append(field.duplicate(f"{at}.name", name))
        elif name:
            seen.add(name)
        problems += _host_port_conflicts(path, [container])
        if container.get("restartPolicy") == "Always":
            if (lifecycle := container.get("lifecycle")) is not None:
                problems += handlers.validate_lifecycle(f"{at}.lifecycle", lifecycle, facts.grace_s)
            problems += handlers.validate_probes(at, container)
        else:
            detail = "may not be set for init containers without restartPolicy=Always"
            problems += [field.forbidden(f"{at}.{member}", detail) for member in _NOT_INIT if member in container]
            problems += _restarts_on_resize(at, container)
    return problems


def _restarts_on_resize(path: str, container: Object) -> list[FieldError]:
    """What runs once, before the others, is not restarted."""
    return [
        field.invalid(
            f"{field.index(f'{path}.resizePolicy', position)}.restartPolicy",
            "RestartContainer",
            "must not be set to 'RestartContainer' for non-sidecar initContainers",
        )
        for position, policy in enumerate(container.get("resizePolicy") or [])
        if policy.get("restartPolicy") == "RestartContainer"
    ]


def validate_ephemeral_containers(
    path: str, containers: list[Object], others: Iterable[Object], facts: PodFacts
) -> list[FieldError]:
    problems: list[FieldError] = []
    known = {other.get("name", "") for other in others}
    seen = set(known)
    for position, container in enumerate(containers):
        at, name = field.index(path, position), container.get("name", "")
        problems += _validate_common(at, container, facts)
        problems += validate_image(at, container)
        if name in seen:
            problems.append(field.duplicate(f"{at}.name", name))
        seen.add(name)
        if (target := container.get("targetContainerName")) and target not in known:
            problems.append(field.not_found(f"{at}.targetContainerName", target))
        problems += [
            field.forbidden(f"{at}.{member}", _ONLY_MAIN)
            for member in _NOT_EPHEMERAL
            if container.get(member) is not None and (member not in _STRUCTS or container[member])
        ]
        for number, mount in enumerate(container.get("volumeMounts") or []):
            for member in ("subPath", "subPathExpr"):
                if mount.get(member):
                    place = f"{field.index(f'{at}.volumeMounts', number)}.{member}"
                    problems.append(field.forbidden(place, _ONLY_MAIN))
    return problems


def validate_images(path: str, containers: list[Object]) -> list[FieldError]:
    """Of the containers of a pod."""
    problems: list[FieldError] = []
    for position, container in enumerate(containers):
        if (image := container.get("image", "")) != gotext.strip(image):
            problems += validate_image(field.index(path, position), container)
    return problems


def validate_image(path: str, container: Object) -> list[FieldError]:
    """Of a pod: a template may have anything there."""
    image = container.get("image", "")
    if image == gotext.strip(image):
        return []
    return [field.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")]


def _validate_common(path: str, container: Object, facts: PodFacts) -> list[FieldError]:
    problems = checks.required_name(f"{path}.name", container.get("name", ""), names.dns1123_label)
    if not container.get("image"):
        problems.append(field.required(f"{path}.image"))
    if (policy := container.get("terminationMessagePolicy", "")) not in _MESSAGE_POLICIES:
        problems += checks.required_one_of(f"{path}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    if ports := container.get("ports"):
        problems += _ports(f"{path}.ports", ports)
    if (variables := container.get("env")) and (positions := odd(variables)):
        facts.has_odd_variables = True
        problems += env.validate_env(f"{path}.env", variables, positions)
    if sources := container.get("envFrom"):
        problems += env.validate_env_from(f"{path}.envFrom", sources)
    if container.get("volumeMounts"):
        problems += mounts.validate_mounts(path, container, facts.volumes)
    if container.get("volumeDevices"):
        problems += mounts.validate_devices(path, container, facts.volumes)
    if (policy := container.get("imagePullPolicy", "")) not in _PULL_POLICIES:
        problems += checks.required_one_of(f"{path}.imagePullPolicy", policy, _PULL_POLICIES)
    if requirements := container.get("resources"):
        problems += resources.validate_requirements(f"{path}.resources", requirements, facts.claims)
    if policies := container.get("resizePolicy"):
        problems += resources.validate_resize_policy(f"{path}.resizePolicy", policies, facts.restart_policy)
    if context := container.get("securityContext"):
        problems += security.validate_security_context(f"{path}.securityContext", context, facts.has_host_users)
    return problems


def _ports(path: str, ports: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, port in enumerate(ports):
        at = field.index(path, position)
        if name := port.get("name"):
            if found := checks.name(f"{at}.name", name, names.port_name):
                problems += found
            elif name in seen:
                problems.append(field.duplicate(f"{at}.name", name))
            else:
                seen.add(name)
        if number := port.get("containerPort", 0):
            problems += checks.port_number(f"{at}.containerPort", number)
        else:
            problems.append(field.required(f"{at}.containerPort"))
        if number := port.get("hostPort", 0):
            problems += checks.port_number(f"{at}.hostPort", number)
        problems += checks.required_one_of(f"{at}.protocol", port.get("protocol", ""), checks.PROTOCOLS)
    return problems


def _host_port_conflicts(path: str, containers: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, container in enumerate(containers):
        if not (ports := container.get("ports")):
            continue
        at = f"{field.index(path, position)}.ports"
        for number, port in enumerate(ports):
            if not port.get("hostPort"):
                continue
            place = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{port['hostPort']}"
            if place in seen:
                problems.append(field.duplicate(f"{field.index(at, number)}.hostPort", place))
            seen.add(place)
    return problems


def _restart_policy(path: str, container: Object, *, is_init: bool = False) -> list[FieldError]:
    """A container's own policy, and the rules that it has beside it."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or []
    problems: list[FieldError] = []
    if policy is not None:
        problems += checks.one_of(f"{path}.restartPolicy", policy, _RESTART_POLICIES)
    elif rules:
        detail = "must specify restartPolicy when restart rules are used"
        problems.append(field.required(f"{path}.restartPolicy", detail))
        if is_init:  # upstream looks no further
            return problems
    if len(rules) > _RESTART_RULES_MAX:
        problems.append(field.too_many(f"{path}.restartPolicyRules", len(rules), _RESTART_RULES_MAX))
    for position, rule in enumerate(rules):
        at = field.index(f"{path}.restartPolicyRules", position)
        problems += checks.one_of(f"{at}.action", rule.get("action", ""), _RESTART_ACTIONS)
        if (codes := rule.get("exitCodes")) is None:
            problems.append(field.required(f"{at}.exitCodes", "must be specified"))
            continue
        problems += checks.one_of(f"{at}.exitCodes.operator", codes.get("operator", ""), _EXIT_OPERATORS)
        if (count := len(codes.get("values") or [])) > _EXIT_CODES_MAX:
            problems.append(field.too_many(f"{at}.exitCodes.values", count, _EXIT_CODES_MAX))
    return problems
