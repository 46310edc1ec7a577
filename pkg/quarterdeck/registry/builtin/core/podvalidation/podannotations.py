"""Annotations of pods that mean something to Kubernetes.

Source: pkg/apis/core/validation/validation.go (ValidatePodSpecificAnnotations and what follows it).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import field, gofmt, strconv
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core import oldannotations
from quarterdeck.registry.builtin.core.podvalidation import scheduling, windows

MIRROR: Final = "kubernetes.io/config.mirror"
_TOLERATIONS: Final = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_LOCALHOST: Final = "localhost/"
_SECCOMP_DEFAULTS: Final = ("runtime/default", "docker/default")
_UNCONFINED: Final = "unconfined"


def validate(
    found: Mapping[str, str], spec: Object, path: str, known: Mapping[str, str] | None = None
) -> list[FieldError]:
    """`known`: the annotations before an update. A cost that is wrong there is let pass in any form."""
    problems: list[FieldError] = []
    if not found:
        return problems
    if MIRROR in found and not spec.get("nodeName"):
        detail = "must set spec.nodeName if mirror pod annotation is set"
        problems.append(field.invalid(field.key(path, MIRROR), found[MIRROR], detail))
    if text := found.get(_TOLERATIONS):
        tolerations, wrong = oldannotations.read_internal(text, path, _TOLERATIONS, "Toleration")
        problems += wrong or scheduling.validate_tolerations(f"{path}.{_TOLERATIONS}", tolerations)
    cost = found.get(_DELETION_COST, "0")
    if not _is_int32(cost) and _is_int32((known or {}).get(_DELETION_COST, "0")):
        problems.append(field.invalid(field.key(path, _DELETION_COST), cost, "must be a 32bit integer"))
    if SECCOMP_POD in found:
        problems += _seccomp(f"{path}.{SECCOMP_POD}", found[SECCOMP_POD])
    for key in longsteps.sort(found):
        if key.startswith(SECCOMP_CONTAINER):
            problems += _seccomp(f"{path}.{key}", found[key])
    return problems + _app_armor(found, spec, path)


def _is_int32(text: str) -> bool:
    """Zeros may stand first behind a minus alone, a plus never (upstream: validFirstDigit)."""
    if text != "0" and text.startswith(("0", "+")):
        return False
    try:
        return -(2**31) <= strconv.parse_int(text) < 2**31
    except strconv.NumError:
        return False


def _seccomp(path: str, profile: str) -> list[FieldError]:
    if profile in _SECCOMP_DEFAULTS or profile == _UNCONFINED:
        return []
    if profile.startswith(_LOCALHOST):
        return checks.relative_path(path, profile.removeprefix(_LOCALHOST))
    return [field.invalid(path, profile, "must be a valid seccomp profile")]


def _app_armor(found: Mapping[str, str], spec: Object, path: str) -> list[FieldError]:
    problems: list[FieldError] = []
    for key in longsteps.sort(found):
        if not key.startswith(APP_ARMOR):
            continue
        at, name, profile = field.key(path, key), key.removeprefix(APP_ARMOR), found[key]
        if all(container.get("name", "") != name for _, container in windows.containers_with_paths("", spec)):
            problems.append(field.invalid(at, name, "container not found"))
        if profile not in ("", "runtime/default", _UNCONFINED) and not profile.startswith(_LOCALHOST):
            detail = f"invalid AppArmor profile name: {gofmt.quote(profile)}"
            problems.append(field.invalid(at, profile, detail))
    return problems


def validate_seccomp_matches(metadata: Object, spec: Object, path: str) -> list[FieldError]:
    """Where an annotation and a field say something, they say the same."""
    found = metadata.get("annotations")
    if not found:
        return []
    holders = [(path, spec, SECCOMP_POD)]
    holders += [
        (at, container, f"{SECCOMP_CONTAINER}{container.get('name', '')}")
        for at, container in windows.containers_with_paths(path, spec)
    ]
    problems: list[FieldError] = []
    for at, holder, key in holders:
        profile = (holder.get("securityContext") or {}).get("seccompProfile")
        if profile is not None and key in found:
            place = f"{at}.securityContext.seccompProfile"
            problems += _matches(found[key], profile, place, "seccomp", _SECCOMP_DEFAULTS)
    return problems


def validate_app_armor_matches(metadata: Object, spec: Object, path: str) -> list[FieldError]:
    found = metadata.get("annotations")
    if not found or (spec.get("os") or {}).get("name") == "windows":
        return []
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    problems: list[FieldError] = []
    for at, container in windows.containers_with_paths(path, spec):
        profile = (container.get("securityContext") or {}).get("appArmorProfile") or of_pod
        key = f"{APP_ARMOR}{container.get('name', '')}"
        if profile is not None and key in found:
            place = f"{at}.securityContext.appArmorProfile"
            problems += _matches(found[key], profile, place, "apparmor", ("runtime/default",))
    return problems


def app_armor_profile(annotation: str) -> Object | None:
    """The field that says the same; None where there is none (upstream: ApparmorFieldForAnnotation)."""
    if annotation == _UNCONFINED:
        return {"type": "Unconfined"}
    if annotation == "runtime/default":
        return {"type": "RuntimeDefault"}
    name = annotation.removeprefix(_LOCALHOST)
    return {"type": "Localhost", "localhostProfile": name} if name and name != annotation else None


def _matches(text: str, profile: Object, path: str, what: str, defaults: tuple[str, ...]) -> list[FieldError]:
    kind = profile.get("type", "")
    fits = {
        "Unconfined": text == _UNCONFINED,
        "RuntimeDefault": text in defaults,
        "Localhost": text.startswith(_LOCALHOST),
    }.get(kind, True)
    if not fits:
        return [field.forbidden(f"{path}.type", f"{what} type in annotation and field must match")]
    if kind == "Localhost" and text.removeprefix(_LOCALHOST) != profile.get("localhostProfile"):
        detail = f"{what} profile in annotation and field must match"
        return [field.forbidden(f"{path}.localhostProfile", detail)]
    return []


def validate_update(new: Mapping[str, str], old: Mapping[str, str], path: str) -> list[FieldError]:
    """Some annotations are set for good when the pod is created."""
    problems: list[FieldError] = []
    for key in longsteps.sort({*new, *old}):
        if new.get(key) == old.get(key):
            continue
        did = "remove or update" if key in old else "add"
        if key.startswith(APP_ARMOR):
            problems.append(field.forbidden(field.key(path, key), f"may not {did} AppArmor annotations"))
        if key == MIRROR:
            problems.append(field.forbidden(field.key(path, key), f"may not {did} mirror pod annotation"))
    return problems
