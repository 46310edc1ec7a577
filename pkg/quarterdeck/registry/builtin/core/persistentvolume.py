"""Persistent volumes as data: nobody binds or reclaims them.

Source: pkg/registry/core/persistentvolume/strategy.go, pkg/apis/core/v1/defaults.go,
pkg/apis/core/validation/validation.go (ValidatePersistentVolume*), pkg/api/persistentvolume/util.go,
pkg/volume/validation/pv_validation.go.
"""

from __future__ import annotations

import posixpath
from typing import Final

from quarterdeck.apimachinery import clock, field, names, sentamounts
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.core import volumesources
from quarterdeck.registry.builtin.core.podspec import default_old_sources, round_up
from quarterdeck.registry.builtin.core.podvalidation import scheduling, warnings
from quarterdeck.registry.builtin.core.volumeupdate import validate_volume_update
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES: Final = ("Block", "Filesystem")
CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
TIMES: Final = SentTimes("status.lastPhaseTransitionTime")

_BEGIN: Final = "lastPhaseTransitionTime"
_RECLAIM_POLICIES: Final = ("Delete", "Recycle", "Retain")
_MOUNT_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"
_INLINE: Final = "in the context of inline volumes"
_MOUNTED_WITH_OPTIONS: Final = (
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
)
_GONE: Final = {
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}


def default_volume(obj: Object) -> None:
    obj["status"].setdefault("phase", "Pending")
    default_volume_spec(obj["spec"])


def default_volume_spec(spec: Object) -> None:
    """Of a volume, or of one that an attachment describes."""
    round_up(spec.get("capacity"))
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")
    default_old_sources(spec)


class PersistentVolumeStrategy(BuiltinStrategy):
    validates_metadata_again = True
    validates_changed_metadata = False

    def default_new(self, obj: Object) -> None:
        obj["status"] = {"phase": "Pending", _BEGIN: clock.now()}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(obj, checks_values=True) + _validate_mount_options(obj)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        required = (old["spec"].get("nodeAffinity") or {}).get("required")
        known_good = required is None or not scheduling.validate_node_selector("", required, checks_values=True)
        as_new = _validate_spec(new, checks_values=known_good)
        metadata = self._validate_metadata(new["metadata"])
        # Upstream's validation of the update begins with that of a new volume, which has been made by then.
        again = [*as_new, *_validate_mount_options(new), *metadata, *as_new]
        return again + validate_volume_update(new["spec"], old["spec"])

    def validate(self, obj: Object, warnings_: list[str]) -> list[FieldError]:
        problems = super().validate(obj, warnings_)
        if not problems:
            warnings_ += _warnings_of(obj)
        return problems

    def validate_update(self, new: Object, old: Object, warnings_: list[str]) -> list[FieldError]:
        problems = super().validate_update(new, old, warnings_)
        if not problems:
            warnings_ += _warnings_of(new)
        return problems


class PersistentVolumeStatusStrategy(BuiltinStrategy):
    def keep(self, new: Object, old: Object) -> None:
        """A new phase begins now, unless the client says when; an old one began when it did."""
        new["spec"] = old["spec"]
        status, before = new["status"], old["status"]
        # Go's zero time is shown as null, and is a time that the client says.
        is_said, was_known = _BEGIN in status, _BEGIN in before
        if status.get("phase") != before.get("phase"):
            # Of two times that a client and the store tell, a part of a second is the client's alone.
            is_old = was_known and status.get(_BEGIN) == before[_BEGIN] and not TIMES.have_fraction(f"status.{_BEGIN}")
            if not is_said or is_old:
                status[_BEGIN] = clock.now()
        elif not is_said and was_known:
            status[_BEGIN] = before[_BEGIN]

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return []


def _validate_spec(obj: Object, *, checks_values: bool) -> list[FieldError]:
    return validate_volume_spec("spec", obj["spec"], obj["metadata"].get("name", ""), checks_values=checks_values)


def _validate_mount_options(obj: Object) -> list[FieldError]:
    annotations = obj["metadata"].get("annotations") or {}
    if _MOUNT_OPTIONS not in annotations or any(obj["spec"].get(each) is not None for each in _MOUNTED_WITH_OPTIONS):
        return []
    detail = "may not specify mount options for this volume type"
    return [field.forbidden(f"metadata.annotations.{_MOUNT_OPTIONS}", detail)]


def validate_access_modes(path: str, modes: list[str]) -> list[FieldError]:
    problems = [] if modes else [field.required(path)]
    for mode in modes:
        problems += checks.one_of(path, mode, ACCESS_MODES)
    if "ReadWriteOncePod" in modes and any(mode in ACCESS_MODES[:3] for mode in modes):
        problems.append(field.forbidden(path, "may not use ReadWriteOncePod with other access modes"))
    return problems


def validate_volume_spec(
    path: str, spec: Object, name: str, *, is_inline: bool = False, checks_values: bool = True
) -> list[FieldError]:
    """`is_inline`: the spec stands in an attachment. `checks_values`: whether values in nodeAffinity are labels."""
    problems = _inline(path, spec) if is_inline else []
    problems += validate_access_modes(f"{path}.accessModes", spec.get("accessModes") or [])
    affinity = spec.get("nodeAffinity")
    if not is_inline:
        problems += _capacity(f"{path}.capacity", written.restore(spec, "spec").get("capacity"))
    problems += _reclaim_policy(f"{path}.persistentVolumeReclaimPolicy", spec, is_inline=is_inline)
    if affinity is not None:
        problems += (
            [_not_inline(path, "nodeAffinity")]
            if is_inline
            else _affinity(f"{path}.nodeAffinity", affinity, checks_values=checks_values)
        )
    has_affinity = affinity is not None and not is_inline
    problems += volumesources.validate_sources(path, spec, name, has_affinity=has_affinity)
    host_path = (spec.get("hostPath") or {}).get("path", "")
    is_recycled = spec.get("persistentVolumeReclaimPolicy") == "Recycle"
    if is_recycled and "/" in host_path and posixpath.normpath(host_path) in "//":
        detail = "may not be 'recycle' for a hostPath mount of '/'"
        problems.append(field.forbidden(f"{path}.persistentVolumeReclaimPolicy", detail))
    problems += _class_and_mode(path, spec, is_inline=is_inline)
    return problems if is_inline else problems + _attributes_class(path, spec)


def _inline(path: str, spec: Object) -> list[FieldError]:
    """What an attachment may not say of a volume, or has to."""
    problems = [_not_inline(path, "claimRef")] if spec.get("claimRef") is not None else []
    if spec.get("capacity"):
        problems.append(_not_inline(path, "capacity"))
    if spec.get("csi") is None:
        problems.append(field.required(f"{path}.csi", f"has to be specified {_INLINE}"))
    return problems


def _not_inline(path: str, member: str) -> FieldError:
    return field.forbidden(f"{path}.{member}", f"may not be specified {_INLINE}")


def _reclaim_policy(path: str, spec: Object, *, is_inline: bool) -> list[FieldError]:
    policy = spec.get("persistentVolumeReclaimPolicy", "")
    if not policy:
        return []
    if is_inline:
        return [] if policy == "Retain" else [field.forbidden(path, f"may only be Retain {_INLINE}")]
    return checks.one_of(path, policy, _RECLAIM_POLICIES)


def _capacity(path: str, capacity: dict[str, str] | None) -> list[FieldError]:
    problems = [] if capacity else [field.required(path)]
    if not capacity or "storage" not in capacity or len(capacity) > 1:
        problems.append(field.not_supported(path, capacity, ["storage"]))
    for name, text in sorted((capacity or {}).items()):
        amount, at = sentamounts.parse(text), field.key(path, name)
        problems += validate_basic_amount(at, text)
        if amount.unscaled <= 0:
            problems.append(field.invalid(at, str(amount), checks.NOT_POSITIVE))
    return problems


def validate_basic_amount(path: str, amount: str) -> list[FieldError]:
    whole = sentamounts.parse(amount).whole()
    return [field.invalid(path, whole, "must be a valid resource quantity")] if whole < 0 else []


def _affinity(path: str, affinity: Object, *, checks_values: bool) -> list[FieldError]:
    if (required := affinity.get("required")) is None:
        return [field.required(f"{path}.required", "must specify required node constraints")]
    return scheduling.validate_node_selector(f"{path}.required", required, checks_values=checks_values)


def _class_and_mode(path: str, spec: Object, *, is_inline: bool) -> list[FieldError]:
    name, mode = spec.get("storageClassName"), spec.get("volumeMode")
    problems: list[FieldError] = []
    if name:
        at = f"{path}.storageClassName"
        problems += [_not_inline(path, "storageClassName")] if is_inline else _subdomain(at, name)
    if mode is None:
        return problems
    if not is_inline:
        return problems + checks.one_of(f"{path}.volumeMode", mode, VOLUME_MODES)
    if mode != "Filesystem":
        detail = f"may not specify volumeMode other than Filesystem {_INLINE}"
        problems.append(field.forbidden(f"{path}.volumeMode", detail))
    return problems


def _attributes_class(path: str, spec: Object) -> list[FieldError]:
    name, at = spec.get("volumeAttributesClassName"), f"{path}.volumeAttributesClassName"
    if name is None:
        return []
    problems = _subdomain(at, name) if name else [field.required(at, "an empty string is disallowed")]
    if spec.get("csi") is None:
        problems.append(field.required(f"{path}.csi", "has to be specified when using volumeAttributesClassName"))
    return problems


def _subdomain(path: str, name: str) -> list[FieldError]:
    return checks.name(path, name, names.dns1123_subdomain)


def _warnings_of(obj: Object) -> list[str]:
    spec, annotations = obj["spec"], obj["metadata"].get("annotations") or {}
    found: list[str] = []
    for key, text in (
        (CLASS_ANNOTATION, 'deprecated since v1.8; use "storageClassName" attribute instead'),
        (_MOUNT_OPTIONS, 'deprecated since v1.31; use "mountOptions" attribute instead'),
    ):
        if key in annotations:
            found.append(f"{field.key('metadata.annotations', key)}: {text}")
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        found.append(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
            "approach is to use dynamic provisioning."
        )
    required = (spec.get("nodeAffinity") or {}).get("required") or {}
    for position, term in enumerate(required.get("nodeSelectorTerms") or []):
        found += warnings.of_node_term(field.index("spec.nodeAffinity.required.nodeSelectorTerms", position), term)
    for name, text in _GONE.items():
        if spec.get(name) is not None:
            found.append(f"spec.{'storageOS' if name == 'storageos' else name}: {text}")
    return found
