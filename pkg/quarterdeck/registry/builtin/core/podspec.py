"""What a pod's spec has where nothing is said, in a pod or in a template.

Source: pkg/apis/core/v1/{defaults,conversion,zz_generated.defaults}.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import longsteps, variables
from quarterdeck.apimachinery import images, quantity
from quarterdeck.registry.strategy import Object

_INIT_CONTAINERS: Final = frozenset(
    f"pod.{stage}.kubernetes.io/init-container{what}" for stage in ("alpha", "beta") for what in ("s", "-statuses")
)
_FILE_MODE: Final = 0o644
_TOKEN_EXPIRATION_S: Final = 3600
_NOT_SOURCES: Final = frozenset(("name",))
_OF_SOURCES: Final[dict[str, dict[str, object]]] = {
    "hostPath": {"type": ""},
    "azureDisk": {"cachingMode": "ReadWrite", "kind": "Shared", "fsType": "ext4", "readOnly": False},
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")


def default_template(template: Object) -> None:
    drop_init_containers(template.get("metadata") or {})
    default_pod_spec(template["spec"])


def drop_init_containers(metadata: Object) -> None:
    """Annotations that they were in once, which conversion leaves out (upstream: dropInitContainerAnnotations)."""
    found = metadata.get("annotations")
    if found and not _INIT_CONTAINERS.isdisjoint(found):
        metadata["annotations"] = {key: value for key, value in found.items() if key not in _INIT_CONTAINERS}
        if not metadata["annotations"]:
            del metadata["annotations"]


def default_pod_spec(spec: Object) -> None:
    for volume in spec.get("volumes") or ():
        _default_volume(volume)
    for container in containers_of(spec):
        _default_container(container)
        longsteps.pause()
    round_up(spec.get("overhead"))
    round_up_resources(spec.get("resources"))
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("schedulerName", "default-scheduler")
    _keep_service_account(spec)


def _keep_service_account(spec: Object) -> None:
    """The account's name stands under its old name too (upstream: Convert_core_PodSpec_To_v1_PodSpec)."""
    if name := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"] = name


def containers_of(spec: Object) -> list[Object]:
    found: list[Object] = spec.get("containers") or []
    if "initContainers" in spec or "ephemeralContainers" in spec:
        found = [*(spec.get("initContainers") or ()), *found, *(spec.get("ephemeralContainers") or ())]
    return found


def _default_container(container: Object) -> None:
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    container.setdefault("imagePullPolicy", _pull_policy(container.get("image", "")))
    round_up_resources(container.get("resources"))
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
    if found := container.get("env"):
        for position in variables.odd(found):
            if source := found[position].get("valueFrom"):
                _default_source(source)
    for name in _PROBES:
        if name in container:
            _default_probe(container[name])
    for hook in (container.get("lifecycle") or {}).values():
        if isinstance(hook, dict):
            _default_http(hook.get("httpGet"))


def _default_source(source: Object) -> None:
    """Of a variable."""
    _default_field_reference(source.get("fieldRef"))
    if (key := source.get("fileKeyRef")) is not None:
        key.setdefault("optional", False)


def round_up_resources(resources: Object | None) -> None:
    if resources is not None:
        round_up(resources.get("limits"))
        round_up(resources.get("requests"))


def round_up(amounts: dict[str, str] | None) -> None:
    """Nobody counts less than thousandths."""
    if amounts is None:
        return
    for name, text in amounts.items():
        amount = quantity.parse(text)
        if amount.is_finer(quantity.MILLI):
            amounts[name] = str(amount.round_up(quantity.MILLI))


def _pull_policy(image: str) -> str:
    """Of the newest image there may always be a newer one. What is no name of an image has no tag."""
    return "Always" if images.tag_of(image) == "latest" else "IfNotPresent"


def _default_probe(probe: Object) -> None:
    probe.setdefault("timeoutSeconds", 1)
    probe.setdefault("periodSeconds", 10)
    probe.setdefault("successThreshold", 1)
    probe.setdefault("failureThreshold", 3)
    _default_http(probe.get("httpGet"))
    if (grpc := probe.get("grpc")) is not None:
        grpc["service"] = grpc.get("service") or ""  # null counts as absent


def _default_http(action: Object | None) -> None:
    if action is not None:
        action.setdefault("path", "/")
        action.setdefault("scheme", "HTTP")


def _default_field_reference(reference: Object | None) -> None:
    if reference is not None:
        reference.setdefault("apiVersion", "v1")


def default_claim_spec(spec: Object) -> None:
    spec.setdefault("volumeMode", "Filesystem")
    round_up_resources(spec.get("resources"))


def default_claim_status(status: Object) -> None:
    status.setdefault("phase", "Pending")
    for name in ("capacity", "allocatedResources"):
        round_up(status.get(name))


def default_old_sources(volume: Object) -> None:
    """Of a pod's volume, or of a persistent one. Nothing is there of a source that is null."""
    for name, defaults in _OF_SOURCES.items():
        if (source := volume.get(name)) is not None:
            for member, value in defaults.items():
                source.setdefault(member, value)


def _default_volume(volume: Object) -> None:
    if not volume.keys() - _NOT_SOURCES:
        volume["emptyDir"] = {}
    for name in ("configMap", "secret", "downwardAPI", "projected"):
        if name in volume:
            volume[name].setdefault("defaultMode", _FILE_MODE)
    default_old_sources(volume)
    if "image" in volume:
        volume["image"].setdefault("pullPolicy", _pull_policy(volume["image"].get("reference", "")))
    if claim := (volume.get("ephemeral") or {}).get("volumeClaimTemplate"):
        default_claim_spec(claim["spec"])
    for item in (volume.get("downwardAPI") or {}).get("items") or ():
        _default_field_reference(item.get("fieldRef"))
    for source in (volume.get("projected") or {}).get("sources") or ():
        if "serviceAccountToken" in source:
            source["serviceAccountToken"].setdefault("expirationSeconds", _TOKEN_EXPIRATION_S)
        for item in (source.get("downwardAPI") or {}).get("items") or ():
            _default_field_reference(item.get("fieldRef"))
