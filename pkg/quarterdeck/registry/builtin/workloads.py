"""The resources of workloads that are served as data: stored, defaulted and checked, run by nobody."""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apis.resource import SUBRESOURCE_VERBS, APIResource, GroupVersionKind, Subresource
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.builtin.deployment import (
    DeploymentStatusStrategy,
    DeploymentStrategy,
    default_deployment,
)
from quarterdeck.registry.builtin.pod import (
    PodStatusStrategy,
    PodStrategy,
    default_pod,
    select_pod_fields,
    show_deleted,
)
from quarterdeck.registry.builtin.service.allocation import Allocators
from quarterdeck.registry.builtin.service.fields import default_service
from quarterdeck.registry.builtin.service.strategy import (
    ServiceStatusStrategy,
    ServiceStrategy,
    select_service_fields,
)
from quarterdeck.registry.scale import ScalePaths
from quarterdeck.storage.cacher import Cacher

SCALE: Final = GroupVersionKind("autoscaling", "v1", "Scale")
_ALL: Final = ("all",)


def definitions(cacher: Cacher) -> list[Definition]:
    return [_pods(), _services(cacher), _deployments()]


def _resource(group: str, name: str, kind: str, *, with_scale: bool = False, **more: Any) -> APIResource:
    gvk = GroupVersionKind(group, "v1", kind)
    subresources = [Subresource("status", gvk, SUBRESOURCE_VERBS)]
    if with_scale:
        subresources.insert(0, Subresource("scale", SCALE, SUBRESOURCE_VERBS))
    return APIResource(
        group,
        "v1",
        name,
        kind.lower(),
        kind,
        f"{kind}List",
        namespaced=True,
        categories=_ALL,
        subresources=tuple(subresources),
        **more,
    )


def _pods() -> Definition:
    return Definition(
        _resource("", "pods", "Pod", short_names=("po",)),
        PodStrategy(namespaced=True),
        {"status": PodStatusStrategy(namespaced=True)},
        default=default_pod,
        select_fields=select_pod_fields,
        selectable=(
            "spec.nodeName",
            "spec.host",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ),
        returns_deleted=True,
        show_deleted=show_deleted,
    )


def _services(cacher: Cacher) -> Definition:
    allocators = Allocators(cacher.resource("", "services", select_service_fields))
    return Definition(
        _resource("", "services", "Service", short_names=("svc",)),
        ServiceStrategy(allocators),
        {"status": ServiceStatusStrategy()},
        default=default_service,
        select_fields=select_service_fields,
        selectable=("spec.clusterIP", "spec.type"),
        returns_deleted=True,
    )


def _deployments() -> Definition:
    strategy = DeploymentStrategy(namespaced=True)
    return Definition(
        _resource("apps", "deployments", "Deployment", with_scale=True, short_names=("deploy",)),
        strategy,
        {"status": DeploymentStatusStrategy(namespaced=True), "scale": strategy},
        default=default_deployment,
        scale=ScalePaths(".spec.replicas", ".status.replicas", ".spec.selector"),
    )
