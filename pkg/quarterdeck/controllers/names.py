"""The names of kube-controller-manager's controllers, and which of them `--controllers` switches on.

Those that are built in here are the garbage collector's and the namespaces'. All of upstream's names are known, so that
a list that was written for kube-controller-manager is taken. What kube-apiserver itself runs (the controllers of
definitions) has no such name and always runs.

Source: cmd/kube-controller-manager/names/controller_names.go, app/controllermanager.go (KnownControllers),
k8s.io/controller-manager/app/helper.go (IsControllerEnabled), options/generic.go (Validate).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

GARBAGE_COLLECTOR: Final = "garbage-collector-controller"
NAMESPACE: Final = "namespace-controller"
ALL: Final = "*"

# The name that each was called by before 1.28, which is still taken, by its name; "" where there was none.
KNOWN: Final = {
    "bootstrap-signer-controller": "bootstrapsigner",
    "certificatesigningrequest-approving-controller": "csrapproving",
    "certificatesigningrequest-cleaner-controller": "csrcleaner",
    "certificatesigningrequest-signing-controller": "csrsigning",
    "cloud-node-lifecycle-controller": "cloud-node-lifecycle",
    "clusterrole-aggregation-controller": "clusterrole-aggregation",
    "cronjob-controller": "cronjob",
    "daemonset-controller": "daemonset",
    "deployment-controller": "deployment",
    "device-taint-eviction-controller": "",
    "disruption-controller": "disruption",
    "endpoints-controller": "endpoint",
    "endpointslice-controller": "endpointslice",
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
    "persistentvolume-protection-controller": "pv-protection",
    "persistentvolumeclaim-protection-controller": "pvc-protection",
    "pod-garbage-collector-controller": "podgc",
    "podcertificaterequest-cleaner-controller": "",
    "replicaset-controller": "replicaset",
    "replicationcontroller-controller": "replicationcontroller",
    "resourceclaim-controller": "resource-claim-controller",
    "resourcequota-controller": "resourcequota",
    "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
    "selinux-warning-controller": "selinux-warning",
    "service-cidr-controller": "service-cidr",
    "service-lb-controller": "service",
    "serviceaccount-controller": "serviceaccount",
    "serviceaccount-token-controller": "serviceaccount-token",
    "statefulset-controller": "statefulset",
    "storage-version-migrator-controller": "storage-version-migrator",
    "storageversion-garbage-collector-controller": "storage-version-gc",
    "taint-eviction-controller": "taint-eviction-controller",
    "token-cleaner-controller": "tokencleaner",
    "ttl-after-finished-controller": "ttl-after-finished",
    "ttl-controller": "ttl",
    "validatingadmissionpolicy-status-controller": "validatingadmissionpolicy-status",
    "volumeattributesclass-protection-controller": "",
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
    """The first that speaks of the controller decides; where none does, the star. `wanted` is resolved."""
    for text in wanted:
        if text == name:
            return True
        if text == f"-{name}":
            return False
    return ALL in wanted
