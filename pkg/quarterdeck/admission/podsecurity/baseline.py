"""What the level baseline forbids. Source: pod-security-admission/policy/check_*.go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from quarterdeck.admission.podsecurity.words import (
    Finding,
    Object,
    containers,
    containers_of,
    context_of,
    has_own_users,
    plural,
    quoted,
    setters,
    those,
    uses,
)
from quarterdeck.apimachinery import gofmt

_APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP: Final = "container.seccomp.security.alpha.kubernetes.io/"
_SECCOMP_DEFAULTS: Final = ("runtime/default", "docker/default")
PROFILES: Final = ("RuntimeDefault", "Localhost")
_CAPABILITIES: Final = frozenset(
    (
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    )
)
_SELINUX_TYPES: Final = ("", "container_t", "container_init_t", "container_kvm_t")
# The minor version that each came with.
_SYSCTLS: Final = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_wmem": 32,
}


def app_armor(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    def is_bad(holder: Object) -> bool:
        profile = context_of(holder).get("appArmorProfile")
        return profile is not None and profile.get("type", "") not in PROFILES

    bad_containers = those(spec, is_bad)
    found = [setters(is_bad(spec), bad_containers)] if is_bad(spec) or bad_containers else []
    holders = [spec, *containers_of(spec)]
    values = sorted({context_of(each)["appArmorProfile"].get("type", "") for each in holders if is_bad(each)})
    noted = sorted(
        f"{key}={gofmt.quote(value)}"
        for key, value in annotations.items()
        if key.startswith(_APP_ARMOR) and value not in ("", "runtime/default") and not value.startswith("localhost/")
    )
    if noted:
        found.append(plural("annotation", len(noted)))
        values += noted
    if not found:
        return None
    detail = f"{' and '.join(found)} must not set AppArmor profile type to {quoted(values)}"
    return Finding(plural("forbidden AppArmor profile", len(values)), detail)


def capabilities(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    bad: dict[str, set[str]] = {}
    for container in containers_of(spec):
        added = set((context_of(container).get("capabilities") or {}).get("add") or ()) - _CAPABILITIES
        if added:
            bad.setdefault(container.get("name", ""), set()).update(added)
    if not bad:
        return None
    names = quoted(sorted(set().union(*bad.values())))
    detail = f"{containers([*bad])} must not include {names} in securityContext.capabilities.add"
    return Finding("non-default capabilities", detail)


def host_namespaces(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    found = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    return Finding("host namespaces", ", ".join(found)) if found else None


def host_path_volumes(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    names = [each.get("name", "") for each in spec.get("volumes") or () if each.get("hostPath") is not None]
    return Finding("hostPath volumes", f"{plural('volume', len(names))} {quoted(names)}") if names else None


def host_ports(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    def ports_of(container: Object) -> list[str]:
        return [str(port["hostPort"]) for port in container.get("ports") or () if port.get("hostPort")]

    names = those(spec, lambda container: bool(ports_of(container)))
    if not names:
        return None
    ports = sorted({port for container in containers_of(spec) for port in ports_of(container)})
    shown = f"{uses(len(names))} {plural('hostPort', len(ports))} {', '.join(ports)}"
    return Finding("hostPort", f"{containers(names)} {shown}")


def host_probes(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    bad: dict[str, set[str]] = {}
    for container in containers_of(spec):
        if found := set(_hosts_of(container)):
            bad.setdefault(container.get("name", ""), set()).update(found)
    if not bad:
        return None
    names, hosts = sorted(bad), sorted(set().union(*bad.values()))
    shown = f"{uses(len(names))} {plural('probe or lifecycle host', len(hosts))} {quoted(hosts)}"
    return Finding("probe or lifecycle host", f"{containers(names)} {shown}")


def _hosts_of(container: Object) -> Iterator[str]:
    handlers: list[Any] = [container.get(name) for name in ("livenessProbe", "readinessProbe", "startupProbe")]
    handlers += [(container.get("lifecycle") or {}).get(name) for name in ("postStart", "preStop")]
    for handler in handlers:
        for kind in ("httpGet", "tcpSocket"):
            if host := ((handler or {}).get(kind) or {}).get("host"):
                yield host


def privileged(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    names = those(spec, lambda container: bool(context_of(container).get("privileged")))
    return Finding("privileged", f"{containers(names)} must not set securityContext.privileged=true") if names else None


def proc_mount(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    return None if minor >= 35 and has_own_users(spec) else any_proc_mount(spec, annotations, minor)


def any_proc_mount(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    def mount_of(container: Object) -> str:
        return str(context_of(container).get("procMount", "Default"))

    names = those(spec, lambda container: mount_of(container) != "Default")
    if not names:
        return None
    kinds = sorted({mount_of(container) for container in containers_of(spec)} - {"Default"})
    return Finding("procMount", f"{containers(names)} must not set securityContext.procMount to {quoted(kinds)}")


def selinux(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    allowed = (*_SELINUX_TYPES, "container_engine_t") if minor >= 31 else _SELINUX_TYPES

    def options_of(holder: Object) -> Object:
        return context_of(holder).get("seLinuxOptions") or {}

    def is_bad(holder: Object) -> bool:
        options = options_of(holder)
        return bool(options.get("type", "") not in allowed or options.get("user") or options.get("role"))

    names = those(spec, is_bad)
    if not is_bad(spec) and not names:
        return None
    holders = [options_of(each) for each in (spec, *containers_of(spec))]
    types = sorted({each.get("type", "") for each in holders} - set(allowed))
    told = [f"{plural('type', len(types))} {quoted(types)}"] if types else []
    told += [f"{name} may not be set" for name in ("user", "role") if any(each.get(name) for each in holders)]
    subject = setters(is_bad(spec), names)
    return Finding("seLinuxOptions", f"{subject} set forbidden securityContext.seLinuxOptions: {'; '.join(told)}")


def profile_of(holder: Object) -> str | None:
    """The kind of a seccomp profile; None where there is none."""
    profile = context_of(holder).get("seccompProfile")
    return None if profile is None else str(profile.get("type", ""))


def explicit_seccomp(spec: Object) -> Finding | None:
    def is_bad(holder: Object) -> bool:
        kind = profile_of(holder)
        return kind is not None and kind not in PROFILES

    names = those(spec, is_bad)
    if not is_bad(spec) and not names:
        return None
    kinds = sorted({str(profile_of(each)) for each in (spec, *containers_of(spec)) if is_bad(each)})
    subject = setters(is_bad(spec), names)
    return Finding("seccompProfile", f"{subject} must not set securityContext.seccompProfile.type to {quoted(kinds)}")


def seccomp(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    if minor >= 19:
        return explicit_seccomp(spec)
    keys = {_SECCOMP_POD, *(f"{_SECCOMP}{each.get('name', '')}" for each in containers_of(spec))}
    noted = sorted(
        f"{key}={gofmt.quote(annotations[key])}"
        for key in keys & set(annotations)
        if annotations[key] not in _SECCOMP_DEFAULTS and not annotations[key].startswith("localhost/")
    )
    if not noted:
        return None
    return Finding("seccompProfile", f"forbidden {plural('annotation', len(noted))} {', '.join(noted)}")


def sysctls(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    found = [each.get("name", "") for each in context_of(spec).get("sysctls") or ()]
    bad = [name for name in found if _SYSCTLS.get(name, minor + 1) > minor]
    return Finding("forbidden sysctls", ", ".join(bad)) if bad else None


def windows_host_process(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    def is_bad(holder: Object) -> bool:
        return bool((context_of(holder).get("windowsOptions") or {}).get("hostProcess"))

    names = those(spec, is_bad)
    if not is_bad(spec) and not names:
        return None
    subject = setters(is_bad(spec), names)
    return Finding("hostProcess", f"{subject} must not set securityContext.windowsOptions.hostProcess=true")
