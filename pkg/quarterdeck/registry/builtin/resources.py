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
from quarterdeck.fieldmanager.types import TypeSchema
from quarterdeck.registry.builtin.apiservice import (
    API_SERVICE,
    APIServiceStatusStrategy,
    APIServiceStrategy,
    default_api_service,
)
from quarterdeck.registry.builtin.codec import BuiltinCodec, ConvertedForm, ConvertingCodec, Versions
from quarterdeck.registry.builtin.configmap import ConfigMapStrategy
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
from quarterdeck.registry.builtin.secret import SecretStrategy, default_secret
from quarterdeck.registry.builtin.serviceaccount import ServiceAccountStrategy
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.scale import ScalePaths, split_json_path
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

    `struct`: the Go type of a kind that the tables of Go types do not have. `versions` of a kind that two groups serve;
    its fields are selected in the stored one.
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
    versions: Versions | None = None

    def make_struct(self) -> Struct:
        """Asked when the kind is first used: the tables take long to read."""
        return self.struct or gotypes.struct_of(self.resource.api_version, self.resource.kind)

    @property
    def is_converted(self) -> bool:
        """Whether objects are stored in another version."""
        return self.versions is not None and self.resource.api_version != self.versions.stored


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
            namespaced(ServiceAccountStrategy),
            {"token": namespaced(BuiltinStrategy)},
            returns_deleted=True,
        ),
        Definition(
            _core("events", "Event", short_names=("ev",)),
            namespaced(EventStrategy),
            select_fields=select_event_fields,
            selectable=selectable_of_events("v1"),
            versions=EVENT_VERSIONS,
        ),
        Definition(
            APIResource(
                "events.k8s.io", "v1", "events", "event", "Event", "EventList", namespaced=True, short_names=("ev",)
            ),
            namespaced(EventsEventStrategy),
            select_fields=select_event_fields,
            selectable=selectable_of_events("events.k8s.io/v1"),
            versions=EVENT_VERSIONS,
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
        codec: BuiltinCodec
        if definition.is_converted and definition.versions is not None:
            codec = ConvertingCodec(resource.api_version, resource.kind, definition.make_struct, definition.versions)
        else:
            codec = BuiltinCodec(resource.api_version, resource.kind, definition.make_struct, definition.default)
        return self.build_with(definition, codec)

    def build_with(self, definition: Definition, codec: Codec) -> dict[str, Scope]:
        resource, scale = definition.resource, definition.scale
        store = self._build_store(definition)
        form = StoredForm(resource.api_version, resource.kind)
        if isinstance(codec, ConvertingCodec):
            form = ConvertedForm(resource.api_version, resource.kind, codec)
        ownership = FieldManager(
            _types_of(definition),
            definition.versions.convert if definition.versions else _same,
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

    def _build_store(self, definition: Definition) -> Store:
        resource, versions = definition.resource, definition.versions
        select_fields = definition.select_fields or _no_fields
        cached = self.cacher.resource(versions.group if versions else resource.group, resource.name, select_fields)

        def attributes(obj: Object) -> Attributes:
            stored = versions.convert(obj, versions.stored) if versions else obj
            return Attributes(obj["metadata"].get("labels") or {}, select_fields(stored))

        store = Store(
            resource.group,
            resource.name,
            namespaced=resource.namespaced,
            key_prefix=cached.prefix,
            storage=self.storage,
            cache=cached,
            attributes=attributes,
            returns_deleted=definition.returns_deleted,
        )
        store.show_deleted = definition.show_deleted
        if versions is not None:
            store.kind_group = versions.group
        return store


def _types_of(definition: Definition) -> Callable[[str], TypeSchema | None]:
    """The types that owned fields may be of, by version, each made when it is first asked for."""
    resource, versions = definition.resource, definition.versions
    known = (versions.stored, *versions.others) if versions else ()

    @cache
    def type_of(api_version: str) -> TypeSchema | None:
        if api_version == resource.api_version:
            return builtin_fields.from_go_type(definition.make_struct())
        if api_version in known:
            return builtin_fields.from_go_type(gotypes.struct_of(api_version, resource.kind))
        return None

    return type_of


def _same(obj: Object, _api_version: str) -> Object:
    return obj


def _no_fields(_obj: Object) -> dict[str, str]:
    return {}
