"""Security contexts of pods and containers.

Source: pkg/apis/core/validation/validation.go (validatePodSpecSecurityContext, ValidateSecurityContext,
validateSysctls, validateSeccompProfileField, ValidateAppArmorProfileField).
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import Final

from quarterdeck.apimachinery import field, gotext
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.capabilities import CAPABILITIES
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podvalidation import gonames, windows

_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_GROUP_CHANGE_POLICIES: Final = ("Always", "OnRootMismatch")
_GROUPS_POLICIES: Final = ("Merge", "Strict")
_SELINUX_POLICIES: Final = ("MountOption", "Recursive")
_PROC_MOUNTS: Final = ("Default", "Unmasked")
_PROFILE_BYTES_MAX: Final = 4095
_SYSCTL_CHARS_MAX: Final = 253
_SYSCTL: Final = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
# Names of sysctls, or their beginnings, by what they belong to.
_NET_SYSCTLS: Final = ("net.",)
_IPC_SYSCTLS: Final = ("kernel.shm", "kernel.msg", "fs.mqueue.")

# Whether what is updated has had a policy of changes by SELinux: of others it may only be Recursive.
had_selinux_policy: ContextVar[bool] = ContextVar("whether the pod had a policy of SELinux", default=False)

_sysctl = re.compile(rf"{_SYSCTL}\Z").match


def validate_pod_security_context(path: str, spec: Object) -> list[FieldError]:
    context = spec.get("securityContext")
    if context is None:
        return []
    problems: list[FieldError] = []
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        problems += checks.user_or_group(f"{path}.{name}", context.get(name))
    for position, group in enumerate(context.get("supplementalGroups") or []):
        problems += checks.user_or_group(field.index(f"{path}.supplementalGroups", position), group)
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        problems.append(field.invalid(f"{path}.shareProcessNamespace", True, detail))
    problems += _sysctls(f"{path}.sysctls", context.get("sysctls") or [], spec)
    if (policy := context.get("fsGroupChangePolicy")) is not None:
        problems += checks.one_of(f"{path}.fsGroupChangePolicy", policy, _GROUP_CHANGE_POLICIES)
    problems += _seccomp(f"{path}.seccompProfile", context.get("seccompProfile"))
    problems += windows.validate_options(f"{path}.windowsOptions", context.get("windowsOptions"))
    problems += validate_app_armor(f"{path}.appArmorProfile", context.get("appArmorProfile"))
    if (policy := context.get("supplementalGroupsPolicy")) is not None:
        problems += checks.one_of(f"{path}.supplementalGroupsPolicy", policy, _GROUPS_POLICIES)
    if (policy := context.get("seLinuxChangePolicy")) is not None:
        allowed = _SELINUX_POLICIES if had_selinux_policy.get() else _SELINUX_POLICIES[1:]
        problems += checks.one_of(f"{path}.seLinuxChangePolicy", policy, allowed)
    return problems


def validate_security_context(path: str, context: Object | None, has_host_users: bool) -> list[FieldError]:
    """Of a container."""
    if context is None:
        return []
    problems: list[FieldError] = []
    if context.get("privileged") and not CAPABILITIES.allows_privileged:
        problems.append(field.forbidden(f"{path}.privileged", "disallowed by cluster policy"))
    for name in ("runAsUser", "runAsGroup"):
        problems += checks.user_or_group(f"{path}.{name}", context.get(name))
    if (mount := context.get("procMount")) is not None:
        problems += checks.one_of(f"{path}.procMount", mount, _PROC_MOUNTS)
        if has_host_users and mount == "Unmasked":
            detail = "`hostUsers` must be false to use `Unmasked`"
            problems.append(field.invalid(f"{path}.procMount", mount, detail))
    problems += _seccomp(f"{path}.seccompProfile", context.get("seccompProfile"))
    if context.get("allowPrivilegeEscalation") is False:
        shown = gonames.show("SecurityContext", context)
        if context.get("privileged"):
            detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
            problems.append(field.invalid(path, shown, detail))
        added = (context.get("capabilities") or {}).get("add") or []
        detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        problems += [field.invalid(path, shown, detail)] * added.count("CAP_SYS_ADMIN")
    problems += windows.validate_options(f"{path}.windowsOptions", context.get("windowsOptions"))
    return problems + validate_app_armor(f"{path}.appArmorProfile", context.get("appArmorProfile"))


def validate_host_users(path: str, spec: Object) -> list[FieldError]:
    """A pod with users of its own cannot share other namespaces with the host."""
    if spec.get("hostUsers") is not False:
        return []
    detail = "when `hostUsers` is false"
    named = (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC"))
    problems = [field.forbidden(f"{path}.{shown}", detail) for name, shown in named if spec.get(name)]
    for at, container in windows.containers_with_paths(path, spec):
        if container.get("volumeDevices"):
            problems.append(field.forbidden(f"{at}.volumeDevices", detail))
    return problems


def _sysctls(path: str, sysctls: list[Object], spec: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, sysctl in enumerate(sysctls):
        at, name = f"{field.index(path, position)}.name", sysctl.get("name", "")
        if not name:
            problems.append(field.required(at))
        elif len(name) > _SYSCTL_CHARS_MAX or not _sysctl(name):
            detail = f"must have at most {_SYSCTL_CHARS_MAX} characters and match regex ^{_SYSCTL}$"
            problems.append(field.invalid(at, name, detail))
        elif name in seen:
            problems.append(field.duplicate(at, name))
        dotted = name if name.find(".") != -1 and not 0 <= name.find("/") < name.find(".") else name.replace("/", ".")
        if spec.get("hostNetwork") and dotted.startswith(_NET_SYSCTLS):
            problems.append(field.invalid(at, name, "may not be specified when 'hostNetwork' is true"))
        elif spec.get("hostIPC") and (dotted.startswith(_IPC_SYSCTLS) or dotted == "kernel.sem"):
            problems.append(field.invalid(at, name, "may not be specified when 'hostIPC' is true"))
        seen.add(name)
    return problems


def _seccomp(path: str, profile: Object | None) -> list[FieldError]:
    if profile is None:
        return []
    kind, file = profile.get("type", ""), profile.get("localhostProfile")
    problems: list[FieldError] = []
    if not kind:
        problems.append(field.required(f"{path}.type", "type is required when seccompProfile is set"))
    else:
        problems += checks.one_of(f"{path}.type", kind, _PROFILES)
    if kind != "Localhost":
        if file is not None:
            shown = gonames.show("SeccompProfile", profile)
            detail = "can only be set when seccomp type is Localhost"
            problems.append(field.invalid(f"{path}.localhostProfile", shown, detail))
    elif file is None:
        detail = "must be set when seccomp type is Localhost"
        problems.append(field.required(f"{path}.localhostProfile", detail))
    else:
        problems += checks.relative_path(f"{path}.localhostProfile", file)
    return problems


def validate_app_armor(path: str, profile: Object | None) -> list[FieldError]:
    if profile is None:
        return []
    kind, name, at = profile.get("type", ""), profile.get("localhostProfile"), f"{path}.localhostProfile"
    if kind == "Localhost":
        if name is None:
            return [field.required(at, "must be set when AppArmor type is Localhost")]
        problems: list[FieldError] = []
        if name != gotext.strip(name):
            problems.append(field.invalid(at, name, "must not be padded with whitespace"))
        elif not name:
            problems.append(field.required(at, "must be set when AppArmor type is Localhost"))
        if len(name.encode()) > _PROFILE_BYTES_MAX:
            problems.append(field.too_long(at, _PROFILE_BYTES_MAX))
        return problems
    if kind in _PROFILES:
        return [] if name is None else [field.invalid(at, name, "can only be set when AppArmor type is Localhost")]
    if not kind:
        return [field.required(f"{path}.type", "type is required when appArmorProfile is set")]
    return [field.not_among(f"{path}.type", kind, list(_PROFILES))]
