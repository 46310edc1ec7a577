"""The volumes of a pod. Sources that nothing mounts any more are in oldvolumes.py.

Source: pkg/apis/core/validation/validation.go (ValidateVolumes, validateVolumeSource).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery import field, gofmt, names, quantity
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podvalidation import claims, env, oldvolumes

_MODE_MAX: Final = 0o777
_MODE_TEXT: Final = "must be a number between 0 and 0777 (octal), both inclusive"
_HOST_PATH_TYPES: Final = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_TOKEN_S_MIN: Final = 600
_TOKEN_S_MAX: Final = 2**32
_ISCSI_NAME_CHARS_MAX: Final = 64

_Check = Callable[[str, Object], list[FieldError]]


def validate_volumes(
    path: str, volumes: list[Object], pod_name: str, *, is_pod: bool
) -> tuple[dict[str, Object], list[FieldError]]:
    """(the good volumes by name, what is wrong). `pod_name`: "" of a template."""
    good: dict[str, Object] = {}
    problems: list[FieldError] = []
    created = {f"{pod_name}-{volume.get('name', '')}" for volume in volumes if pod_name and "ephemeral" in volume}
    for position, volume in enumerate(volumes):
        at, name = field.index(path, position), volume.get("name", "")
        found = _validate_source(at, volume, pod_name, is_pod=is_pod)
        found += checks.required_name(f"{at}.name", name, names.dns1123_label)
        if name in good:
            found.append(field.duplicate(f"{at}.name", name))
        if not found:
            good[name] = volume
        problems += found
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
        if claim in created:
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            problems.append(field.invalid(f"{at}.persistentVolumeClaim.claimName", claim, detail))
    return good, problems


def _validate_source(path: str, volume: Object, pod_name: str, *, is_pod: bool) -> list[FieldError]:
    """Just one source."""
    problems: list[FieldError] = []
    is_first = True
    for name, check in _SOURCES.items():
        if (source := volume.get(name)) is None:
            continue
        if not is_first:
            shown = _SHOWN_TWICE.get(name, name)
            problems.append(field.forbidden(f"{path}.{shown}", "may not specify more than 1 volume type"))
            problems += _iscsi_name(f"{path}.name", volume) if name == "iscsi" else []
            continue
        is_first = False
        problems += check(f"{path}.{_SHOWN.get(name, name)}", source)
        if name == "ephemeral":
            problems += _claim_name(f"{path}.name", volume.get("name", ""), pod_name)
        elif name == "image" and is_pod and not source.get("reference"):
            problems.append(field.required(f"{path}.image.reference"))
        elif name == "iscsi":
            problems += _iscsi_name(f"{path}.name", volume)
    return problems if not is_first else [field.required(path, "must specify a volume type")]


def _claim_name(path: str, name: str, pod_name: str) -> list[FieldError]:
    """The name of the claim that is made for the volume."""
    if not pod_name or not name:
        return []
    claim = f"{pod_name}-{name}"
    texts = [f"PVC name {gofmt.quote(claim)}: {text}" for text in names.dns1123_subdomain(claim)]
    return checks.all_of(path, name, texts)


def _iscsi_name(path: str, volume: Object) -> list[FieldError]:
    name, source = volume.get("name", ""), volume["iscsi"]
    shown = f"{name}:{source.get('targetPortal', '')}".encode()
    if source.get("initiatorName") is None or len(shown) <= _ISCSI_NAME_CHARS_MAX:
        return []
    detail = (
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is "
        "specified."
    )
    return [field.invalid(path, name, detail)]


def _empty_dir(path: str, source: Object) -> list[FieldError]:
    if quantity.parse(source.get("sizeLimit") or "0").unscaled >= 0:
        return []
    return [field.forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")]


def validate_host_path(path: str, source: Object) -> list[FieldError]:
    if not source.get("path"):
        return [field.required(f"{path}.path")]
    problems = checks.no_steps_back(f"{path}.path", source["path"])
    if (kind := source.get("type")) is not None:
        problems += checks.one_of(f"{path}.type", kind, _HOST_PATH_TYPES)
    return problems


def mode(path: str, value: int | None) -> list[FieldError]:
    if value is None or 0 <= value <= _MODE_MAX:
        return []
    return [field.invalid(path, value, _MODE_TEXT)]


def _secret(path: str, source: Object) -> list[FieldError]:
    return _files(path, source, "secretName")


def _config_map(path: str, source: Object) -> list[FieldError]:
    return _files(path, source, "name")


def _files(path: str, source: Object, name: str) -> list[FieldError]:
    """Keys of an object as files."""
    problems = [] if source.get(name) else [field.required(f"{path}.{name}")]
    problems += mode(f"{path}.defaultMode", source.get("defaultMode"))
    for position, item in enumerate(source.get("items") or []):
        problems += _key_to_path(field.index(f"{path}.items", position), item)
    return problems


def _key_to_path(path: str, item: Object) -> list[FieldError]:
    problems = [field.required(f"{path}.{name}") for name in ("key", "path") if not item.get(name)]
    problems += checks.plain_relative_path(f"{path}.path", item.get("path", ""))
    return problems + mode(f"{path}.mode", item.get("mode"))


def _persistent_claim(path: str, source: Object) -> list[FieldError]:
    return [] if source.get("claimName") else [field.required(f"{path}.claimName")]


def _downward(path: str, source: Object) -> list[FieldError]:
    problems = mode(f"{path}.defaultMode", source.get("defaultMode"))
    for item in source.get("items") or []:
        problems += _downward_file(path, item)
    return problems


def _downward_file(path: str, item: Object) -> list[FieldError]:
    name = item.get("path", "")
    problems = [] if name else [field.required(f"{path}.path")]
    problems += checks.plain_relative_path(f"{path}.path", name)
    reference, resource = item.get("fieldRef"), item.get("resourceFieldRef")
    if reference is not None:
        problems += env.validate_field_reference(f"{path}.fieldRef", reference, env.VOLUME_FIELDS)
        if resource is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            problems.append(field.invalid(path, "resource", detail))
    elif resource is not None:
        problems += env.validate_resource_reference(f"{path}.resourceFieldRef", resource, in_volume=True)
    else:
        problems.append(field.required(path, "one of fieldRef and resourceFieldRef is required"))
    return problems + mode(f"{path}.mode", item.get("mode"))


def _projected(path: str, source: Object) -> list[FieldError]:
    problems = mode(f"{path}.defaultMode", source.get("defaultMode"))
    paths: set[str] = set()
    for position, projection in enumerate(source.get("sources") or []):
        problems += _projection(path, field.index(f"{path}.sources", position), projection, paths)
    return problems


def _projection(volume_path: str, path: str, projection: Object, paths: set[str]) -> list[FieldError]:
    """`paths`: where the sources before it put files."""

    def place(file: str, shown: str) -> list[FieldError]:
        if file and file in paths:
            return [field.invalid(volume_path, shown, "conflicting duplicate paths")]
        paths.add(file)
        return []

    problems: list[FieldError] = []
    for name in ("secret", "configMap"):
        if (source := projection.get(name)) is not None:
            at = f"{path}.{name}"
            problems += [] if source.get("name") else [field.required(f"{at}.name")]
            for position, item in enumerate(source.get("items") or []):
                problems += _key_to_path(field.index(f"{at}.items", position), item)
                problems += place(item.get("path", ""), source.get("name", ""))
    for item in (projection.get("downwardAPI") or {}).get("items") or []:
        problems += _downward_file(f"{path}.downwardAPI", item)
        problems += place(item.get("path", ""), item.get("path", ""))
    if (token := projection.get("serviceAccountToken")) is not None:
        problems += _token(volume_path, f"{path}.serviceAccountToken", token)
    if sum(source is not None for source in projection.values()) > 1:
        problems.append(field.forbidden(path, "may not specify more than 1 volume type per source"))
    return problems


def _token(volume_path: str, path: str, token: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    seconds = token.get("expirationSeconds", 0)
    if seconds < _TOKEN_S_MIN:
        detail = "may not specify a duration less than 10 minutes"
        problems.append(field.invalid(f"{path}.expirationSeconds", seconds, detail))
    if seconds > _TOKEN_S_MAX:
        detail = "may not specify a duration larger than 2^32 seconds"
        problems.append(field.invalid(f"{path}.expirationSeconds", seconds, detail))
    if not token.get("path"):
        return [*problems, field.required(f"{volume_path}.path")]
    return problems + checks.plain_relative_path(f"{volume_path}.path", token["path"])


def _csi(path: str, source: Object) -> list[FieldError]:
    problems = checks.csi_driver_name(f"{path}.driver", source.get("driver", ""))
    if (reference := source.get("nodePublishSecretRef")) is not None:
        if not reference.get("name"):
            problems.append(field.required(f"{path}.nodePublishSecretRef.name"))
        else:
            problems += checks.name(f"{path}.name", reference["name"], names.dns1123_subdomain)
    return problems


def _ephemeral(path: str, source: Object) -> list[FieldError]:
    if (template := source.get("volumeClaimTemplate")) is None:
        return [field.required(f"{path}.volumeClaimTemplate")]
    return claims.validate_claim_template(f"{path}.volumeClaimTemplate", template)


def _image(path: str, source: Object) -> list[FieldError]:
    return checks.required_one_of(f"{path}.pullPolicy", source.get("pullPolicy", ""), _PULL_POLICIES)


_SOURCES: Final[dict[str, _Check]] = {
    "emptyDir": _empty_dir,
    "hostPath": validate_host_path,
    "gitRepo": oldvolumes.git_repo,
    "gcePersistentDisk": oldvolumes.gce_disk,
    "awsElasticBlockStore": oldvolumes.aws_store,
    "secret": _secret,
    "nfs": oldvolumes.nfs,
    "iscsi": oldvolumes.iscsi,
    "glusterfs": oldvolumes.needs("endpoints", "path"),
    "flocker": oldvolumes.flocker,
    "persistentVolumeClaim": _persistent_claim,
    "rbd": oldvolumes.needs("monitors", "image"),
    "cinder": oldvolumes.cinder,
    "cephfs": oldvolumes.needs("monitors"),
    "quobyte": oldvolumes.quobyte,
    "downwardAPI": _downward,
    "fc": oldvolumes.fibre_channel,
    "flexVolume": oldvolumes.flex,
    "configMap": _config_map,
    "azureFile": oldvolumes.needs("secretName", "shareName"),
    "vsphereVolume": oldvolumes.needs("volumePath"),
    "photonPersistentDisk": oldvolumes.needs("pdID"),
    "portworxVolume": oldvolumes.needs("volumeID"),
    "azureDisk": oldvolumes.azure_disk,
    "storageos": oldvolumes.storage_os,
    "projected": _projected,
    "scaleIO": oldvolumes.needs("gateway", "system", "volumeName"),
    "csi": _csi,
    "ephemeral": _ephemeral,
    "image": _image,
}
# Where upstream's paths differ from the names of the fields.
_SHOWN: Final = {"gcePersistentDisk": "persistentDisk"}
_SHOWN_TWICE: Final = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
