"""The versions in which kinds stand in etcd beside the one that is served.

What is kept in an older version today stands first; then what servers stored in the time when another version was the
right one. Whatever is written again is stored in the version of today. Defaults that a version had of its own were
stored with the objects.

Source: pkg/kubeapiserver/default_storage_factory_builder.go; the versions that upstream's scheme still knows (1.36).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apiextensions import v1beta1 as definitions
from quarterdeck.registry.builtin.admissionregistration import v1beta1 as webhooks
from quarterdeck.registry.builtin.apps import v1beta1 as apps
from quarterdeck.registry.builtin.autoscaling.versions import V1, V2
from quarterdeck.registry.builtin.core import event
from quarterdeck.registry.builtin.discovery import v1beta1 as discovery
from quarterdeck.registry.builtin.flowcontrol.oldversions import level_from_old
from quarterdeck.registry.builtin.networking import v1beta1 as networking
from quarterdeck.registry.builtin.parts import STORED_IN
from quarterdeck.registry.builtin.policy import v1beta1 as budgets
from quarterdeck.registry.builtin.resource import v1beta1 as devices
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import build_prefix
from quarterdeck.storage.etcd3.storedversions import Conversion, StoredKinds, StoredVersions

_ADMISSION: Final = "admissionregistration.k8s.io"
_FLOWCONTROL: Final = "flowcontrol.apiserver.k8s.io"
# Versions whose messages are those of v1 in all that they hold, and mean the same.
_ALIKE: Final = {
    ("apiregistration.k8s.io", "apiservices"): "v1beta1",
    ("apps", "controllerrevisions statefulsets"): "v1beta1 v1beta2",
    ("apps", "replicasets"): "v1beta2 extensions/v1beta1",
    (_ADMISSION, "validatingadmissionpolicies validatingadmissionpolicybindings"): "v1alpha1 v1beta1",
    ("batch", "cronjobs"): "v1beta1",
    ("certificates.k8s.io", "certificatesigningrequests"): "v1beta1",
    ("coordination.k8s.io", "leases"): "v1beta1",
    (_FLOWCONTROL, "flowschemas"): "v1beta1 v1beta2 v1beta3",
    ("networking.k8s.io", "ingressclasses ipaddresses servicecidrs"): "v1beta1",
    ("networking.k8s.io", "networkpolicies"): "extensions/v1beta1",
    ("node.k8s.io", "runtimeclasses"): "v1beta1",
    ("rbac.authorization.k8s.io", "clusterrolebindings clusterroles rolebindings roles"): "v1beta1",
    ("resource.k8s.io", "deviceclasses"): "v1beta1 v1beta2",
    ("scheduling.k8s.io", "priorityclasses"): "v1beta1",
    ("storage.k8s.io", "csidrivers csinodes storageclasses"): "v1beta1",
    ("storage.k8s.io", "csistoragecapacities volumeattachments volumeattributesclasses"): "v1alpha1 v1beta1",
}


def _autoscaler_from_v1(autoscaler: Object) -> Object:
    from quarterdeck.registry.builtin.autoscaling.conversion import convert_written

    return convert_written(autoscaler, V2)


def _event_from_events(stored: Object) -> Object:
    """Of either version of that group, which have the same members."""
    return event.convert({**stored, "apiVersion": event.EVENTS}, event.CORE)


def _others(served: str, *others: str, convert: Conversion | None = None) -> StoredVersions:
    return StoredVersions(served, served, dict.fromkeys(others, convert))


def _written(kind: str) -> StoredVersions:
    served, written = f"{_ADMISSION}/v1", STORED_IN[kind]
    return StoredVersions(served, written, {written: None, f"{_ADMISSION}/v1alpha1": None})


def _devices(convert: Conversion) -> StoredVersions:
    return StoredVersions(devices.V1, devices.V1, {f"{devices.V1}beta2": None, devices.V1BETA1: convert})


def _alike() -> StoredKinds:
    return {
        build_prefix(group, name): _others(f"{group}/v1", *(_in_group(group, version) for version in versions.split()))
        for (group, names), versions in _ALIKE.items()
        for name in names.split()
    }


def _in_group(group: str, version: str) -> str:
    return version if "/" in version else f"{group}/{version}"


_LEVELS: Final = tuple(f"{_FLOWCONTROL}/v1beta{number}" for number in (1, 2, 3))
_WEBHOOKS: Final = _others(webhooks.V1, webhooks.V1BETA1, convert=webhooks.from_v1beta1)
STORED_KINDS: Final[StoredKinds] = {
    build_prefix(_ADMISSION, "mutatingadmissionpolicies"): _written("MutatingAdmissionPolicy"),
    build_prefix(_ADMISSION, "mutatingadmissionpolicybindings"): _written("MutatingAdmissionPolicyBinding"),
    build_prefix("apiextensions.k8s.io", "customresourcedefinitions"): StoredVersions(
        definitions.V1,
        STORED_IN["CustomResourceDefinition"],
        {STORED_IN["CustomResourceDefinition"]: definitions.from_v1beta1},
        definitions.to_v1beta1,
    ),
    build_prefix(_ADMISSION, "mutatingwebhookconfigurations"): _WEBHOOKS,
    build_prefix(_ADMISSION, "validatingwebhookconfigurations"): _WEBHOOKS,
    build_prefix("certificates.k8s.io", "clustertrustbundles"): _others(
        "certificates.k8s.io/v1beta1", "certificates.k8s.io/v1alpha1"
    ),
    build_prefix("coordination.k8s.io", "leasecandidates"): _others(
        "coordination.k8s.io/v1beta1", "coordination.k8s.io/v1alpha2"
    ),
    build_prefix("resource.k8s.io", "devicetaintrules"): _others(f"{devices.V1}alpha3", f"{devices.V1}beta2"),
    build_prefix("apps", "daemonsets"): StoredVersions(
        apps.V1, apps.V1, {"apps/v1beta2": None, "extensions/v1beta1": apps.daemon_set_from_v1beta1}
    ),
    build_prefix("apps", "deployments"): StoredVersions(
        apps.V1,
        apps.V1,
        {"apps/v1beta2": None} | dict.fromkeys(("apps/v1beta1", "extensions/v1beta1"), apps.deployment_from_v1beta1),
    ),
    build_prefix("", "events"): _others(event.CORE, event.EVENTS, "events.k8s.io/v1beta1", convert=_event_from_events),
    build_prefix("autoscaling", "horizontalpodautoscalers"): _others(V2, V1, convert=_autoscaler_from_v1),
    build_prefix(_FLOWCONTROL, "prioritylevelconfigurations"): _others(
        f"{_FLOWCONTROL}/v1", *_LEVELS, convert=level_from_old
    ),
    build_prefix("discovery.k8s.io", "endpointslices"): _others(
        discovery.V1, discovery.V1BETA1, convert=discovery.slice_from_v1beta1
    ),
    build_prefix("networking.k8s.io", "ingresses"): _others(
        networking.V1, "networking.k8s.io/v1beta1", "extensions/v1beta1", convert=networking.ingress_from_v1beta1
    ),
    build_prefix("policy", "poddisruptionbudgets"): _others(budgets.V1, budgets.V1BETA1, convert=budgets.from_v1beta1),
    build_prefix("resource.k8s.io", "resourceclaims"): _devices(devices.claim_from_v1beta1),
    build_prefix("resource.k8s.io", "resourceclaimtemplates"): _devices(devices.template_from_v1beta1),
    build_prefix("resource.k8s.io", "resourceslices"): _devices(devices.slice_from_v1beta1),
    **_alike(),
}
