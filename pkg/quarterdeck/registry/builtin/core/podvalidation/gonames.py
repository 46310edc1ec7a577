"""Parts of a pod as Go prints the types that kube-apiserver works with inside: all fields, by the names that Go has.

Those types have the fields of v1's, but for what PodSecurityContext takes from the spec, and in another order here and
there. They have no JSON tags, so that nothing is left out; types of meta/v1 have theirs inside them too.

Source: pkg/apis/core/types.go, apimachinery/pkg/util/diff.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any, Final

from quarterdeck.apimachinery.field import GoText
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.schema import goorder, gotypes
from quarterdeck.schema.gotype import Field, GoType, ListOf, MapOf, Scalar, Struct, zero_of

_GO_NAMES: Final = {
    "apiGroup": "APIGroup",
    "apiGroups": "APIGroups",
    "apiVersion": "APIVersion",
    "awsElasticBlockStore": "AWSElasticBlockStore",
    "cel": "CEL",
    "cephfs": "CephFS",
    "chapAuthDiscovery": "DiscoveryCHAPAuth",
    "chapAuthSession": "SessionCHAPAuth",
    "csi": "CSI",
    "diskURI": "DataDiskURI",
    "dnsConfig": "DNSConfig",
    "dnsPolicy": "DNSPolicy",
    "endpoints": "EndpointsName",
    "fc": "FC",
    "fsGroup": "FSGroup",
    "fsGroupChangePolicy": "FSGroupChangePolicy",
    "fsType": "FSType",
    "gcePersistentDisk": "GCEPersistentDisk",
    "gmsaCredentialSpec": "GMSACredentialSpec",
    "gmsaCredentialSpecName": "GMSACredentialSpecName",
    "grpc": "GRPC",
    "httpGet": "HTTPGet",
    "httpHeaders": "HTTPHeaders",
    "ip": "IP",
    "iqn": "IQN",
    "iscsi": "ISCSI",
    "iscsiInterface": "ISCSIInterface",
    "nfs": "NFS",
    "os": "OS",
    "pdName": "PDName",
    "rbd": "RBD",
    "seLinuxChangePolicy": "SELinuxChangePolicy",
    "seLinuxOptions": "SELinuxOptions",
    "sslEnabled": "SSLEnabled",
    "storageos": "StorageOS",
    "tcpSocket": "TCPSocket",
    "tty": "TTY",
    "uid": "UID",
    "wwids": "WWIDs",
}
_OF_RBD: Final = {"image": "RBDImage", "monitors": "CephMonitors", "pool": "RBDPool", "user": "RadosUser"}
_LINES_MAX: Final = 4000
# In the spec of v1, in the security context here.
_MOVED: Final[tuple[str, ...]] = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
# Where the order is another than v1's.
_ORDERS: Final[Mapping[str, str]] = {
    "Volume": "name hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs "
    "persistentVolumeClaim rbd quobyte flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap "
    "vsphereVolume azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image",
    "PodSpec": "volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds "
    "activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName automountServiceAccountToken nodeName "
    "securityContext imagePullSecrets hostname subdomain setHostnameAsFQDN affinity schedulerName tolerations "
    "hostAliases priorityClassName priority preemptionPolicy dnsConfig readinessGates runtimeClassName overhead "
    "enableServiceLinks topologySpreadConstraints os schedulingGates resourceClaims resources hostnameOverride "
    "schedulingGroup",
    "PersistentVolumeSource": "gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd quobyte iscsi "
    "flexVolume cinder cephfs fc flocker azureFile vsphereVolume azureDisk photonPersistentDisk portworxVolume scaleIO "
    "local storageos csi",
    "PersistentVolumeSpec": "capacity gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd quobyte iscsi "
    "flexVolume cinder cephfs fc flocker azureFile vsphereVolume azureDisk photonPersistentDisk portworxVolume scaleIO "
    "local storageos csi accessModes claimRef persistentVolumeReclaimPolicy storageClassName mountOptions volumeMode "
    "nodeAffinity volumeAttributesClassName",
    "PodSecurityContext": "hostNetwork hostPID hostIPC shareProcessNamespace hostUsers seLinuxOptions windowsOptions "
    "runAsUser runAsGroup runAsNonRoot supplementalGroups supplementalGroupsPolicy fsGroup fsGroupChangePolicy sysctls "
    "seccompProfile appArmorProfile seLinuxChangePolicy",
}


def show(struct_name: str, value: Object, table: str = "core") -> GoText:
    """A value as a field error shows it."""
    return GoText(checks.in_order(to_go(struct_name, value, table)))


def diff(struct_name: str, old: Object, new: Object) -> str:
    """The lines in which two values differ, each with three around it (upstream: diff.Diff)."""
    # Differs from upstream: there the time to compare grows with the square of the lines, without end.
    if _count_values((old, new), _LINES_MAX) > _LINES_MAX:
        return ""  # each is a line at least
    left, right = (_lines(to_go(struct_name, value)) for value in (old, new))
    if len(left) + len(right) > _LINES_MAX:
        return ""
    found = list(difflib.unified_diff(left, right, n=3))
    return "".join(found[2:])  # upstream's has no names of files


def _count_values(values: tuple[Object, ...], count_max: int) -> int:
    """How many values lists and maps hold; more than `count_max` is as good as any more."""
    count = 0
    pending: list[Any] = list(values)
    while pending and count <= count_max:
        value = pending.pop()
        items: Collection[Any] = ()
        if isinstance(value, dict | list):
            items = value.values() if isinstance(value, dict) else value
        count += len(items)
        pending += islice(items, count_max)
    return count


def _lines(value: Any) -> list[str]:
    return [f"{line}\n" for line in checks.escape(json.dumps(value, ensure_ascii=False, indent=1)).split("\n")]


def to_go(struct_name: str, value: Object, table: str = "core") -> dict[str, Any]:
    """A struct of a table of types."""
    made: dict[str, Any] = _struct(value, gotypes.named_struct(table, struct_name))
    return made


def _struct(value: Object, struct: Struct) -> dict[str, Any]:
    fields = struct.fields
    if struct.name == "PodSpec":
        value = {**value, "securityContext": _with_moved(value)}
    elif struct.name == "PodSecurityContext":
        spec = gotypes.named_struct("core", "PodSpec")
        fields = dict(fields) | {name: spec.fields[name] for name in _MOVED}
    order = _ORDERS.get(struct.name)
    names = order.split() if order else list(fields)
    made: dict[str, Any] = {}
    for name in names:
        if name == "metadata":  # embedded, so that its members stand among the others
            # Unlike a pod's own members, those that are sent empty do not show.
            said = {member: item for member, item in (value.get(name) or {}).items() if item not in ([], {})}
            made |= goorder.order_members(said, fields[name].type)
        else:
            made[_go_name(name, struct)] = _field(value.get(name), fields[name])
    return made


def _with_moved(spec: Object) -> Object | None:
    context = spec.get("securityContext")
    moved = {name: spec[name] for name in _MOVED if name in spec}
    return {**(context or {}), **moved} if context is not None or moved else None


def _go_name(name: str, struct: Struct) -> str:
    if struct.name.startswith("RBD") and name in _OF_RBD:
        return _OF_RBD[name]
    return _GO_NAMES.get(name) or name[0].upper() + name[1:]


def _field(value: Any, field: Field) -> Any:
    if value is None:
        if isinstance(field.type, Struct) and not field.pointer:
            return _value({}, field.type)
        return zero_of(field.type, pointer=field.pointer)
    return _value(value, field.type)


def _value(value: Any, go_type: GoType) -> Any:
    if isinstance(go_type, Struct):
        if go_type.name == "Condition":  # of meta/v1
            return goorder.order_members(value, go_type)
        return checks.selector_to_go(value) if go_type.name == "LabelSelector" else _struct(value, go_type)
    if isinstance(go_type, ListOf):
        return [_value(item, go_type.item) for item in value]
    if isinstance(go_type, MapOf):
        return {key: _value(value[key], go_type.value) for key in sorted(value)}
    assert isinstance(go_type, Scalar)
    return value
