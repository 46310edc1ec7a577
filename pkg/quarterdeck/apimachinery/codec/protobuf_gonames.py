"""The names that the fields of the built-in types have in Go, by which errors of upstream's decoders name them.

Most are those of JSON with a capital letter in front.

Source: api/*/*/generated.pb.go and the types.go beside them.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery.codec.protobuf_types import Field, Message

_SPELLED_SO: Final = """
    APIGroup APIGroups APIVersion APIVersions AWSElasticBlockStore CABundle CEL CIDR CIDRs CSI CephFS DNSConfig
    DNSPolicy FC FSGroup FSGroupChangePolicy FSGroupPolicy FSType GCEPersistentDisk GID GMSACredentialSpec
    GMSACredentialSpecName GRPC HTTP HTTPGet HTTPHeaders ID IP IPBlock IPFamilies IPFamilyPolicy IPMode IPs IQN ISCSI
    ISCSIInterface JSONPatch JSONPath NFS OS OSImage PDName QOSClass RBD SELinuxChangePolicy SELinuxMount
    SELinuxOptions SSLEnabled StorageOS TCPSocket TLS TTLSecondsAfterFinished TTY UID URL WWIDs
"""
_SPELLED: Final = {name.lower(): name for name in _SPELLED_SO.split()}
_OF_RBD: Final = {"image": "RBDImage", "monitors": "CephMonitors", "pool": "RBDPool", "user": "RadosUser"}
_OF_ISCSI: Final = {"chapAuthDiscovery": "DiscoveryCHAPAuth", "chapAuthSession": "SessionCHAPAuth"}
_OF_GLUSTERFS: Final = {"endpoints": "EndpointsName"}
_OF_MESSAGES: Final = {
    "APIResourceList": {"resources": "APIResources"},
    "AzureDiskVolumeSource": {"diskURI": "DataDiskURI"},
    "ContainerStatus": {"lastState": "LastTerminationState"},
    "DeviceAttribute": {
        name: f"{name[:1].upper()}{name[1:].removesuffix('s')}Value{'s' if name.endswith('s') else ''}"
        for name in ("bool", "bools", "int", "ints", "string", "strings", "version", "versions")
    },
    "Event": {"reportingComponent": "ReportingController"},
    "GlusterfsPersistentVolumeSource": _OF_GLUSTERFS,
    "GlusterfsVolumeSource": _OF_GLUSTERFS,
    "ISCSIPersistentVolumeSource": _OF_ISCSI,
    "ISCSIVolumeSource": _OF_ISCSI,
    "NodeSpec": {"externalID": "DoNotUseExternalID"},
    "PodSpec": {"serviceAccount": "DeprecatedServiceAccount"},
    "RBDPersistentVolumeSource": _OF_RBD,
    "RBDVolumeSource": _OF_RBD,
    "StatusCause": {"reason": "Type"},
}
_EXTENSION: Final = "x-kubernetes-"


def go_name(message: str, field: Field) -> str:
    """Embedded structs have their types' names, metadata among them."""
    if isinstance(field.type, Message) and (field.is_inline or field.name == "metadata"):
        return field.type.name
    if field.name.startswith(_EXTENSION):
        return "X" + field.name.removeprefix(_EXTENSION).title().replace("-", "")
    name = field.name.removeprefix("$")
    own = _OF_MESSAGES.get(message, {}).get(name) or _SPELLED.get(name.lower())
    return own or name[:1].upper() + name[1:]
