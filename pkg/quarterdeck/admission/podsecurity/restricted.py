"""What the level restricted forbids beside. Source: pod-security-admission/policy/check_*.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.podsecurity.baseline import PROFILES, explicit_seccomp, profile_of
from quarterdeck.admission.podsecurity.words import (
    Finding,
    Object,
    containers,
    containers_of,
    context_of,
    has_own_users,
    is_windows,
    plural,
    quoted,
    setters,
    those,
    uses,
)

_VOLUMES: Final = (
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
)
_BAD_VOLUMES: Final = (
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
)


def privilege_escalation(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    if minor >= 25 and is_windows(spec):
        return None
    names = those(spec, lambda container: context_of(container).get("allowPrivilegeEscalation") is not False)
    if not names:
        return None
    detail = f"{containers(names)} must set securityContext.allowPrivilegeEscalation=false"
    return Finding("allowPrivilegeEscalation != false", detail)


def capabilities(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    if minor >= 25 and is_windows(spec):
        return None
    keeping: list[str] = []
    adding: list[str] = []
    added: set[str] = set()
    for container in containers_of(spec):
        found = context_of(container).get("capabilities") or {}
        if "ALL" not in (found.get("drop") or ()):
            keeping.append(container.get("name", ""))
        if more := set(found.get("add") or ()) - {"NET_BIND_SERVICE"}:
            adding.append(container.get("name", ""))
            added |= more
    told = [f'{containers(keeping)} must set securityContext.capabilities.drop=["ALL"]'] if keeping else []
    if adding:
        names = quoted(sorted(added))
        told.append(f"{containers(adding)} must not include {names} in securityContext.capabilities.add")
    return Finding("unrestricted capabilities", "; ".join(told)) if told else None


def volumes(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    names: list[str] = []
    kinds: set[str] = set()
    for volume in spec.get("volumes") or ():
        if any(volume.get(kind) is not None for kind in _VOLUMES):
            continue
        names.append(volume.get("name", ""))
        kinds.add(next((kind for kind in _BAD_VOLUMES if volume.get(kind) is not None), "unknown"))
    if not names:
        return None
    shown = f"{uses(len(names))} {plural('restricted volume type', len(kinds))} {quoted(sorted(kinds))}"
    return Finding("restricted volume types", f"{plural('volume', len(names))} {quoted(names)} {shown}")


def run_as_non_root(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    if minor >= 35 and has_own_users(spec):
        return None
    reason, of_pod = "runAsNonRoot != true", context_of(spec).get("runAsNonRoot")
    names = those(spec, lambda container: context_of(container).get("runAsNonRoot") is False)
    if of_pod is False or names:
        subject = setters(of_pod is False, names)
        return Finding(reason, f"{subject} must not set securityContext.runAsNonRoot=false")
    silent = [] if of_pod else those(spec, lambda container: context_of(container).get("runAsNonRoot") is None)
    return (
        Finding(reason, f"pod or {containers(silent)} must set securityContext.runAsNonRoot=true") if silent else None
    )


def run_as_user(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    if minor >= 35 and has_own_users(spec):
        return None
    is_root = context_of(spec).get("runAsUser") == 0
    names = those(spec, lambda container: context_of(container).get("runAsUser") == 0)
    subject = setters(is_root, names)
    return Finding("runAsUser=0", f"{subject} must not set runAsUser=0") if subject else None


def seccomp(spec: Object, annotations: dict[str, str], minor: int) -> Finding | None:
    if minor >= 25 and is_windows(spec):
        return None
    if (found := explicit_seccomp(spec)) is not None:
        return found
    silent = [] if profile_of(spec) in PROFILES else those(spec, lambda container: profile_of(container) is None)
    if not silent:
        return None
    detail = (
        f'pod or {containers(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    )
    return Finding("seccompProfile", detail)
