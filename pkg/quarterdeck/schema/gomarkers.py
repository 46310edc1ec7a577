"""What the lists, maps and structs of built-in kinds merge by: the markers of their Go types.

Lists are atomic and maps granular unless a table here says otherwise; the tables name Go types, because these carry the
markers (`+listType`, `+listMapKey`, `+structType`, `+mapType`) upstream.

Source: k8s.io/api/*/types.go, apiextensions and kube-aggregator likewise (1.36).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Structs that are owned whole (+structType=atomic).
ATOMIC_STRUCTS: Final = frozenset(
    (
        "ConfigMapKeySelector",
        "EndpointAddress",
        "EndpointPort",
        "FileKeySelector",
        "LabelSelector",
        "LocalObjectReference",
        "NodeSelector",
        "NodeSelectorTerm",
        "ObjectFieldSelector",
        "ObjectReference",
        "OwnerReference",
        "ParamKind",
        "ParamRef",
        "NamedRuleWithOperations",
        "MatchResources",
        "ResourceFieldSelector",
        "RoleRef",
        "ScopedResourceSelectorRequirement",
        "ScopeSelector",
        "SecretKeySelector",
        "SecretReference",
        "ServiceBackendPort",
        "TopologySelectorTerm",
        "TypedLocalObjectReference",
        "Variable",
    )
)
ATOMIC_IN_PACKAGE: Final = frozenset((("Subject", "rbac"), ("CrossVersionObjectReference", "v1")))

# Maps that are owned whole (+mapType=atomic): Go type, field.
ATOMIC_MAPS: Final = frozenset(
    (
        ("PodSpec", "nodeSelector"),
        ("ReplicationControllerSpec", "selector"),
        ("Scheduling", "nodeSelector"),
        ("ServiceSpec", "selector"),
    )
)

# Lists of scalars that merge by value (+listType=set).
SETS: Final = frozenset(
    (
        ("NodeSpec", "podCIDRs"),
        ("PodFailurePolicyOnExitCodesRequirement", "values"),
        ("UncountedTerminatedPods", "failed"),
        ("UncountedTerminatedPods", "succeeded"),
        ("ValidatingAdmissionPolicyBindingSpec", "validationActions"),
    )
)

_BY_TYPE: Final = ("type",)
_BY_NAME: Final = ("name",)

# Lists of structs that merge by keys (+listType=map, +listMapKey).
LIST_MAPS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("APIServiceStatus", "conditions"): _BY_TYPE,
    ("CSINodeSpec", "drivers"): _BY_NAME,
    ("CertificateSigningRequestStatus", "conditions"): _BY_TYPE,
    ("Container", "env"): _BY_NAME,
    ("Container", "ports"): ("containerPort", "protocol"),
    ("Container", "volumeDevices"): ("devicePath",),
    ("Container", "volumeMounts"): ("mountPath",),
    ("ContainerStatus", "volumeMounts"): ("mountPath",),
    ("CustomResourceDefinitionStatus", "conditions"): _BY_TYPE,
    ("DaemonSetStatus", "conditions"): _BY_TYPE,
    ("DeploymentStatus", "conditions"): _BY_TYPE,
    ("EphemeralContainer", "env"): _BY_NAME,
    ("EphemeralContainer", "ports"): ("containerPort", "protocol"),
    ("EphemeralContainer", "volumeDevices"): ("devicePath",),
    ("EphemeralContainer", "volumeMounts"): ("mountPath",),
    ("FlowSchemaStatus", "conditions"): _BY_TYPE,
    ("HorizontalPodAutoscalerStatus", "conditions"): _BY_TYPE,
    ("JSONSchemaProps", "x-kubernetes-validations"): ("rule",),
    ("MutatingAdmissionPolicySpec", "matchConditions"): _BY_NAME,
    ("MutatingWebhook", "matchConditions"): _BY_NAME,
    ("MutatingWebhookConfiguration", "webhooks"): _BY_NAME,
    ("NamespaceStatus", "conditions"): _BY_TYPE,
    ("NodeStatus", "addresses"): _BY_TYPE,
    ("NodeStatus", "conditions"): _BY_TYPE,
    ("PersistentVolumeClaimStatus", "conditions"): _BY_TYPE,
    ("PodDisruptionBudgetStatus", "conditions"): _BY_TYPE,
    ("PodSpec", "containers"): _BY_NAME,
    ("PodSpec", "ephemeralContainers"): _BY_NAME,
    ("PodSpec", "hostAliases"): ("ip",),
    ("PodSpec", "imagePullSecrets"): _BY_NAME,
    ("PodSpec", "initContainers"): _BY_NAME,
    ("PodSpec", "resourceClaims"): _BY_NAME,
    ("PodSpec", "schedulingGates"): _BY_NAME,
    ("PodSpec", "topologySpreadConstraints"): ("topologyKey", "whenUnsatisfiable"),
    ("PodSpec", "volumes"): _BY_NAME,
    ("PodStatus", "conditions"): _BY_TYPE,
    ("PodStatus", "podIPs"): ("ip",),
    ("PodStatus", "resourceClaimStatuses"): _BY_NAME,
    ("PriorityLevelConfigurationStatus", "conditions"): _BY_TYPE,
    ("ReplicaSetStatus", "conditions"): _BY_TYPE,
    ("ReplicationControllerStatus", "conditions"): _BY_TYPE,
    ("ResourceRequirements", "claims"): _BY_NAME,
    ("ServiceAccount", "secrets"): _BY_NAME,
    ("ServiceSpec", "ports"): ("port", "protocol"),
    ("ServiceStatus", "conditions"): _BY_TYPE,
    ("StatefulSetStatus", "conditions"): _BY_TYPE,
    ("ValidatingAdmissionPolicySpec", "matchConditions"): _BY_NAME,
    ("ValidatingAdmissionPolicySpec", "variables"): _BY_NAME,
    ("ValidatingAdmissionPolicyStatus", "conditions"): _BY_TYPE,
    ("ValidatingWebhook", "matchConditions"): _BY_NAME,
    ("ValidatingWebhookConfiguration", "webhooks"): _BY_NAME,
}
