"""How strategic merge patch treats the fields of the built-in types: the patchStrategy and patchMergeKey of their tags.

The types themselves are those of the protobuf tables; a type without a table is known by its kind alone. Fields that
are not named here are merged when they are maps and replaced when they are lists. Source: the struct tags in
api/*/v1/types.go and apimachinery/pkg/apis/meta/v1/types.go.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from quarterdeck.apimachinery.codec.protobuf_types import Message, UnknownKind, message_of


class Strategy(NamedTuple):
    """`merges`: a list is merged, by `merge_key` when its items are maps."""

    merges: bool = False
    merge_key: str = ""


REPLACE: Final = Strategy()

_CONTAINER: Final = {
    "ports": "containerPort",
    "env": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
}
_CONDITIONS: Final = {"conditions": "type"}

# type -> field -> merge key ("" for a list of scalars).
_MERGED: Final[dict[str, dict[str, str]]] = {
    "ObjectMeta": {"finalizers": "", "ownerReferences": "uid"},
    "PodSpec": {
        "volumes": "name",
        "initContainers": "name",
        "containers": "name",
        "ephemeralContainers": "name",
        "imagePullSecrets": "name",
        "hostAliases": "ip",
        "topologySpreadConstraints": "topologyKey",
        "schedulingGates": "name",
        "resourceClaims": "name",
    },
    "Container": _CONTAINER,
    "EphemeralContainerCommon": _CONTAINER,
    "PodStatus": {"conditions": "type", "podIPs": "ip", "hostIPs": "ip", "resourceClaimStatuses": "name"},
    "ServiceAccount": {"secrets": "name"},
    "ServiceSpec": {"ports": "port"},
    "NodeSpec": {"podCIDRs": ""},
    "NodeStatus": {"conditions": "type", "addresses": "type"},
    "ServiceStatus": _CONDITIONS,
    "NamespaceStatus": _CONDITIONS,
    "PersistentVolumeClaimStatus": _CONDITIONS,
    "ReplicationControllerStatus": _CONDITIONS,
    "DeploymentStatus": _CONDITIONS,
    "DaemonSetStatus": _CONDITIONS,
    "ReplicaSetStatus": _CONDITIONS,
    "StatefulSetStatus": _CONDITIONS,
    "JobStatus": _CONDITIONS,
    "APIServiceStatus": _CONDITIONS,
    "PodDisruptionBudgetStatus": _CONDITIONS,
    "HorizontalPodAutoscalerStatus": _CONDITIONS,
    "MutatingAdmissionPolicySpec": {"matchConditions": "name"},
    "MutatingWebhook": {"matchConditions": "name"},
    "MutatingWebhookConfiguration": {"webhooks": "name"},
    "ValidatingAdmissionPolicySpec": {"matchConditions": "name", "variables": "name"},
    "ValidatingWebhook": {"matchConditions": "name"},
    "ValidatingWebhookConfiguration": {"webhooks": "name"},
}


class PatchType(NamedTuple):
    """A type on the way down an object: `message` is None where nothing is known of the fields."""

    name: str
    message: Message | None
    depth: int = 0


def type_of_kind(api_version: str, kind: str) -> PatchType:
    try:
        return PatchType(kind, message_of(api_version, kind))
    except UnknownKind:
        return PatchType(kind, None)


def lookup(parent: PatchType, field_name: str) -> tuple[PatchType, Strategy]:
    """The type of a field (of the items of a list, of the values of a map) and how it is patched."""
    owner, message = parent.name, parent.message
    if message is None and owner and field_name == "metadata":
        message = message_of("v1", "ConfigMap")  # all that is known of a kind without a table
    if message is None:
        return PatchType("", None, parent.depth + 1), strategy_of(owner, field_name)
    for field in message.by_number.values():
        if field.is_inline and isinstance(field.type, Message) and field_name in field.type.by_name:
            owner, message = field.type.name, field.type
    found = message.by_name.get(field_name)
    strategy = strategy_of(owner, field_name)
    if found is None or found.is_map or not isinstance(found.type, Message):
        return PatchType("", None, parent.depth + 1), strategy
    return PatchType(found.type.name, found.type, parent.depth + 1), strategy


def strategy_of(type_name: str, field_name: str) -> Strategy:
    merge_key = _MERGED.get(type_name, {}).get(field_name)
    return REPLACE if merge_key is None else Strategy(merges=True, merge_key=merge_key)
