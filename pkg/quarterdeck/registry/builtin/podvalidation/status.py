"""What the status of a pod may become.

Source: pkg/apis/core/validation/validation.go (ValidatePodStatusUpdate).
"""

from __future__ import annotations

import ipaddress
from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.podvalidation import checks, gonames, podannotations
from quarterdeck.registry.builtin.podvalidation.checks import Object

_SYSTEM_CONDITIONS: Final = ("PodScheduled", "Ready", "Initialized")
_HEALTH: Final = ("Healthy", "Unhealthy", "Unknown")


def validate_status_update(new: Object, old: Object) -> list[FieldError]:
    status, before = new.get("status") or {}, old.get("status") or {}
    found = new["metadata"].get("annotations") or {}
    problems = podannotations.validate_update(found, old["metadata"].get("annotations") or {}, "metadata.annotations")
    problems += podannotations.validate(found, new["spec"], "metadata.annotations")
    for position, condition in enumerate(status.get("conditions") or []):
        if (kind := condition.get("type", "")) not in _SYSTEM_CONDITIONS:
            at = f"{field.index('metadata.conditions', position)}.Type"
            problems += checks.named(at, kind, names.qualified_name)
    nominated = status.get("nominatedNodeName", "")
    if nominated and nominated != before.get("nominatedNodeName", ""):
        problems += checks.named("status.nominatedNodeName", nominated, names.dns1123_subdomain)
    if status.get("qosClass", "") != before.get("qosClass", ""):
        problems.append(field.invalid("status.qosClass", status.get("qosClass", ""), "field is immutable"))
    problems += _transitions(status, before, old["spec"])
    problems += _claim_statuses(status.get("resourceClaimStatuses") or [], new["spec"])
    problems += _addresses("status.podIPs", status.get("podIPs") or [], "PodIP")
    problems += _host_addresses(status)
    return problems + _container_statuses(status, new["spec"])


def _transitions(status: Object, before: Object, spec: Object) -> list[FieldError]:
    """A container that has ended for good does not run again."""
    problems: list[FieldError] = []
    policy = spec.get("restartPolicy", "")
    staying = {one.get("name", "") for one in spec.get("initContainers") or [] if one.get("restartPolicy") == "Always"}
    for member in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        rule = "Never" if member.startswith("ephemeral") else policy
        if rule == "Always":
            continue
        running = {
            one.get("name", "")
            for one in status.get(member) or []
            if (one.get("state") or {}).get("terminated") is None
        }
        for position, one in enumerate(before.get(member) or []):
            ended, name = (one.get("state") or {}).get("terminated"), one.get("name", "")
            if ended is None or (ended.get("exitCode", 0) and rule == "OnFailure"):
                continue
            if name in running and not (member.startswith("init") and name in staying):
                at = f"{field.index(f'status.{member}', position)}.state"
                problems.append(field.forbidden(at, "may not be transitioned to non-terminated state"))
    return problems


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
            problems += checks.named(at, claim, names.dns1123_subdomain)
    return problems


def _addresses(path: str, addresses: list[Object], struct: str) -> list[FieldError]:
    """At most one address of each family."""
    texts = [address.get("ip", "") for address in addresses]
    problems: list[FieldError] = []
    for position, text in enumerate(texts):
        problems += checks.ip_address(field.index(path, position), text)
    if len(texts) < 2:
        return problems
    shown = [gonames.to_go(struct, address) for address in addresses]
    if len(texts) > 2 or len({_family(text) for text in texts}) != 2:
        problems.append(field.invalid(path, shown, "may specify no more than one IP for each IP family"))
    seen: set[str] = set()
    for position, text in enumerate(texts):
        if text in seen:
            problems.append(field.duplicate(field.index(path, position), shown[position]))
        seen.add(text)
    return problems


def _family(text: str) -> int:
    try:
        return ipaddress.ip_address(text).version
    except ValueError:
        return 0


def _host_addresses(status: Object) -> list[FieldError]:
    addresses = status.get("hostIPs") or []
    if not addresses:
        return []
    problems: list[FieldError] = []
    first = addresses[0].get("ip", "")
    if status.get("hostIP", "") != first:
        problems.append(field.invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"))
    return problems + _addresses("status.hostIPs", addresses, "HostIP")


def _container_statuses(status: Object, spec: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    is_windows = (spec.get("os") or {}).get("name") == "windows"
    members = (
        ("containerStatuses", "containers"),
        ("initContainerStatuses", "initContainers"),
        ("ephemeralContainerStatuses", ""),
    )
    for member, containers in members:
        by_name = {one.get("name", ""): one for one in spec.get(containers) or []}
        for position, one in enumerate(status.get(member) or []):
            at = field.index(f"status.{member}", position)
            user = (one.get("user") or {}).get("linux")
            if user is not None and is_windows:
                problems.append(field.forbidden(f"{at}.linux", "cannot be set for a windows pod"))
            elif user is not None:
                problems += _user(f"{at}.linux", user)
            allocated = one.get("allocatedResourcesStatus") or []
            if allocated and not containers:
                detail = "must not be specified in container status"
                problems.append(field.forbidden(f"{at}.allocatedResourcesStatus", detail))
            elif allocated:
                problems += _allocated(f"{at}.allocatedResourcesStatus", allocated, by_name.get(one.get("name", "")))
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
            if identity in seen:
                problems.append(field.duplicate(f"{place}.resourceID", identity))
            seen.add(identity)
    return problems


def _asked(container: Object, name: str) -> set[str]:
    """What the container asks for, under the names that a status has for it."""
    resources = container.get("resources") or {}
    if not name.startswith("claim:"):
        return set(resources.get("requests") or {})
    claims = resources.get("claims") or []
    return {"claim:" + "/".join(filter(None, (claim.get("name"), claim.get("request")))) for claim in claims}
