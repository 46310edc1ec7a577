"""What the status of a pod may become.

Source: pkg/apis/core/validation/validation.go (ValidatePodStatusUpdate).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from quarterdeck.apimachinery import addresses, field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podvalidation import gonames, podannotations
from quarterdeck.registry.builtin.core.podvalidation.spec import annotations_of

_SYSTEM_CONDITIONS: Final = ("PodScheduled", "Ready", "Initialized")
_HEALTH: Final = ("Healthy", "Unhealthy", "Unknown")
_MESSAGE_BYTES_MAX: Final = 1024
# The statuses of containers, and where the containers are that they may be about and that have resources.
_STATUSES: Final = (
    ("containerStatuses", "containers"),
    ("initContainerStatuses", "initContainers"),
    ("ephemeralContainerStatuses", ""),
)
_MAPPED: Final = ("containerName", "resourceName", "requestName")


def validate_status_update(new: Object, old: Object) -> list[FieldError]:
    status, before = new.get("status") or {}, old.get("status") or {}
    found, known = annotations_of(new), annotations_of(old)
    problems = podannotations.validate_update(found, known, "metadata.annotations")
    problems += podannotations.validate(found, new["spec"], "metadata.annotations", known)
    for position, condition in enumerate(status.get("conditions") or []):
        problems += _generation(f"{field.index('status.conditions', position)}.observedGeneration", condition)
        if (kind := condition.get("type", "")) not in _SYSTEM_CONDITIONS:
            at = f"{field.index('status.conditions', position)}.Type"
            problems += checks.name(at, kind, names.qualified_name)
    nominated = status.get("nominatedNodeName", "")
    if nominated and nominated != before.get("nominatedNodeName", ""):
        problems += checks.name("status.nominatedNodeName", nominated, names.dns1123_subdomain)
        if old["spec"].get("nodeName"):
            detail = "may not be set on pods that are already bound to a node"
            problems.append(field.forbidden("status.nominatedNodeName", detail))
    problems += _generation("status.observedGeneration", status)
    if status.get("qosClass", "") != before.get("qosClass", ""):
        problems.append(field.invalid("status.qosClass", field.named(status.get("qosClass", "")), "field is immutable"))
    problems += _transitions(status, before, old["spec"])
    problems += _claim_statuses(status.get("resourceClaimStatuses") or [], new["spec"])
    if (claimed := status.get("extendedResourceClaimStatus")) is not None:
        problems += _extended_claim("status.extendedResourceClaimStatus", claimed, new["spec"])
    problems += _addresses("podIPs", status, before, "PodIP")
    problems += _host_addresses(status, before)
    return problems + _users(status, new["spec"]) + _all_allocated(status, new["spec"])


def _generation(path: str, holder: Object) -> list[FieldError]:
    generation = holder.get("observedGeneration", 0)
    return [field.invalid(path, generation, "must be a non-negative integer")] if generation < 0 else []


def _transitions(status: Object, before: Object, spec: Object) -> list[FieldError]:
    """A container that has ended for good does not run again."""
    problems: list[FieldError] = []
    for member, kind in () if _restarts_all(spec) else _STATUSES[:2]:
        by_name = {one.get("name", ""): one for one in reversed(spec.get(kind) or [])}
        problems += _ended(member, status, before, partial(_may_restart, by_name, spec))
    return problems + _ended(_STATUSES[2][0], status, before, lambda name, exit_code: False)


def _ended(member: str, status: Object, before: Object, may_restart: Callable[[str, int], bool]) -> list[FieldError]:
    problems: list[FieldError] = []
    running = {
        one.get("name", "") for one in status.get(member) or [] if (one.get("state") or {}).get("terminated") is None
    }
    for position, one in enumerate(before.get(member) or []):
        ended, name = (one.get("state") or {}).get("terminated"), one.get("name", "")
        if ended is not None and name in running and not may_restart(name, ended.get("exitCode", 0)):
            at = f"{field.index(f'status.{member}', position)}.state"
            problems.append(field.forbidden(at, "may not be transitioned to non-terminated state"))
    return problems


def _restarts_all(spec: Object) -> bool:
    """Whether the end of some container may restart all of them (upstream: AllContainersCouldRestart)."""
    return any(
        rule.get("action") == "RestartAllContainers"
        for kind in ("containers", "initContainers")
        for container in spec.get(kind) or []
        for rule in container.get("restartPolicyRules") or []
    )


def _may_restart(containers: dict[str, Object], spec: Object, name: str, exit_code: int) -> bool:
    """A container's own rules go first, then its policy, then its pod's (upstream: ContainerShouldRestart)."""
    if (container := containers.get(name)) is None:
        return False
    policy = container.get("restartPolicy")
    if policy is not None and any(_applies(rule, exit_code) for rule in container.get("restartPolicyRules") or []):
        return True
    for each in (policy, spec.get("restartPolicy")):
        if each in ("Always", "Never", "OnFailure"):
            return each == "Always" or (each == "OnFailure" and exit_code != 0)
    return True


def _applies(rule: Object, exit_code: int) -> bool:
    codes = rule.get("exitCodes")
    if codes is None or rule.get("action") not in ("Restart", "RestartAllContainers"):
        return False
    return (exit_code in (codes.get("values") or [])) is (codes.get("operator") == "In")


def _claim_statuses(statuses: list[Object], spec: Object) -> list[FieldError]:
    known = {claim.get("name", "") for claim in spec.get("resourceClaims") or []}
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, status in enumerate(statuses):
        at, name = f"{field.index('status.resourceClaimStatuses', position)}.name", status.get("name", "")
        if name not in known:
            detail = "must match the name of an entry in `spec.resourceClaims`"
            problems.append(field.invalid(at, name, detail))
        if name in seen:
            problems.append(field.duplicate(at, name))
        seen.add(name)
        if (claim := status.get("resourceClaimName")) is not None:
            place = f"{field.index('status.resourceClaimStatuses', position)}.resourceClaimName"
            problems += checks.all_of(place, field.named(claim), names.dns1123_subdomain(claim))
    return problems


def _extended_claim(path: str, status: Object, spec: Object) -> list[FieldError]:
    """Which requests of a claim stand for what containers ask of extended resources."""
    containers = {one.get("name", ""): one for kind in ("initContainers", "containers") for one in spec.get(kind) or []}
    mappings, claim = status.get("requestMappings") or [], status.get("resourceClaimName", "")
    at = f"{path}.requestMappings"
    problems = [] if mappings else [field.required(at, "at least one request mapping is required")]
    seen: set[tuple[str, ...]] = set()
    for position, mapping in enumerate(mappings):
        place = field.index(at, position)
        key = tuple(mapping.get(name, "") for name in _MAPPED)
        problems += _mapping(place, key[0], key[1], containers.get(key[0]))
        problems += checks.name(f"{path}.requestName", key[2], names.dns1123_label)
        if key in seen:
            problems += [field.duplicate(f"{place}.{name}", value) for name, value in zip(_MAPPED, key, strict=True)]
        seen.add(key)
    return problems + checks.required_name(f"{path}.resourceClaimName", claim, names.dns1123_subdomain)


def _mapping(path: str, container_name: str, resource: str, container: Object | None) -> list[FieldError]:
    if container is None:
        detail = "must match the name of an entry in spec.initContainers.name or spec.containers.name"
        return [field.invalid(f"{path}.containerName", container_name, detail)]
    if resource in ((container.get("resources") or {}).get("requests") or {}):
        return []
    detail = (
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or "
        "spec.containers.resources.requests"
    )
    return [field.invalid(f"{path}.resourceName", resource, detail)]


def _addresses(member: str, status: Object, before: Object, struct: str) -> list[FieldError]:
    """At most one address of each family. What was there before is let pass in any form."""
    path, given = f"status.{member}", status.get(member) or []
    texts = [address.get("ip", "") for address in given]
    known = {address.get("ip", "") for address in before.get(member) or []}
    problems: list[FieldError] = []
    for position, text in enumerate(texts):
        if text not in known:
            problems += addresses.validate_ip(text, field.index(path, position))
    if len(texts) < 2:
        return problems
    parsed = [addresses.parse_ip(text) for text in texts]
    if None in parsed:
        wrong = parsed.index(None)
        text = f"failed to check for dual stack with error:invalid IP[{wrong}]: {texts[wrong]}"
        problems.append(field.internal(path, text))
    versions = {addresses.family_of(address) for address in parsed if address is not None}
    if None in parsed or len(texts) > 2 or len(versions) != 2:
        shown = [gonames.to_go(struct, address) for address in given]
        problems.append(field.invalid(path, shown, "may specify no more than one IP for each IP family"))
    return problems


def _host_addresses(status: Object, before: Object) -> list[FieldError]:
    given = status.get("hostIPs") or []
    if not given:
        return []
    problems: list[FieldError] = []
    first = given[0].get("ip", "")
    if status.get("hostIP", "") != first:
        problems.append(field.invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"))
    return problems + _addresses("hostIPs", status, before, "HostIP")


def _users(status: Object, spec: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    is_windows = (spec.get("os") or {}).get("name") == "windows"
    for member, _ in _STATUSES:
        for position, one in enumerate(status.get(member) or []):
            at, user = f"{field.index(f'status.{member}', position)}.user.linux", (one.get("user") or {}).get("linux")
            if user is not None and is_windows:
                problems.append(field.forbidden(at, "cannot be set for a windows pod"))
            elif user is not None:
                problems += _user(at, user)
    return problems


def _all_allocated(status: Object, spec: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    for member, containers in _STATUSES:
        by_name = {one.get("name", ""): one for one in spec.get(containers) or []}
        for position, one in enumerate(status.get(member) or []):
            at = f"{field.index(f'status.{member}', position)}.allocatedResourcesStatus"
            allocated = one.get("allocatedResourcesStatus") or []
            if allocated and not containers:
                problems.append(field.forbidden(at, "must not be specified in container status"))
            elif allocated:
                problems += _allocated(at, allocated, by_name.get(one.get("name", "")))
    return problems


def _user(path: str, user: Object) -> list[FieldError]:
    problems = checks.user_or_group(f"{path}.uid", user.get("uid", 0))
    problems += checks.user_or_group(f"{path}.gid", user.get("gid", 0))
    for position, group in enumerate(user.get("supplementalGroups") or []):
        problems += checks.user_or_group(field.index(f"{path}.supplementalGroups", position), group)
    return problems


def _allocated(path: str, allocated: list[Object], container: Object | None) -> list[FieldError]:
    problems: list[FieldError] = []
    for position, one in enumerate(allocated):
        at, name = field.index(path, position), one.get("name", "")
        if container is not None and name not in _asked(container, name):
            detail = (
                "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or "
                "'claim:<claimName>' if request is empty"
                if name.startswith("claim:")
                else "must match one of the container's resource requests"
            )
            problems.append(field.invalid(f"{at}.name", name, detail))
        seen: set[str] = set()
        for number, health in enumerate(one.get("resources") or []):
            place, identity = field.index(f"{at}.resources", number), health.get("resourceID", "")
            problems += checks.one_of(f"{place}.health", health.get("health", ""), _HEALTH)
            if (message := health.get("message")) is not None:
                problems += _health_message(f"{place}.message", message)
            if identity in seen:
                problems.append(field.duplicate(f"{place}.resourceID", field.named(identity)))
            seen.add(identity)
    return problems


def _health_message(path: str, message: str) -> list[FieldError]:
    if not message:
        return [field.required(path, "must be non-empty if specified")]
    if len(message.encode()) > _MESSAGE_BYTES_MAX:
        return [field.too_long(path, _MESSAGE_BYTES_MAX)]
    return []


def _asked(container: Object, name: str) -> set[str]:
    """What the container asks for, under the names that a status has for it."""
    resources = container.get("resources") or {}
    if not name.startswith("claim:"):
        return set(resources.get("requests") or {})
    claims = resources.get("claims") or []
    return {"claim:" + "/".join(filter(None, (claim.get("name"), claim.get("request")))) for claim in claims}
