"""Go types of built-in kinds, made from their protobuf tables: what the tables cannot say is listed here.

A protobuf message has no structs by value and no omitempty. Fields come in the order of their numbers, which is nearly
Go's. Source: k8s.io/api/{core,apps}/v1/types.go (1.36).
"""

from __future__ import annotations

from functools import cache
from typing import Final

from quarterdeck.apimachinery.codec import protobuf_types
from quarterdeck.apimachinery.codec.protobuf_types import Message
from quarterdeck.schema import gotype
from quarterdeck.schema.gotype import Field, GoType, ListOf, MapOf, Scalar, Struct

_SCALARS: Final[dict[str, Scalar]] = {
    "string": gotype.STRING,
    "bool": gotype.BOOL,
    "int32": gotype.INT32,
    "int64": gotype.INT64,
    "bytes": gotype.BYTES,
    "Time": gotype.TIME,
    "MicroTime": gotype.MICRO_TIME,
    "Quantity": gotype.QUANTITY,
    "IntOrString": gotype.INT_OR_STRING,
    "RawExtension": gotype.ANY,
    "FieldsV1": gotype.ANY,
}

# Structs that stand in their parent by value: written even where they are empty.
_BY_VALUE: Final = frozenset(
    (
        ("Container", "resources"),
        ("ContainerStatus", "lastState"),
        ("ContainerStatus", "state"),
        ("Deployment", "spec"),
        ("Deployment", "status"),
        ("DeploymentSpec", "strategy"),
        ("DeploymentSpec", "template"),
        ("EphemeralContainerCommon", "resources"),
        ("Pod", "spec"),
        ("Pod", "status"),
        ("PodTemplateSpec", "metadata"),
        ("PodTemplateSpec", "spec"),
        ("PreferredSchedulingTerm", "preference"),
        ("Service", "spec"),
        ("Service", "status"),
        ("ServiceStatus", "loadBalancer"),
        ("WeightedPodAffinityTerm", "podAffinityTerm"),
    )
)

# Fields without omitempty, and times and quantities by value, which Go never finds empty.
_ALWAYS: Final = {
    "AppArmorProfile": ("type",),
    "CSIVolumeSource": ("driver",),
    "ConfigMapKeySelector": ("key",),
    "Container": ("name",),
    "ContainerPort": ("containerPort",),
    "ContainerResizePolicy": ("resourceName", "restartPolicy"),
    "ContainerStateRunning": ("startedAt",),
    "ContainerStateTerminated": ("exitCode", "finishedAt", "startedAt"),
    "ContainerStatus": ("image", "imageID", "name", "ready", "restartCount"),
    "DeploymentCondition": ("lastTransitionTime", "lastUpdateTime", "status", "type"),
    "DownwardAPIVolumeFile": ("path",),
    "EnvVar": ("name",),
    "EphemeralContainerCommon": ("name",),
    "GRPCAction": ("port",),
    "HTTPGetAction": ("port",),
    "HTTPHeader": ("name", "value"),
    "HostAlias": ("ip",),
    "HostPathVolumeSource": ("path",),
    "KeyToPath": ("key", "path"),
    "LabelSelectorRequirement": ("key", "operator"),
    "NFSVolumeSource": ("path", "server"),
    "NodeSelector": ("nodeSelectorTerms",),
    "NodeSelectorRequirement": ("key", "operator"),
    "ObjectFieldSelector": ("fieldPath",),
    "PersistentVolumeClaimVolumeSource": ("claimName",),
    "PodAffinityTerm": ("topologyKey",),
    "PodCondition": ("lastProbeTime", "lastTransitionTime", "status", "type"),
    "PodReadinessGate": ("conditionType",),
    "PodResourceClaim": ("name",),
    "PodSchedulingGate": ("name",),
    "PodSpec": ("containers",),
    "PortStatus": ("port", "protocol"),
    "PreferredSchedulingTerm": ("weight",),
    "ResourceFieldSelector": ("divisor", "resource"),
    "SeccompProfile": ("type",),
    "SecretKeySelector": ("key",),
    "ServiceAccountTokenProjection": ("path",),
    "ServicePort": ("port", "targetPort"),
    "Sysctl": ("name", "value"),
    "TCPSocketAction": ("port",),
    "TopologySpreadConstraint": ("maxSkew", "topologyKey", "whenUnsatisfiable"),
    "Volume": ("name",),
    "VolumeDevice": ("devicePath", "name"),
    "VolumeMount": ("mountPath", "name"),
    "WeightedPodAffinityTerm": ("weight",),
}
# Quantities behind pointers; elsewhere than in maps the others stand by value.
_QUANTITY_POINTERS: Final = frozenset((("EmptyDirVolumeSource", "sizeLimit"),))


@cache
def struct_of(api_version: str, kind: str) -> Struct:
    """The type of a kind, without its metadata; the same one every time."""
    made = _struct(protobuf_types.message_of(api_version, kind), {})
    return Struct(made.name, {name: field for name, field in made.fields.items() if name != "metadata"}, made.package)


def _struct(message: Message, known: dict[str, Struct]) -> Struct:
    """None of the types contains itself."""
    found = known.get(message.name)
    if found is None:
        found = known[message.name] = Struct(message.name, _fields(message, known))
    return found


def _fields(message: Message, known: dict[str, Struct]) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for _, field in sorted(message.by_number.items()):
        if field.is_inline:
            assert isinstance(field.type, Message)
            fields |= _fields(field.type, known)
            continue
        place = (message.name, field.name)
        made = _type(field, known)
        is_struct = isinstance(made, Struct)
        fields[field.name] = Field(
            made,
            pointer=field.is_pointer or (is_struct and place not in _BY_VALUE) or place in _QUANTITY_POINTERS,
            always=field.name in _ALWAYS.get(message.name, ()),
        )
    return fields


def _type(field: protobuf_types.Field, known: dict[str, Struct]) -> GoType:
    if isinstance(field.type, Message):
        made: GoType = _struct(field.type, known)
    else:
        made = ListOf(gotype.STRING) if field.type == "Strings" else _SCALARS[field.type]
    if field.is_list:
        return ListOf(made)
    return MapOf(made) if field.is_map else made
