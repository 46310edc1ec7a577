"""Tables of volumes and their claims. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from quarterdeck.apimachinery import meta
from quarterdeck.endpoints.table.cells import AGE, NAME, Column, dig, text
from quarterdeck.endpoints.table.columns import Object

_UNSET: Final = "<unset>"
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_MODES: Final = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def _phase(obj: Object) -> str:
    return "Terminating" if meta.deletion_timestamp(obj) else dig(obj, ("status", "phase")) or ""


def _modes(modes: Sequence[str] | None) -> str:
    return ",".join(short for mode, short in _MODES.items() if mode in (modes or ()))


def _claim(obj: Object) -> str:
    claim = dig(obj, ("spec", "claimRef"))
    return "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}"


def _class(obj: Object) -> str:
    annotations: Mapping[str, str] = meta.metadata(obj).get("annotations") or {}
    return annotations[_CLASS] if _CLASS in annotations else dig(obj, ("spec", "storageClassName")) or ""


def _attributes_class(obj: Object) -> object:
    name = dig(obj, ("spec", "volumeAttributesClassName"))
    return _UNSET if name is None else name


def _if_bound(obj: Object, cell: Any) -> Any:
    return cell if dig(obj, ("spec", "volumeName")) else ""


PRINTERS: Final[dict[tuple[str, str], Sequence[Column]]] = {
    ("", "PersistentVolume"): (
        NAME,
        Column(
            "Capacity",
            lambda obj, now_s: dig(obj, ("spec", "capacity", "storage")) or "0",
            "capacity is the description of the persistent volume's resources and capacity. More info:"
            " https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity",
        ),
        Column(
            "Access Modes",
            lambda obj, now_s: _modes(dig(obj, ("spec", "accessModes"))),
            "accessModes contains all ways the volume can be mounted. More info:"
            " https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes",
        ),
        Column(
            "Reclaim Policy",
            text("spec", "persistentVolumeReclaimPolicy"),
            "persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its"
            " claim. Valid options are Retain (default for manually created PersistentVolumes), Delete (default for"
            " dynamically provisioned PersistentVolumes), and Recycle (deprecated). Recycle must be supported by"
            " the volume plugin underlying this PersistentVolume. More info:"
            " https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming",
        ),
        Column(
            "Status",
            lambda obj, now_s: _phase(obj),
            "phase indicates if a volume is available, bound to a claim, or released by a claim. More info:"
            " https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase",
        ),
        Column(
            "Claim",
            lambda obj, now_s: _claim(obj),
            "claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim."
            " Expected to be non-nil when bound. claim.VolumeName is the authoritative bind between PV and PVC."
            " More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding",
        ),
        Column(
            "StorageClass",
            lambda obj, now_s: _class(obj),
            "StorageClass of the pv",
        ),
        Column(
            "VolumeAttributesClass",
            lambda obj, now_s: _attributes_class(obj),
            "VolumeAttributesClass of the pv",
        ),
        Column(
            "Reason",
            text("status", "reason"),
            "reason is a brief CamelCase string that describes any failure and is meant for machine parsing and"
            " tidy display in the CLI.",
        ),
        AGE,
        Column(
            "VolumeMode",
            lambda obj, now_s: text("spec", "volumeMode")(obj, now_s) or _UNSET,
            "volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw"
            " block state. Value of Filesystem is implied when not included in spec.",
            priority=1,
        ),
    ),
    ("", "PersistentVolumeClaim"): (
        NAME,
        Column(
            "Status",
            lambda obj, now_s: _phase(obj),
            "phase represents the current phase of PersistentVolumeClaim.",
        ),
        Column(
            "Volume",
            text("spec", "volumeName"),
            "volumeName is the binding reference to the PersistentVolume backing this claim.",
        ),
        Column(
            "Capacity",
            lambda obj, now_s: _if_bound(obj, dig(obj, ("status", "capacity", "storage")) or "0"),
            "capacity represents the actual resources of the underlying volume.",
        ),
        Column(
            "Access Modes",
            lambda obj, now_s: _if_bound(obj, _modes(dig(obj, ("status", "accessModes")))),
            "accessModes contains the actual access modes the volume backing the PVC has. More info:"
            " https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1",
        ),
        Column(
            "StorageClass",
            lambda obj, now_s: _class(obj),
            "StorageClass of the pvc",
        ),
        Column(
            "VolumeAttributesClass",
            lambda obj, now_s: _attributes_class(obj),
            "VolumeAttributesClass of the pvc",
        ),
        AGE,
        Column(
            "VolumeMode",
            lambda obj, now_s: text("spec", "volumeMode")(obj, now_s) or _UNSET,
            "volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when"
            " not included in claim spec.",
            priority=1,
        ),
    ),
}
