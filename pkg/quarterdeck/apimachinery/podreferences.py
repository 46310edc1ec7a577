"""Which other objects a pod, or a volume of the cluster, names.

Source: pkg/api/v1/pod/util.go (VisitPodSecretNames, VisitPodConfigmapNames), pkg/api/pod/util.go
(HasAPIObjectReference), pkg/api/v1/persistentvolume/util.go, component-helpers/storage/ephemeral,
dynamic-resource-allocation/resourceclaim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from quarterdeck.apimachinery import gofmt

Object = Mapping[str, Any]

MIRROR_ANNOTATION: Final = "kubernetes.io/config.mirror"
CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")
# Volumes whose secret is named by a reference, under the member that holds it.
_SECRET_REFERENCES: Final = ("cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos")
_OF_KUBELETS: Final = ("nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef")
# Volumes of which one suffices for a volume to need no object of the API; the others, and what they need.
_OF_NOBODY: Final = frozenset(
    (
        *("awsElasticBlockStore", "azureDisk", "cephfs", "cinder", "downwardAPI", "emptyDir", "fc"),
        *("flexVolume", "flocker", "gcePersistentDisk", "gitRepo", "hostPath", "image", "iscsi"),
        *("nfs", "photonPersistentDisk", "portworxVolume", "quobyte", "rbd", "scaleIO"),
        *("storageos", "vsphereVolume"),
    )
)
_OF_VOLUMES: Final = (
    ("configMap", "configmaps (via configmap volumes)"),
    ("secret", "secrets (via secret volumes)"),
    ("csi", "csidrivers (via CSI volumes)"),
    ("glusterfs", "endpoints (via glusterFS volumes)"),
    ("persistentVolumeClaim", "persistentvolumeclaims"),
    ("ephemeral", "persistentvolumeclaims (via ephemeral volumes)"),
    ("azureFile", "secrets (via azureFile volumes)"),
)
_OF_PROJECTIONS: Final = (
    ("configMap", "configmaps (via projected volumes)"),
    ("secret", "secrets (via projected volumes)"),
    ("serviceAccountToken", "serviceaccounts (via projected volumes)"),
    ("clusterTrustBundle", "clustertrustbundles"),
    ("podCertificate", "podcertificates"),
    ("downwardAPI", ""),
)


def is_mirror(pod: Object) -> bool:
    return MIRROR_ANNOTATION in (pod["metadata"].get("annotations") or {})


def secrets_of(pod: Object) -> Iterator[str]:
    """An empty name is nobody's."""
    return filter(None, _secrets_of(pod["spec"]))


def _secrets_of(spec: Object) -> Iterator[str]:
    for reference in spec.get("imagePullSecrets") or ():
        yield _name(reference)
    yield from _of_environments(spec, "secretRef", "secretKeyRef")
    for volume in spec.get("volumes") or ():
        if (found := volume.get("secret")) or (found := volume.get("azureFile")):
            yield found.get("secretName") or ""
        elif reference := (volume.get("csi") or {}).get("nodePublishSecretRef"):
            yield _name(reference)
        for kind in _SECRET_REFERENCES:
            if reference := (volume.get(kind) or {}).get("secretRef"):
                yield _name(reference)
        for source in _projections(volume):
            if reference := source.get("secret"):
                yield _name(reference)


def configmaps_of(pod: Object) -> Iterator[str]:
    """An empty name is nobody's."""
    return filter(None, _configmaps_of(pod["spec"]))


def _configmaps_of(spec: Object) -> Iterator[str]:
    yield from _of_environments(spec, "configMapRef", "configMapKeyRef")
    for volume in spec.get("volumes") or ():
        if found := volume.get("configMap"):
            yield _name(found)
        for source in _projections(volume):
            if reference := source.get("configMap"):
                yield _name(reference)


def claims_of(pod: Object) -> Iterator[str]:
    """The persistent volume claims, those made for the pod among them."""
    for volume in pod["spec"].get("volumes") or ():
        if found := volume.get("persistentVolumeClaim"):
            yield found.get("claimName") or ""
        elif volume.get("ephemeral") is not None:
            yield f"{pod['metadata']['name']}-{volume.get('name', '')}"


def resource_claims_of(pod: Object) -> Iterator[str]:
    """Those that are there: one of a template is named by the pod's status once it is made."""
    status = pod.get("status") or {}
    made = {each.get("name"): each.get("resourceClaimName") for each in status.get("resourceClaimStatuses") or ()}
    for claim in pod["spec"].get("resourceClaims") or ():
        name = claim.get("resourceClaimName") or (
            made.get(claim.get("name")) if claim.get("resourceClaimTemplateName") else None
        )
        if name:
            yield name
    if name := (status.get("extendedResourceClaimStatus") or {}).get("resourceClaimName"):
        yield name


class UnknownSource(ValueError):
    """A projected volume has a source that says nothing of what it is. Upstream's words."""


def find_reference(pod: Object) -> str:
    """The resource of an object that the pod names, as it is told of; "" where it names none. Raises UnknownSource."""
    spec = pod["spec"]
    if spec.get("serviceAccountName"):
        return "serviceaccounts"
    if next(secrets_of(pod), None) is not None:
        return "secrets"
    if next(configmaps_of(pod), None) is not None:
        return "configmaps"
    if spec.get("resourceClaims"):
        return "resourceclaims"
    for volume in spec.get("volumes") or ():
        if found := _find_in_volume(volume):
            return found
    return ""


def _find_in_volume(volume: Object) -> str:
    if not _OF_NOBODY.isdisjoint(volume):
        return ""
    for member, resource in _OF_VOLUMES:
        if volume.get(member) is not None:
            return resource
    for source in _projections(volume):
        found = next((told for member, told in _OF_PROJECTIONS if source.get(member) is not None), None)
        if found is None:
            raise UnknownSource(f"unknown source for projected volume {gofmt.quote(volume.get('name', ''))}")
        if found:
            return found
    return ""


def secrets_of_volume(volume: Object) -> Iterator[tuple[str, str]]:
    """Namespace and name of the secrets that a kubelet needs for a persistent volume that is bound."""
    spec = volume["spec"]
    own = spec["claimRef"].get("namespace") or ""
    if found := spec.get("azureFile"):
        yield found.get("secretNamespace") or own, found.get("secretName") or ""
    for kind in _SECRET_REFERENCES:
        if reference := (spec.get(kind) or {}).get("secretRef"):
            yield reference.get("namespace") or own, _name(reference)
    for member in _OF_KUBELETS:
        if reference := (spec.get("csi") or {}).get(member):
            yield reference.get("namespace") or "", _name(reference)


def _of_environments(spec: Object, whole: str, single: str) -> Iterator[str]:
    for kind in CONTAINERS:
        for container in spec.get(kind) or ():
            for source in container.get("envFrom") or ():
                if reference := source.get(whole):
                    yield _name(reference)
            for variable in container.get("env") or ():
                if reference := (variable.get("valueFrom") or {}).get(single):
                    yield _name(reference)


def _projections(volume: Object) -> Iterator[Object]:
    yield from (volume.get("projected") or {}).get("sources") or ()


def _name(reference: Object) -> str:
    return reference.get("name") or ""
