"""The built-in resources that are stored, by group: whose keys in etcd do not tell the group.

Source: kubernetes/pkg/kubeapiserver/default_storage_factory_builder.go. Events are
those of the core group, by whichever group they are asked for.
"""

from __future__ import annotations

from typing import Final

_NAMES: Final = {
    "": (
        "configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods "
        "podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services"
    ),
    "admissionregistration.k8s.io": (
        "mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations "
        "validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations"
    ),
    "apiextensions.k8s.io": "customresourcedefinitions",
    "apiregistration.k8s.io": "apiservices",
    "apps": "controllerrevisions daemonsets deployments replicasets statefulsets",
    "autoscaling": "horizontalpodautoscalers",
    "batch": "cronjobs jobs",
    "certificates.k8s.io": "certificatesigningrequests clustertrustbundles",
    "coordination.k8s.io": "leasecandidates leases",
    "discovery.k8s.io": "endpointslices",
    "flowcontrol.apiserver.k8s.io": "flowschemas prioritylevelconfigurations",
    "internal.apiserver.k8s.io": "storageversions",
    "networking.k8s.io": "ingressclasses ingresses ipaddresses networkpolicies servicecidrs",
    "node.k8s.io": "runtimeclasses",
    "policy": "poddisruptionbudgets",
    "rbac.authorization.k8s.io": "clusterrolebindings clusterroles rolebindings roles",
    "resource.k8s.io": (
        "deviceclasses devicetaintrules resourceclaims resourceclaimtemplates resourcepoolstatusrequests resourceslices"
    ),
    "scheduling.k8s.io": "priorityclasses",
    "storage.k8s.io": (
        "csidrivers csinodes csistoragecapacities storageclasses volumeattachments volumeattributesclasses"
    ),
    "storagemigration.k8s.io": "storageversionmigrations",
}

STORED: Final = tuple((group, name) for group, names in _NAMES.items() for name in names.split())
