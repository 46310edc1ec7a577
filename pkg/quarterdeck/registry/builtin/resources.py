"""The built-in resources that are served, and how their scopes are put together: one line a resource.

The types that operators and kubectl need at once; their own logic (tokens, quotas …) is not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import names
from quarterdeck.apis.resource import ALL_VERBS, APIResource, GroupVersionKind, Subresource
from quarterdeck.fieldmanager import builtin as builtin_fields
from quarterdeck.fieldmanager.manager import FieldManager
from quarterdeck.registry.builtin.apiservice import (
    API_SERVICE,
    APIServiceStatusStrategy,
    APIServiceStrategy,
    default_api_service,
)
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.configmap import ConfigMapStrategy
from quarterdeck.registry.builtin.event import EventStrategy
from quarterdeck.registry.builtin.lease import LeaseStrategy
from quarterdeck.registry.builtin.namespace import (
    NamespaceFinalizeStrategy,
    NamespaceStatusStrategy,
    NamespaceStrategy,
    default_namespace,
)
from quarterdeck.registry.builtin.secret import SecretStrategy, default_secret
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.customresource.scale import ScalePaths, split_json_path
from quarterdeck.registry.scope import Scope, TableConvertor
from quarterdeck.registry.store import Store
from quarterdeck.registry.strategy import Codec, Object, Strategy
from quarterdeck.schema import gotypes
from quarterdeck.schema.gotype import Struct
from quarterdeck.storage.cacher import Attributes, Cacher, StoredForm
from quarterdeck.storage.interface import Storage

_WITHOUT_COLLECTION: Final = tuple(verb for verb in ALL_VERBS if verb != "deletecollection")
_STATUS_VERBS: Final = ("get", "patch", "update")

ColumnsOf = Callable[[str, str], TableConvertor]


class Definition(NamedTuple):
    """`subresources`: name → strategy. `select_fields`: the field labels of a kind beside its metadata's.

    `struct`: the Go type of a kind that the tables of Go types do not have.
    """

    resource: APIResource
    strategy: Strategy
    subresources: Mapping[str, Strategy] = {}
    default: Callable[[Object], None] | None = None
    select_fields: Callable[[Object], dict[str, str]] | None = None
    selectable: tuple[str, ...] = ()
    returns_deleted: bool = False
    show_deleted: Callable[[Object], Object] | None = None
    scale: ScalePaths | None = None
    struct: Struct | None = None

    def make_struct(self) -> Struct:
        """Asked when the kind is first used: the tables take long to read."""
        return self.struct or gotypes.struct_of(self.resource.api_version, self.resource.kind)


def _core(name: str, kind: str, **more: Any) -> APIResource:
    return APIResource("", "v1", name, kind.lower(), kind, kind + "List", **{"namespaced": True, **more})


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
_EVENT_FIELDS: Final = (
    ("involvedObject.kind", "involvedObject", "kind"),
    ("involvedObject.namespace", "involvedObject", "namespace"),
    ("involvedObject.name", "involvedObject", "name"),
    ("involvedObject.uid", "involvedObject", "uid"),
    ("involvedObject.apiVersion", "involvedObject", "apiVersion"),
    ("involvedObject.resourceVersion", "involvedObject", "resourceVersion"),
    ("involvedObject.fieldPath", "involvedObject", "fieldPath"),
)


def select_event_fields(obj: Object) -> dict[str, str]:
    """Source: pkg/registry/core/event/strategy.go (ToSelectableFields)."""
    fields = {label: str((obj.get(member) or {}).get(name, "")) for label, member, name in _EVENT_FIELDS}
    source = (obj.get("source") or {}).get("component", "") or obj.get("reportingComponent", "")
    return {
        **fields,
        "reason": obj.get("reason", ""),
        "source": source,
        "type": obj.get("type", ""),
        "reportingComponent": obj.get("reportingComponent", ""),
    }


def select_secret_fields(obj: Object) -> dict[str, str]:
    return {"type": obj.get("type", "")}


def select_namespace_fields(obj: Object) -> dict[str, str]:
    return {"status.phase": (obj.get("status") or {}).get("phase", "")}


def definitions() -> list[Definition]:
    def namespaced(strategy: type[BuiltinStrategy]) -> BuiltinStrategy:
        return strategy(namespaced=True)

    def for_namespaces(strategy: type[BuiltinStrategy]) -> BuiltinStrategy:
        return strategy(namespaced=False, name_check=names.name_is_dns1123_label)

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
            for_namespaces(NamespaceStrategy),
            {"status": for_namespaces(NamespaceStatusStrategy), "finalize": for_namespaces(NamespaceFinalizeStrategy)},
            default=default_namespace,
            select_fields=select_namespace_fields,
            selectable=("status.phase",),
            returns_deleted=True,
        ),
        Definition(_core("configmaps", "ConfigMap", short_names=("cm",)), namespaced(ConfigMapStrategy)),
        Definition(
            _core("secrets", "Secret"),
            namespaced(SecretStrategy),
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
            namespaced(BuiltinStrategy),
            {"token": namespaced(BuiltinStrategy)},
            returns_deleted=True,
        ),
        Definition(
            _core("events", "Event", short_names=("ev",)),
            namespaced(EventStrategy),
            select_fields=select_event_fields,
            selectable=(*(label for label, _, _ in _EVENT_FIELDS), "reason", "source", "type", "reportingComponent"),
        ),
        Definition(
            APIResource("coordination.k8s.io", "v1", "leases", "lease", "Lease", "LeaseList", namespaced=True),
            namespaced(LeaseStrategy),
        ),
        Definition(
            _API_SERVICES,
            APIServiceStrategy(namespaced=False),
            {"status": APIServiceStatusStrategy(namespaced=False)},
            default=default_api_service,
            struct=API_SERVICE,
        ),
    ]


@dataclass(frozen=True, slots=True)
class Assembly:
    """What all built-in scopes are made with. `columns_of(group, kind)` gives the table columns of a kind."""

    storage: Storage
    cacher: Cacher
    columns_of: ColumnsOf

    def build(self, definition: Definition) -> dict[str, Scope]:
        """The scopes of one resource, by subresource."""
        resource = definition.resource
        codec = BuiltinCodec(resource.api_version, resource.kind, definition.make_struct, definition.default)
        return self.build_with(definition, codec)

    def build_with(self, definition: Definition, codec: Codec) -> dict[str, Scope]:
        resource, scale = definition.resource, definition.scale
        select_fields = definition.select_fields or _no_fields
        cached = self.cacher.resource(resource.group, resource.name, select_fields)
        store = Store(
            resource.group,
            resource.name,
            namespaced=resource.namespaced,
            key_prefix=cached.prefix,
            storage=self.storage,
            cache=cached,
            attributes=lambda obj: Attributes(obj["metadata"].get("labels") or {}, select_fields(obj)),
            returns_deleted=definition.returns_deleted,
        )
        store.show_deleted = definition.show_deleted
        form = StoredForm(resource.api_version, resource.kind)
        type_schema = cache(lambda: builtin_fields.from_go_type(definition.make_struct()))
        ownership = FieldManager(
            lambda api_version: type_schema() if api_version == resource.api_version else None,
            lambda obj, _api_version: obj,
            kind=resource.kind,
            is_builtin=True,
            reset_fields=builtin_fields.reset_fields(resource.api_version, resource.kind, definition.subresources),
            scale_paths={resource.api_version: tuple(split_json_path(scale.spec_replicas)) if scale else None},
        )

        def build_scope(subresource: str, strategy: Strategy) -> Scope:
            return Scope(
                resource=resource,
                subresource=subresource,
                store=store,
                codec=codec,
                strategy=strategy,
                object_form=form,
                ownership=ownership,
                table=lambda: self.columns_of(resource.group, resource.kind),
                is_custom=False,
                selectable_fields=definition.selectable,
                scale=scale,
            )

        scopes = {name: build_scope(name, strategy) for name, strategy in definition.subresources.items()}
        scopes[""] = build_scope("", definition.strategy)
        return scopes


def _no_fields(_obj: Object) -> dict[str, str]:
    return {}
