"""Pods of an operating system: what only Windows has, and what it lacks.

Source: pkg/apis/core/validation/validation.go (validateWindowsSecurityContextOptions, validateWindowsHostProcessPod,
validateOS, validateLinux, validateWindows).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.podreferences import CONTAINERS
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.capabilities import CAPABILITIES
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podspec import containers_of

_SYSTEMS: Final = ("linux", "windows")
_SPEC_KIB_MAX: Final = 64
_DOMAIN_BYTES_MAX: Final = 256
_USER_BYTES_MAX: Final = 104
_NOT_WINDOWS: Final = "cannot be set for a windows pod"
# What a Windows pod's context cannot have; upstream's order. The names without a dot stand in the spec.
_POD_MEMBERS: Final = (
    "securityContext.appArmorProfile",
    "securityContext.seLinuxOptions",
    "hostUsers",
    "hostPID",
    "hostIPC",
    "securityContext.seccompProfile",
    "securityContext.fsGroup",
    "securityContext.fsGroupChangePolicy",
    "securityContext.sysctls",
    "shareProcessNamespace",
    "securityContext.runAsUser",
    "securityContext.runAsGroup",
    "securityContext.supplementalGroups",
    "securityContext.supplementalGroupsPolicy",
    "securityContext.seLinuxChangePolicy",
)
_CONTAINER_MEMBERS: Final = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)

_control = re.compile(r"[\x00-\x1f\x7f]").search
_net_bios = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}\Z').match
_dns_label = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_dns_domain = re.compile(rf"{_dns_label}(?:\.{_dns_label})*\Z").match
_bad_in_user = re.compile(r'["/\\:;|=,+*?<>@\[\]]').search
_only_dots = re.compile(r"[. ]+\Z").match


def containers_with_paths(path: str, spec: Object) -> Iterator[tuple[str, Object]]:
    """All containers of a pod in upstream's order (VisitContainersWithPath)."""
    for member in CONTAINERS:
        for position, container in enumerate(spec.get(member) or []):
            yield field.index(f"{path}.{member}", position), container


def validate_options(path: str, options: Object | None) -> list[FieldError]:
    """windowsOptions of a pod or a container."""
    if options is None:
        return []
    problems: list[FieldError] = []
    if (name := options.get("gmsaCredentialSpecName")) is not None:
        problems += checks.all_of(f"{path}.gmsaCredentialSpecName", field.named(name), names.dns1123_subdomain(name))
    if (spec := options.get("gmsaCredentialSpec")) is not None:
        at = f"{path}.gmsaCredentialSpec"
        if not spec:
            problems.append(field.invalid(at, spec, "gmsaCredentialSpec cannot be an empty string"))
        elif len(spec.encode()) > _SPEC_KIB_MAX * 1024:
            problems.append(
                field.invalid(at, field.named(spec), f"gmsaCredentialSpec size must be under {_SPEC_KIB_MAX} KiB")
            )
    if (user := options.get("runAsUserName")) is not None:
        problems += checks.all_of(f"{path}.runAsUserName", field.named(user), _user_name(user))
    return problems


def _user_name(text: str) -> list[str]:
    if not text:
        return ["runAsUserName cannot be an empty string"]
    if _control(text):
        return ["runAsUserName cannot contain control characters"]
    parts = text.split("\\")
    if len(parts) > 2:
        return ["runAsUserName cannot contain more than one backslash"]
    domain, user = parts if len(parts) == 2 else ("", parts[0])
    texts = []
    if len(domain.encode()) >= _DOMAIN_BYTES_MAX:
        texts.append(f"runAsUserName's Domain length must be under {_DOMAIN_BYTES_MAX} characters")
    if len(parts) == 2 and not _net_bios(domain) and not _dns_domain(domain):
        texts.append("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
    if not user:
        texts.append("runAsUserName's User cannot be empty")
    elif len(user.encode()) > _USER_BYTES_MAX:
        texts.append(f"runAsUserName's User length must not be longer than {_USER_BYTES_MAX} characters")
    if _only_dots(user):
        texts.append("runAsUserName's User cannot contain only periods or spaces")
    if _bad_in_user(user):
        texts.append("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]")
    return texts


def _host_process(holder: Object) -> bool | None:
    context = holder.get("securityContext")
    if not context or not (options := context.get("windowsOptions")):
        return None
    found: bool | None = options.get("hostProcess")
    return found


def validate_host_process(path: str, spec: Object) -> list[FieldError]:
    """Processes of the host are all of a pod's containers or none."""
    of_pod = _host_process(spec)
    if of_pod is None and not any(_host_process(container) for container in containers_of(spec)):
        return []
    problems: list[FieldError] = []
    count = total = 0
    for at, container in containers_with_paths(path, spec):
        total += 1
        own = _host_process(container)
        if of_pod is not None and own is not None and of_pod != own:
            detail = f"pod hostProcess value must be identical if both are specified, was {str(of_pod).lower()}"
            problems.append(field.invalid(f"{at}.securityContext.windowsOptions.hostProcess", own, detail))
        count += bool(own if own is not None else of_pod)
    if not count:
        return problems
    if count != total:
        detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        problems.append(field.invalid(path, "", detail))
    if not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        problems.append(field.invalid(f"{path}.hostNetwork", False, detail))
    if not CAPABILITIES.allows_privileged:
        problems.append(field.forbidden(path, "hostProcess containers are disallowed by cluster policy"))
    return problems


def validate_system(path: str, spec: Object) -> list[FieldError]:
    """spec.os and what depends on it."""
    if (system := spec.get("os")) is None:
        return []
    name = system.get("name", "")
    if not name:
        return [field.required(f"{path}.os.name")]
    if name not in _SYSTEMS:
        return [field.not_among(f"{path}.os", name, list(_SYSTEMS))]
    return _linux(path, spec) if name == "linux" else _windows(path, spec)


def _linux(path: str, spec: Object) -> list[FieldError]:
    detail = "windows options cannot be set for a linux pod"
    holders = [(path, spec), *containers_with_paths(path, spec)]
    return [
        field.forbidden(f"{at}.securityContext.windowsOptions", detail)
        for at, holder in holders
        if (holder.get("securityContext") or {}).get("windowsOptions") is not None
    ]


def _windows(path: str, spec: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    of_pod = spec.get("securityContext") or {}
    for member in _POD_MEMBERS:
        where, _, name = member.rpartition(".")
        value = (of_pod if where else spec).get(name)
        # hostPID and hostIPC are no pointers: false is nothing. Of sysctls their number counts.
        is_nothing = (value == [] and name == "sysctls") or (value is False and name in ("hostPID", "hostIPC"))
        if value is not None and not is_nothing:
            problems.append(field.forbidden(f"{path}.{member}", _NOT_WINDOWS))
    for at, container in containers_with_paths(path, spec):
        context = container.get("securityContext") or {}
        problems += [
            field.forbidden(f"{at}.securityContext.{name}", _NOT_WINDOWS)
            for name in _CONTAINER_MEMBERS
            if context.get(name) is not None
        ]
    return problems
