"""Sources of volumes that are served by plugins of the early days.

Source: pkg/apis/core/validation/validation.go (validateVolumeSource and what it calls).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery import field, gotext, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object

_PART_MAX: Final = 255
_PARTITION_TEXT: Final = "must be between 1 and 255, inclusive"
_TENANT_CHARS_MAX: Final = 64
_PORTAL_BYTES_MAX: Final = 64  # with the name of the volume
_BAD_INITIATOR: Final = "must be valid format"
_UNKNOWN_INITIATOR: Final = "must be valid format starting with iqn, eui, or naa"
_CACHING_MODES: Final = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS: Final = ("Dedicated", "Managed", "Shared")
_MANAGED_URI: Final = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_URI: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"

# As Go's net.SplitHostPort: brackets keep the colons of an IPv6 address together.
_host_and_port = re.compile(r"(?:[^:\[\]]*|\[[^\[\]]*\]):[^:\[\]]*\Z").match
_initiators: Final = {
    "iqn": re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\t\n\f\r ]+)\Z").search,
    "eui": re.compile(r"eui.[a-zA-Z0-9]{16}\Z").match,
    "naa": re.compile(r"naa.[a-zA-Z0-9]{32}\Z").match,
}


def needs(*members: str) -> Callable[[str, Object], list[FieldError]]:
    """A source that needs nothing but these members."""

    def check(path: str, source: Object) -> list[FieldError]:
        return [field.required(f"{path}.{name}") for name in members if not source.get(name)]

    return check


def git_repo(path: str, source: Object) -> list[FieldError]:
    problems = needs("repository")(path, source)
    return problems + checks.relative_path(f"{path}.directory", source.get("directory", ""))


def _disk(path: str, source: Object, name: str) -> list[FieldError]:
    problems = needs(name)(path, source)
    partition = source.get("partition", 0)
    if not 0 <= partition <= _PART_MAX:
        problems.append(field.invalid(f"{path}.partition", partition, _PARTITION_TEXT))
    return problems


def gce_disk(path: str, source: Object) -> list[FieldError]:
    return _disk(path, source, "pdName")


def aws_store(path: str, source: Object) -> list[FieldError]:
    return _disk(path, source, "volumeID")


def nfs(path: str, source: Object) -> list[FieldError]:
    problems = needs("server", "path")(path, source)
    if not source.get("path", "").startswith("/"):
        problems.append(field.invalid(f"{path}.path", source.get("path", ""), "must be an absolute path"))
    return problems


def iscsi(path: str, source: Object, volume: str | None = None) -> list[FieldError]:
    """`volume`: the name of a persistent one, of which upstream says what is wrong with a name in fewer words."""
    unknown, secret = _UNKNOWN_INITIATOR if volume is None else _BAD_INITIATOR, source.get("secretRef")
    problems = needs("targetPortal")(path, source)
    if volume is not None and source.get("initiatorName") is not None:
        problems += _portal_length(path, source.get("targetPortal", ""), volume)
    problems += needs("iqn")(path, source)
    if source.get("iqn"):
        problems += _initiator(f"{path}.iqn", source["iqn"], unknown)
    problems += checks.in_range(f"{path}.lun", source.get("lun", 0), 0, _PART_MAX)
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and secret is None:
        problems.append(field.required(f"{path}.secretRef"))
    if volume is not None and secret is not None:
        problems += needs("name")(f"{path}.secretRef", secret)
    if (name := source.get("initiatorName")) is not None:
        problems += _initiator(f"{path}.initiatorname", name, unknown)
    return problems


def _portal_length(path: str, portal: str, volume: str) -> list[FieldError]:
    if len(f"{volume}:{portal}".encode()) <= _PORTAL_BYTES_MAX:
        return []
    detail = (
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is "
        "specified."
    )
    return [field.invalid(f"{path}.targetportal", portal, detail)]


def _initiator(path: str, name: str, unknown: str) -> list[FieldError]:
    matches = _initiators.get(name[:3])
    if matches is None:
        return [field.invalid(path, name, unknown)]
    return [] if matches(name) else [field.invalid(path, name, _BAD_INITIATOR)]


def flocker(path: str, source: Object) -> list[FieldError]:
    name, uuid = source.get("datasetName", ""), source.get("datasetUUID", "")
    problems: list[FieldError] = []
    if not name and not uuid:
        problems.append(field.required(path, "one of datasetName and datasetUUID is required"))
    if name and uuid:
        detail = "datasetName and datasetUUID can not be specified simultaneously"
        problems.append(field.invalid(path, "resource", detail))
    if "/" in name:
        problems.append(field.invalid(f"{path}.datasetName", name, "must not contain '/'"))
    return problems


def _secret_name(path: str, source: Object) -> list[FieldError]:
    reference = source.get("secretRef")
    return [field.required(f"{path}.secretRef.name")] if reference is not None and not reference.get("name") else []


def cinder(path: str, source: Object) -> list[FieldError]:
    return needs("volumeID")(path, source) + _secret_name(path, source)


def quobyte(path: str, source: Object) -> list[FieldError]:
    registry = source.get("registry", "")
    text = "must be a host:port pair or multiple pairs separated by commas"
    problems: list[FieldError] = []
    if not registry:
        problems.append(field.required(f"{path}.registry", text))
    elif len(source.get("tenant", "").encode()) > _TENANT_CHARS_MAX:
        detail = "must be a UUID and may not exceed a length of 64 characters"
        problems.append(field.required(f"{path}.tenant", detail))
    else:
        wrong = [pair for pair in registry.split(",") if not _host_and_port(pair)]
        problems += [field.invalid(f"{path}.registry", registry, text) for _ in wrong]
    return problems + needs("volume")(path, source)


def fibre_channel(path: str, source: Object) -> list[FieldError]:
    targets, ids, lun = source.get("targetWWNs") or [], source.get("wwids") or [], source.get("lun")
    problems: list[FieldError] = []
    if not targets and not ids:
        detail = "must specify either targetWWNs or wwids, but not both"
        problems.append(field.required(f"{path}.targetWWNs", detail))
    if targets and ids:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        problems.append(field.invalid(f"{path}.targetWWNs", targets, detail))
    if targets and lun is None:
        problems.append(field.required(f"{path}.lun", "lun is required if targetWWNs is specified"))
    elif targets and lun is not None:
        problems += checks.in_range(f"{path}.lun", lun, 0, _PART_MAX)
    return problems


def flex(path: str, source: Object) -> list[FieldError]:
    problems = needs("driver")(path, source)
    for key in sorted(source.get("options") or {}):
        namespace = f".{gotext.lower(key.partition('/')[0])}"
        if namespace.endswith((".kubernetes.io", ".k8s.io")):
            detail = "kubernetes.io and k8s.io namespaces are reserved"
            problems.append(field.invalid(field.key(f"{path}.options", key), key, detail))
    return problems


def azure_disk(path: str, source: Object) -> list[FieldError]:
    problems = needs("diskName", "diskURI")(path, source)
    caching, kind, uri = source.get("cachingMode"), source.get("kind"), source.get("diskURI", "")
    if caching is not None:
        problems += checks.one_of(f"{path}.cachingMode", caching, _CACHING_MODES)
    if kind is not None:
        problems += checks.one_of(f"{path}.kind", kind, _DISK_KINDS)
        begin, form = ("/subscriptions/", _MANAGED_URI) if kind == "Managed" else ("https://", _BLOB_URI)
        if not uri.startswith(begin):
            problems.append(field.not_supported(f"{path}.diskURI", uri, [form]))
    return problems


def storage_os(path: str, source: Object) -> list[FieldError]:
    problems = checks.required_name(f"{path}.volumeName", source.get("volumeName", ""), names.dns1123_label)
    if namespace := source.get("volumeNamespace"):
        problems += checks.name(f"{path}.volumeNamespace", namespace, names.dns1123_label)
    return problems + _secret_name(path, source)
