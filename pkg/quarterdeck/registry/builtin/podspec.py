"""What a pod's spec has where nothing is said, in a pod or in a template.

Source: pkg/apis/core/v1/{defaults,conversion,zz_generated.defaults}.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from quarterdeck.apimachinery import field, images, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.strategy import Object

_FILE_MODE: Final = 0o644
_TOKEN_EXPIRATION_S: Final = 3600
_NOT_SOURCES: Final = frozenset(("name",))
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")


def default_pod_spec(spec: Object) -> None:
    for volume in spec.get("volumes") or ():
        _default_volume(volume)
    for container in containers_of(spec):
        _default_container(container)
    if spec.get("hostNetwork"):
        for container in containers_of(spec):
            for port in container.get("ports") or ():
                port.setdefault("hostPort", port.get("containerPort", 0))
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


def default_requests(spec: Object) -> None:
    """What a container may use at most is what it asks for, where it asks for nothing (upstream: SetDefaults_Pod)."""
    for container in containers_of(spec):
        resources = container.get("resources") or {}
        for name, amount in (resources.get("limits") or {}).items():
            resources.setdefault("requests", {}).setdefault(name, amount)


def containers_of(spec: Object) -> Iterator[Object]:
    for member in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(member) or ()


def _default_container(container: Object) -> None:
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    container.setdefault("imagePullPolicy", _pull_policy(container.get("image", "")))
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
    for variable in container.get("env") or ():
        _default_field_reference((variable.get("valueFrom") or {}).get("fieldRef"))
    for name in _PROBES:
        if name in container:
            _default_probe(container[name])
    for hook in (container.get("lifecycle") or {}).values():
        if isinstance(hook, dict):
            _default_http(hook.get("httpGet"))


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
        grpc.setdefault("service", "")


def _default_http(action: Object | None) -> None:
    if action is not None:
        action.setdefault("path", "/")
        action.setdefault("scheme", "HTTP")


def _default_field_reference(reference: Object | None) -> None:
    if reference is not None:
        reference.setdefault("apiVersion", "v1")


def _default_volume(volume: Object) -> None:
    if not volume.keys() - _NOT_SOURCES:
        volume["emptyDir"] = {}
    for name in ("configMap", "secret", "downwardAPI", "projected"):
        if name in volume:
            volume[name].setdefault("defaultMode", _FILE_MODE)
    if "hostPath" in volume:
        volume["hostPath"].setdefault("type", "")
    for item in (volume.get("downwardAPI") or {}).get("items") or ():
        _default_field_reference(item.get("fieldRef"))
    for source in (volume.get("projected") or {}).get("sources") or ():
        if "serviceAccountToken" in source:
            source["serviceAccountToken"].setdefault("expirationSeconds", _TOKEN_EXPIRATION_S)
        for item in (source.get("downwardAPI") or {}).get("items") or ():
            _default_field_reference(item.get("fieldRef"))


PROTOCOLS: Final = ("SCTP", "TCP", "UDP")


def validate_port(number: Any, path: str) -> list[FieldError]:
    return [field.invalid(path, number, text) for text in names.port_number(number)]
