"""Where a container has the volumes of its pod.

Source: pkg/apis/core/validation/validation.go (ValidateVolumeMounts, ValidateVolumeDevices).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object

_PROPAGATIONS: Final = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE_READ_ONLY: Final = ("Disabled", "Enabled", "IfPossible")


def validate_mounts(container_path: str, container: Object, volumes: dict[str, Object]) -> list[FieldError]:
    path = f"{container_path}.volumeMounts"
    devices = {device.get("name", ""): device.get("devicePath", "") for device in container.get("volumeDevices") or []}
    device_paths = set(devices.values())
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, mount in enumerate(container.get("volumeMounts") or []):
        at, name, place = field.index(path, position), mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            problems.append(field.required(f"{at}.name"))
        if name not in volumes:
            problems.append(field.not_found(f"{at}.name", name))
        if not place:
            problems.append(field.required(f"{at}.mountPath"))
        if place in seen:
            problems.append(field.invalid(f"{at}.mountPath", place, "must be unique"))
        seen.add(place)
        if name in devices:
            problems.append(field.invalid(f"{at}.name", name, "must not already exist in volumeDevices"))
        if place in device_paths:
            detail = "must not already exist as a path in volumeDevices"
            problems.append(field.invalid(f"{at}.mountPath", place, detail))
        problems += _sub_paths(path, at, mount)
        problems += _propagation(path, mount, container)
    return problems


def _sub_paths(path: str, at: str, mount: Object) -> list[FieldError]:
    """Upstream names the list of mounts where a path is bad, not the mount."""
    sub_path, expression = mount.get("subPath", ""), mount.get("subPathExpr", "")
    problems: list[FieldError] = []
    if sub_path:
        problems += checks.relative_path(f"{path}.subPath", sub_path)
    if expression:
        if sub_path:
            detail = "subPathExpr and subPath are mutually exclusive"
            problems.append(field.invalid(f"{at}.subPathExpr", expression, detail))
        problems += checks.relative_path(f"{path}.subPathExpr", expression)
    return problems


def _propagation(path: str, mount: Object, container: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    propagation = mount.get("mountPropagation")
    if propagation is not None:
        problems += checks.one_of(f"{path}.mountPropagation", propagation, _PROPAGATIONS)
        if propagation == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
            detail = "Bidirectional mount propagation is available only to privileged containers"
            problems.append(field.forbidden(f"{path}.mountPropagation", detail))
    recursive, at = mount.get("recursiveReadOnly"), f"{path}.recursiveReadOnly"
    if recursive in ("Enabled", "IfPossible"):
        if not mount.get("readOnly"):
            problems.append(field.forbidden(at, "may only be specified when readOnly is true"))
        if propagation not in (None, "None"):
            detail = "may only be specified when mountPropagation is None or not specified"
            problems.append(field.forbidden(at, detail))
    elif recursive is not None:
        problems += checks.one_of(at, recursive, _RECURSIVE_READ_ONLY)
    return problems


def validate_devices(container_path: str, container: Object, volumes: dict[str, Object]) -> list[FieldError]:
    path = f"{container_path}.volumeDevices"
    mounts = {mount.get("name", ""): mount.get("mountPath", "") for mount in container.get("volumeMounts") or []}
    mount_paths = set(mounts.values())
    problems: list[FieldError] = []
    seen: set[str] = set()
    seen_paths: set[str] = set()
    for position, device in enumerate(container.get("volumeDevices") or []):
        at, name, place = field.index(path, position), device.get("name", ""), device.get("devicePath", "")
        volume = volumes.get(name)
        if not name:
            problems.append(field.required(f"{at}.name"))
        if name in seen:
            problems.append(field.invalid(f"{at}.name", name, "must be unique"))
        if volume is None:
            problems.append(field.not_found(f"{at}.name", name))
        elif "persistentVolumeClaim" not in volume and "ephemeral" not in volume:
            detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            problems.append(field.invalid(f"{at}.name", name, detail))
        if not place:
            problems.append(field.required(f"{at}.devicePath"))
        if place in seen_paths:
            problems.append(field.invalid(f"{at}.devicePath", place, "must be unique"))
        if checks.no_steps_back(at, place):
            problems.append(field.invalid(f"{at}.devicePath", place, "can not contain backsteps ('..')"))
        else:
            seen_paths.add(place)
        if name in mounts:
            problems.append(field.invalid(f"{at}.name", name, "must not already exist in volumeMounts"))
        if place in mount_paths:
            detail = "must not already exist as a path in volumeMounts"
            problems.append(field.invalid(f"{at}.devicePath", place, detail))
        if name:
            seen.add(name)
    return problems
