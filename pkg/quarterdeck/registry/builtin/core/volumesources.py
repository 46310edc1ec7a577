"""Where the data of a persistent volume is. Sources that a pod's volume can have too are checked as there.

Source: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec and what it calls).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podvalidation import oldvolumes
from quarterdeck.registry.builtin.core.podvalidation.volumes import validate_host_path

_CSI_SECRETS: Final = (
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
)
_SECOND: Final = "may not specify more than 1 volume type"

_Check = Callable[[str, Object], list[FieldError]]


def validate_sources(path: str, spec: Object, volume_name: str, *, has_affinity: bool) -> list[FieldError]:
    """Just one source. `path`: of the spec."""
    problems: list[FieldError] = []
    is_first = True
    for name, check in _SOURCES.items():
        if (source := spec.get(name)) is None:
            continue
        if is_first or name == "flexVolume":  # which upstream lets stand beside others
            is_first = False
            at = f"{path}.{_SHOWN.get(name, name)}"
            problems += oldvolumes.iscsi(at, source, volume_name) if name == "iscsi" else check(at, source)
            if name == "local" and not has_affinity:
                problems.append(field.required(f"{path}.nodeAffinity", "Local volume requires node affinity"))
        else:
            problems.append(field.forbidden(f"{path}.{_SHOWN_TWICE.get(name, name)}", _SECOND))
    return [field.required(path, "must specify a volume type")] if is_first else problems


def _glusterfs(path: str, source: Object) -> list[FieldError]:
    problems = oldvolumes.needs("endpoints", "path")(path, source)
    namespace, at = source.get("endpointsNamespace"), f"{path}.endpointsNamespace"
    if namespace == "":
        detail = "if the endpointnamespace is set, it must be a valid namespace name"
        problems.append(field.invalid(at, "", detail))
    elif namespace is not None:
        problems += checks.name(at, namespace, names.dns1123_label)
    return problems


def _secret(path: str, source: Object, *members: str) -> list[FieldError]:
    reference = source.get("secretRef")
    return [] if reference is None else oldvolumes.needs(*members)(f"{path}.secretRef", reference)


def _cinder(path: str, source: Object) -> list[FieldError]:
    return oldvolumes.needs("volumeID")(path, source) + _secret(path, source, "name", "namespace")


def _azure_file(path: str, source: Object) -> list[FieldError]:
    problems = oldvolumes.needs("secretName", "shareName")(path, source)
    if source.get("secretNamespace") == "":
        problems.append(field.required(f"{path}.secretNamespace"))
    return problems


def _local(path: str, source: Object) -> list[FieldError]:
    if not source.get("path"):
        return [field.required(f"{path}.path")]
    return checks.no_steps_back(f"{path}.path", source["path"])


def _storage_os(path: str, source: Object) -> list[FieldError]:
    problems = checks.required_name(f"{path}.volumeName", source.get("volumeName", ""), names.dns1123_label)
    if namespace := source.get("volumeNamespace"):
        problems += checks.name(f"{path}.volumeNamespace", namespace, names.dns1123_label)
    return problems + _secret(path, source, "name", "namespace")


def _csi(path: str, source: Object) -> list[FieldError]:
    problems = checks.csi_driver_name(f"{path}.driver", source.get("driver", ""))
    problems += oldvolumes.needs("volumeHandle")(path, source)
    for name in _CSI_SECRETS:
        if (reference := source.get(name)) is not None:
            at, namespace = f"{path}.{name}", reference.get("namespace", "")
            problems += checks.required_name(f"{at}.name", reference.get("name", ""), names.dns1123_subdomain)
            problems += checks.required_name(f"{at}.namespace", namespace, names.dns1123_label)
    return problems


_SOURCES: Final[dict[str, _Check]] = {
    "hostPath": validate_host_path,
    "gcePersistentDisk": oldvolumes.gce_disk,
    "awsElasticBlockStore": oldvolumes.aws_store,
    "glusterfs": _glusterfs,
    "flocker": oldvolumes.flocker,
    "nfs": oldvolumes.nfs,
    "rbd": oldvolumes.needs("monitors", "image"),
    "quobyte": oldvolumes.quobyte,
    "cephfs": oldvolumes.needs("monitors"),
    "iscsi": oldvolumes.iscsi,
    "cinder": _cinder,
    "fc": oldvolumes.fibre_channel,
    "flexVolume": oldvolumes.flex,
    "azureFile": _azure_file,
    "vsphereVolume": oldvolumes.needs("volumePath"),
    "photonPersistentDisk": oldvolumes.needs("pdID"),
    "portworxVolume": oldvolumes.needs("volumeID"),
    "azureDisk": oldvolumes.azure_disk,
    "scaleIO": oldvolumes.needs("gateway", "system", "volumeName"),
    "local": _local,
    "storageos": _storage_os,
    "csi": _csi,
}
# Where upstream's paths differ from the names of the fields.
_SHOWN: Final = {"gcePersistentDisk": "persistentDisk"}
_SHOWN_TWICE: Final = {"cephfs": "cephFS"}
