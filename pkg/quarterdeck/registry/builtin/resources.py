"""The built-in resources that are stored and hold no workload: one definition each.

The types that operators and kubectl need at once; their own logic (tokens, quotas …) is not here.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import names
from quarterdeck.apis.resource import ALL_VERBS, APIResource, GroupVersionKind, Subresource
from quarterdeck.registry.builtin.admissionregistration import resources as admissionregistration
from quarterdeck.registry.builtin.apiservice import (
    APIServiceStatusStrategy,
    APIServiceStrategy,
    default_api_service,
)
from quarterdeck.registry.builtin.configmap import ConfigMapStrategy
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.builtin.event import (
    EVENT_VERSIONS,
    EventsEventStrategy,
    EventStrategy,
    select_event_fields,
    selectable_of_events,
)
from quarterdeck.registry.builtin.lease import LeaseStrategy
from quarterdeck.registry.builtin.namespace import (
    NamespaceFinalizeStrategy,
    NamespaceStatusStrategy,
    NamespaceStrategy,
    default_namespace,
)
from quarterdeck.registry.builtin.priorityclass import PriorityClassStrategy, default_priority_class
from quarterdeck.registry.builtin.runtimeclass import RuntimeClassStrategy
from quarterdeck.registry.builtin.secret import SecretStrategy, default_secret
from quarterdeck.registry.builtin.serviceaccount import ServiceAccountStrategy
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_WITHOUT_COLLECTION: Final = tuple(verb for verb in ALL_VERBS if verb != "deletecollection")
_STATUS_VERBS: Final = ("get", "patch", "update")


def _core(name: str, kind: str, **more: Any) -> APIResource:
    return APIResource("", "v1", name, kind.lower(), kind, kind + "List", **{"namespaced": True, **more})


def _cluster_wide(group: str, name: str, kind: str, **more: Any) -> APIResource:
    return APIResource(group, "v1", name, kind.lower(), kind, kind + "List", namespaced=False, **more)


_NAMESPACES = _core(
    "namespaces",
    "Namespace",
    namespaced=False,
    verbs=_WITHOUT_COLLECTION,
    short_names=("ns",),
)

_API_SERVICES = APIResource(
    "apiregistration.k8s.io",
    "v1",
    "apiservices",
    "apiservice",
    "APIService",
    "APIServiceList",
    namespaced=False,
    categories=("api-extensions",),
    subresources=(
        Subresource("status", GroupVersionKind("apiregistration.k8s.io", "v1", "APIService"), _STATUS_VERBS),
    ),
)

_TOKEN_REQUEST: Final = GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest")


def select_secret_fields(obj: Object) -> dict[str, str]:
    return {"type": obj.get("type", "")}


def select_namespace_fields(obj: Object) -> dict[str, str]:
    return {"status.phase": (obj.get("status") or {}).get("phase", "")}


def definitions() -> list[Definition]:
    return [*_of_core(), *_of_other_groups(), *admissionregistration.definitions()]


def _namespaced(strategy: type[BuiltinStrategy]) -> BuiltinStrategy:
    return strategy(namespaced=True)


def _for_namespaces(strategy: type[BuiltinStrategy]) -> BuiltinStrategy:
    return strategy(namespaced=False, name_check=names.name_is_dns1123_label)


def _of_core() -> list[Definition]:
    return [
        Definition(
            APIResource(
                "",
                "v1",
                "namespaces",
                "namespace",
                "Namespace",
                "NamespaceList",
                namespaced=False,
                verbs=_WITHOUT_COLLECTION,
                short_names=("ns",),
                subresources=(
                    Subresource("finalize", _NAMESPACES.gvk, ("update",)),
                    Subresource("status", _NAMESPACES.gvk, _STATUS_VERBS),
                ),
            ),
            _for_namespaces(NamespaceStrategy),
            {
                "status": _for_namespaces(NamespaceStatusStrategy),
                "finalize": _for_namespaces(NamespaceFinalizeStrategy),
            },
            default=default_namespace,
            select_fields=select_namespace_fields,
            selectable=("status.phase",),
            returns_deleted=True,
        ),
        Definition(_core("configmaps", "ConfigMap", short_names=("cm",)), _namespaced(ConfigMapStrategy)),
        Definition(
            _core("secrets", "Secret"),
            _namespaced(SecretStrategy),
            default=default_secret,
            select_fields=select_secret_fields,
            selectable=("type",),
        ),
        Definition(
            _core(
                "serviceaccounts",
                "ServiceAccount",
                short_names=("sa",),
                subresources=(Subresource("token", _TOKEN_REQUEST, ("create",)),),
            ),
            _namespaced(ServiceAccountStrategy),
            {"token": _namespaced(BuiltinStrategy)},
            returns_deleted=True,
        ),
        Definition(
            _core("events", "Event", short_names=("ev",)),
            _namespaced(EventStrategy),
            select_fields=select_event_fields,
            selectable=selectable_of_events("v1"),
            versions=EVENT_VERSIONS,
        ),
    ]


def _of_other_groups() -> list[Definition]:
    return [
        Definition(
            APIResource(
                "events.k8s.io", "v1", "events", "event", "Event", "EventList", namespaced=True, short_names=("ev",)
            ),
            _namespaced(EventsEventStrategy),
            select_fields=select_event_fields,
            selectable=selectable_of_events("events.k8s.io/v1"),
            versions=EVENT_VERSIONS,
        ),
        Definition(
            APIResource("coordination.k8s.io", "v1", "leases", "lease", "Lease", "LeaseList", namespaced=True),
            _namespaced(LeaseStrategy),
        ),
        Definition(
            _cluster_wide("scheduling.k8s.io", "priorityclasses", "PriorityClass", short_names=("pc",)),
            PriorityClassStrategy(namespaced=False),
            default=default_priority_class,
        ),
        Definition(
            _cluster_wide("node.k8s.io", "runtimeclasses", "RuntimeClass"),
            RuntimeClassStrategy(namespaced=False),
        ),
        Definition(
            _API_SERVICES,
            APIServiceStrategy(namespaced=False),
            {"status": APIServiceStatusStrategy(namespaced=False)},
            default=default_api_service,
        ),
    ]
