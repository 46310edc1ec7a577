"""The resources of the core group, but for services and events, which have places of their own."""

from __future__ import annotations

from functools import partial
from typing import Final

from quarterdeck.apimachinery import names
from quarterdeck.apis.resource import ALL_VERBS, PROXY_VERBS, SUBRESOURCE_VERBS, GroupVersionKind, Subresource
from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.core import limit_resources, volume_resources
from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.scale import ScalePaths
from quarterdeck.registry.strategy import Object

_WITHOUT_COLLECTION: Final = tuple(verb for verb in ALL_VERBS if verb != "deletecollection")
_NAMESPACE: Final = GroupVersionKind("", "v1", "Namespace")
_TOKEN_REQUEST: Final = GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest")


_POD: Final = GroupVersionKind("", "v1", "Pod")
_CONNECTED: Final = ("create", "get")
# What a pod is asked and told at addresses of its own: nothing of it is written by the pod's rules.
_CONNECTIONS: Final = {
    "attach": ("", "PodAttachOptions", _CONNECTED),
    "binding": ("", "Binding", ("create",)),
    "eviction": ("policy", "Eviction", ("create",)),
    "exec": ("", "PodExecOptions", _CONNECTED),
    "log": ("", "Pod", ("get",)),
    "portforward": ("", "PodPortForwardOptions", _CONNECTED),
    "proxy": ("", "PodProxyOptions", PROXY_VERBS),
}
_OF_PODS: Final = (
    *(
        Subresource(name, GroupVersionKind(group, "v1", kind), tuple(sorted(verbs)))
        for name, (group, kind, verbs) in _CONNECTIONS.items()
    ),
    Subresource("ephemeralcontainers", _POD, SUBRESOURCE_VERBS),
    Subresource("resize", _POD, SUBRESOURCE_VERBS),
)

_DEPRECATION: Final = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"


def definitions() -> list[Definition]:
    return [
        _namespaces(),
        _configmaps(),
        _secrets(),
        _serviceaccounts(),
        _pods(),
        _podtemplates(),
        _replicationcontrollers(),
        _endpoints(),
        _nodes(),
        *limit_resources.definitions(),
        *volume_resources.definitions(),
    ]


def _select_secret_fields(obj: Object) -> dict[str, str]:
    return {"type": obj.get("type", "")}


def _select_namespace_fields(obj: Object) -> dict[str, str]:
    return {"status.phase": (obj.get("status") or {}).get("phase", "")}


def _for_namespaces(strategy: type[BuiltinStrategy]) -> BuiltinStrategy:
    return strategy(namespaced=False, name_check=names.name_is_dns1123_label)


def _namespaces() -> Definition:
    return later(
        describe(
            "",
            "namespaces",
            "Namespace",
            namespaced=False,
            has_status=True,
            more=(Subresource("finalize", _NAMESPACE, ("update",)),),
            verbs=_WITHOUT_COLLECTION,
            short_names=("ns",),
        ),
        _load_namespace,
        selectable=("status.phase",),
        returns_deleted=True,
    )


def _configmaps() -> Definition:
    return later(describe("", "configmaps", "ConfigMap", short_names=("cm",)), _load_config_map)


def _secrets() -> Definition:
    return later(describe("", "secrets", "Secret"), _load_secret, selectable=("type",))


def _serviceaccounts() -> Definition:
    return later(
        describe(
            "",
            "serviceaccounts",
            "ServiceAccount",
            more=(Subresource("token", _TOKEN_REQUEST, ("create",)),),
            short_names=("sa",),
        ),
        _load_service_account,
        returns_deleted=True,
    )


def _pods() -> Definition:
    return later(
        describe("", "pods", "Pod", has_status=True, more=_OF_PODS, short_names=("po",), categories=("all",)),
        _load_pod,
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
        show_deleted=_show_deleted_pod,
    )


def _show_deleted_pod(obj: Object) -> Object:
    from quarterdeck.registry.builtin.core.pod import show_deleted

    return show_deleted(obj)


def _podtemplates() -> Definition:
    return later(describe("", "podtemplates", "PodTemplate"), _load_pod_template, returns_deleted=True)


def _replicationcontrollers() -> Definition:
    return later(
        describe(
            "",
            "replicationcontrollers",
            "ReplicationController",
            has_scale=True,
            has_status=True,
            short_names=("rc",),
            categories=("all",),
        ),
        _load_replication_controller,
        selectable=("status.replicas",),
        scale=ScalePaths(".spec.replicas", ".status.replicas", ".spec.selector", selects_labels=True),
    )


def _endpoints() -> Definition:
    return later(
        describe("", "endpoints", "Endpoints", short_names=("ep",)), _load_endpoints, deprecation_warning=_DEPRECATION
    )


def _nodes() -> Definition:
    return later(
        describe(
            "",
            "nodes",
            "Node",
            namespaced=False,
            has_status=True,
            more=(Subresource("proxy", GroupVersionKind("", "v1", "NodeProxyOptions"), PROXY_VERBS),),
            short_names=("no",),
        ),
        _load_node,
        selectable=("spec.unschedulable",),
    )


def _load_namespace() -> Behaviour:
    from quarterdeck.registry.builtin.core.namespace import (
        NamespaceFinalizeStrategy,
        NamespaceStatusStrategy,
        NamespaceStrategy,
        default_namespace,
    )

    return Behaviour(
        _for_namespaces(NamespaceStrategy),
        {
            "status": _for_namespaces(NamespaceStatusStrategy),
            "finalize": _for_namespaces(NamespaceFinalizeStrategy),
        },
        default=default_namespace,
        select_fields=_select_namespace_fields,
    )


def _load_config_map() -> Behaviour:
    from quarterdeck.registry.builtin.core.configmap import ConfigMapStrategy

    return Behaviour(ConfigMapStrategy(namespaced=True), note=partial(written.note_bytes, "binaryData"))


def _load_secret() -> Behaviour:
    from quarterdeck.registry.builtin.core.secret import SecretStrategy, default_secret

    return Behaviour(
        SecretStrategy(namespaced=True),
        default=default_secret,
        select_fields=_select_secret_fields,
        note=partial(written.note_bytes, "data", texts="stringData"),
    )


def _load_service_account() -> Behaviour:
    from quarterdeck.registry.builtin.core.serviceaccount import ServiceAccountStrategy
    from quarterdeck.registry.builtin.strategy import BuiltinStrategy

    return Behaviour(ServiceAccountStrategy(namespaced=True), {"token": BuiltinStrategy(namespaced=True)})


def _load_pod() -> Behaviour:
    from quarterdeck.registry.builtin.core.pod import PodStatusStrategy, PodStrategy, select_pod_fields
    from quarterdeck.registry.builtin.core.poddefaults import default_pod
    from quarterdeck.registry.builtin.core.podparts import (
        EphemeralContainersStrategy,
        PodResizeStrategy,
        UncheckedPodStrategy,
    )

    return Behaviour(
        PodStrategy(namespaced=True),
        {
            "status": PodStatusStrategy(namespaced=True),
            "ephemeralcontainers": EphemeralContainersStrategy(namespaced=True),
            "resize": PodResizeStrategy(namespaced=True),
            **{name: UncheckedPodStrategy(namespaced=True) for name in _CONNECTIONS},
        },
        default=default_pod,
        note=written.note,
        select_fields=select_pod_fields,
    )


def _load_pod_template() -> Behaviour:
    from quarterdeck.registry.builtin.core.podtemplate import TIMES, PodTemplateStrategy, default_pod_template

    return Behaviour(PodTemplateStrategy(namespaced=True), default=default_pod_template, note=TIMES.note_written)


def _load_replication_controller() -> Behaviour:
    from quarterdeck.registry.builtin.core.replicationcontroller import (
        TIMES,
        ReplicationControllerStatusStrategy,
        ReplicationControllerStrategy,
        default_controller,
        select_controller_fields,
    )

    strategy = ReplicationControllerStrategy(namespaced=True, name_check=names.long_name)
    return Behaviour(
        strategy,
        {"status": ReplicationControllerStatusStrategy(namespaced=True), "scale": strategy},
        default=default_controller,
        select_fields=select_controller_fields,
        note=TIMES.note_written,
    )


def _load_endpoints() -> Behaviour:
    from quarterdeck.registry.builtin.core.endpoints import EndpointsStrategy, default_endpoints

    return Behaviour(EndpointsStrategy(namespaced=True), default=default_endpoints)


def _load_node() -> Behaviour:
    from quarterdeck.registry.builtin.core.node import (
        NodeStatusStrategy,
        NodeStrategy,
        default_node,
        note_node,
        select_node_fields,
    )

    return Behaviour(
        NodeStrategy(namespaced=False),
        {"status": NodeStatusStrategy(namespaced=False), "proxy": BuiltinStrategy(namespaced=False)},
        default=default_node,
        note=note_node,
        select_fields=select_node_fields,
    )
