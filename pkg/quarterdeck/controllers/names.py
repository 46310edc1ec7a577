"""The names of kube-controller-manager's controllers, and which of them `--controllers` switches on.

Three run unless they are switched off: the garbage collector's, the namespaces' and that of aggregated roles. Some more
run where they are named (OPTIONAL). All of upstream's names are known, so that a list that was written for
kube-controller-manager is taken. What kube-apiserver itself runs (the controllers of definitions) has no such name and
always runs.

Source: cmd/kube-controller-manager/names/controller_names.go, app/controllermanager.go (KnownControllers),
k8s.io/controller-manager/app/helper.go (IsControllerEnabled), options/generic.go (Validate).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

AGGREGATION: Final = "clusterrole-aggregation-controller"
APPROVING: Final = "certificatesigningrequest-approving-controller"
ATTRIBUTES_CLASS_PROTECTION: Final = "volumeattributesclass-protection-controller"
BOOTSTRAP_SIGNER: Final = "bootstrap-signer-controller"
CLAIM_PROTECTION: Final = "persistentvolumeclaim-protection-controller"
GARBAGE_COLLECTOR: Final = "garbage-collector-controller"
NAMESPACE: Final = "namespace-controller"
ENDPOINT_SLICE: Final = "endpointslice-controller"
REQUEST_CLEANER: Final = "certificatesigningrequest-cleaner-controller"
SIGNING: Final = "certificatesigningrequest-signing-controller"
POD_GARBAGE_COLLECTOR: Final = "pod-garbage-collector-controller"
RESOURCE_QUOTA: Final = "resourcequota-controller"
ROOT_CA_PUBLISHER: Final = "root-ca-certificate-publisher-controller"
SERVICE_ACCOUNT: Final = "serviceaccount-controller"
SERVICE_ACCOUNT_TOKEN: Final = "serviceaccount-token-controller"
SERVICE_CIDR: Final = "service-cidr-controller"
TOKEN_CLEANER: Final = "token-cleaner-controller"
TTL_AFTER_FINISHED: Final = "ttl-after-finished-controller"
POLICY_STATUS: Final = "validatingadmissionpolicy-status-controller"
VOLUME_PROTECTION: Final = "persistentvolume-protection-controller"
ALL: Final = "*"

USUAL: Final = (AGGREGATION, GARBAGE_COLLECTOR, NAMESPACE)
# Whoever tests an operator would trip over what these make or delete: the star does not mean them.
OPTIONAL: Final = (
    APPROVING,
    ATTRIBUTES_CLASS_PROTECTION,
    BOOTSTRAP_SIGNER,
    CLAIM_PROTECTION,
    ENDPOINT_SLICE,
    POD_GARBAGE_COLLECTOR,
    POLICY_STATUS,
    REQUEST_CLEANER,
    RESOURCE_QUOTA,
    ROOT_CA_PUBLISHER,
    SERVICE_ACCOUNT,
    SERVICE_ACCOUNT_TOKEN,
    SERVICE_CIDR,
    SIGNING,
    TOKEN_CLEANER,
    TTL_AFTER_FINISHED,
    VOLUME_PROTECTION,
)

# The name that each was called by before 1.28, which is still taken, by its name; "" where there was none.
KNOWN: Final = {
    BOOTSTRAP_SIGNER: "bootstrapsigner",
    APPROVING: "csrapproving",
    REQUEST_CLEANER: "csrcleaner",
    SIGNING: "csrsigning",
    "cloud-node-lifecycle-controller": "cloud-node-lifecycle",
    AGGREGATION: "clusterrole-aggregation",
    "cronjob-controller": "cronjob",
    "daemonset-controller": "daemonset",
    "deployment-controller": "deployment",
    "device-taint-eviction-controller": "",
    "disruption-controller": "disruption",
    "endpoints-controller": "endpoint",
    ENDPOINT_SLICE: "endpointslice",
    "endpointslice-mirroring-controller": "endpointslicemirroring",
    "ephemeral-volume-controller": "ephemeral-volume",
    GARBAGE_COLLECTOR: "garbagecollector",
    "horizontal-pod-autoscaler-controller": "horizontalpodautoscaling",
    "job-controller": "job",
    "kube-apiserver-serving-clustertrustbundle-publisher-controller": "",
    "legacy-serviceaccount-token-cleaner-controller": "legacy-service-account-token-cleaner",
    NAMESPACE: "namespace",
    "node-ipam-controller": "nodeipam",
    "node-lifecycle-controller": "nodelifecycle",
    "node-route-controller": "route",
    "persistentvolume-attach-detach-controller": "attachdetach",
    "persistentvolume-binder-controller": "persistentvolume-binder",
    "persistentvolume-expander-controller": "persistentvolume-expander",
    VOLUME_PROTECTION: "pv-protection",
    CLAIM_PROTECTION: "pvc-protection",
    POD_GARBAGE_COLLECTOR: "podgc",
    "podcertificaterequest-cleaner-controller": "",
    "replicaset-controller": "replicaset",
    "replicationcontroller-controller": "replicationcontroller",
    "resourceclaim-controller": "resource-claim-controller",
    RESOURCE_QUOTA: "resourcequota",
    ROOT_CA_PUBLISHER: "root-ca-cert-publisher",
    "selinux-warning-controller": "selinux-warning",
    SERVICE_CIDR: "service-cidr",
    "service-lb-controller": "service",
    SERVICE_ACCOUNT: "serviceaccount",
    SERVICE_ACCOUNT_TOKEN: "serviceaccount-token",
    "statefulset-controller": "statefulset",
    "storage-version-migrator-controller": "storage-version-migrator",
    "storageversion-garbage-collector-controller": "storage-version-gc",
    "taint-eviction-controller": "taint-eviction-controller",
    TOKEN_CLEANER: "tokencleaner",
    TTL_AFTER_FINISHED: "ttl-after-finished",
    "ttl-controller": "ttl",
    POLICY_STATUS: "validatingadmissionpolicy-status",
    ATTRIBUTES_CLASS_PROTECTION: "",
}
_ALIASES: Final = {alias: name for name, alias in KNOWN.items() if alias}


def resolve(wanted: Sequence[str]) -> tuple[str, ...]:
    """The list with today's names. Raises ValueError with upstream's text for an unknown name."""
    resolved = []
    for text in wanted:
        sign = "-" if text.startswith("-") else ""
        name = text.removeprefix("-")
        name = _ALIASES.get(name, name)
        if text != ALL and name not in KNOWN:
            raise ValueError(f'"{name}" is not in the list of known controllers')
        resolved.append(sign + name)
    return tuple(resolved)


def is_enabled(name: str, wanted: Sequence[str]) -> bool:
    """The first item that names the controller decides; if none does, the star switches on the default ones.
    `wanted` is resolved."""
    for text in wanted:
        if text == name:
            return True
        if text == f"-{name}":
            return False
    return name in USUAL and ALL in wanted
