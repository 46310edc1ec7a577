"""How the scopes of a built-in resource are put together from its definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Final

from quarterdeck.apimachinery.meta import split_api_version
from quarterdeck.apis.resource import APIResource
from quarterdeck.discovery.documents import storage_version_hash
from quarterdeck.fieldmanager import builtin as builtin_fields
from quarterdeck.fieldmanager.manager import FieldManager
from quarterdeck.fieldmanager.types import TypeSchema
from quarterdeck.registry.builtin.codec import BuiltinCodec, ConvertedForm, ConvertingCodec
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.scale import split_json_path
from quarterdeck.registry.scope import Scope, TableConvertor
from quarterdeck.registry.store import Store
from quarterdeck.registry.strategy import Codec, Object, Strategy
from quarterdeck.schema import gotypes
from quarterdeck.storage.cacher import Attributes, Cacher, StoredForm
from quarterdeck.storage.interface import Storage
from quarterdeck.storage.value.resources import KeyPrefixes

# Versions that servers of the release before cannot read are not stored yet (upstream: emulatedStorageVersion), nor is
# the longer one of definitions (upstream: createAPIExtensionsConfig).
STORED_IN: Final = {
    "CustomResourceDefinition": "apiextensions.k8s.io/v1beta1",
    "MutatingAdmissionPolicy": "admissionregistration.k8s.io/v1beta1",
    "MutatingAdmissionPolicyBinding": "admissionregistration.k8s.io/v1beta1",
}

ColumnsOf = Callable[[str, str], TableConvertor]


@dataclass(frozen=True, slots=True)
class Assembly:
    """What all built-in scopes are made with. `columns_of(group, kind)` gives the table columns of a kind."""

    storage: Storage
    cacher: Cacher
    columns_of: ColumnsOf
    built: dict[str, list[dict[str, Scope]]] = field(default_factory=dict)  # by the prefix of the store's keys

    def build(self, definition: Definition) -> dict[str, Scope]:
        """The scopes of one resource, by subresource."""
        resource = definition.resource
        codec: BuiltinCodec
        if definition.is_converted and definition.versions is not None:
            codec = ConvertingCodec(
                resource.api_version, resource.kind, definition.make_struct, definition.versions, definition.default
            )
        else:
            codec = BuiltinCodec(
                resource.api_version,
                resource.kind,
                definition.make_struct,
                definition.default,
                definition.note,
                definition.spelling,
                keeps_empty_lists=definition.keeps_empty_lists,
            )
        return self.build_with(definition, codec)

    def build_with(self, definition: Definition, codec: Codec) -> dict[str, Scope]:
        resource, scale = _with_hash(definition), definition.scale
        store = self._build_store(definition)
        siblings = self.built.setdefault(store.key_prefix, [])
        hidden, make_empty = definition.hidden_annotation, definition.make_empty
        form = StoredForm(resource.api_version, resource.kind, hidden, make_empty)
        if isinstance(codec, ConvertingCodec):
            form = ConvertedForm(resource.api_version, resource.kind, codec, make_empty)
        ownership = FieldManager(
            _types_of(definition),
            definition.versions.convert if definition.versions else _same,
            kind=resource.kind,
            is_builtin=True,
            reset_fields=builtin_fields.reset_fields(resource.api_version, resource.kind, definition.subresources),
            scale_paths={resource.api_version: tuple(split_json_path(scale.spec_replicas)) if scale else None},
        )

        # Rows are made of what is stored, in whatever version they are asked for.
        versions = definition.versions
        shown_form = StoredForm(versions.stored, resource.kind) if versions and definition.is_converted else None

        def build_scope(subresource: str, strategy: Strategy) -> Scope:
            return Scope(
                resource=resource,
                subresource=subresource,
                store=store,
                codec=codec,
                strategy=strategy,
                object_form=form,
                shown_form=shown_form,
                ownership=ownership,
                table=lambda: self.columns_of(resource.group, resource.kind),
                is_custom=False,
                deprecation_warning=definition.deprecation_warning,
                orphan_warning=definition.orphan_warning,
                selectable_fields=definition.selectable,
                scale=scale,
                siblings=partial(_siblings, siblings, subresource),
            )

        scopes = {name: build_scope(name, strategy) for name, strategy in definition.subresources.items()}
        scopes[""] = build_scope("", definition.strategy)
        siblings.append(scopes)
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
            storage=self.storage if cached.shared.is_alone else cached.shared.storage,
            cache=cached,
            attributes=attributes,
            returns_deleted=definition.returns_deleted,
        )
        store.show_deleted = definition.show_deleted
        store.shown_prefix = KeyPrefixes(cached.prefix).upstream
        if versions is not None:
            store.kind_group = versions.group
        return store


def _with_hash(definition: Definition) -> APIResource:
    resource, versions = definition.resource, definition.versions
    return _add_hash(resource, versions.stored if versions else STORED_IN.get(resource.kind, resource.api_version))


@cache
def _add_hash(resource: APIResource, stored: str) -> APIResource:
    """The same for all servers of a process."""
    group, _, version = stored.rpartition("/")
    return replace(resource, storage_version_hash=storage_version_hash(group, version, resource.kind))


def _types_of(definition: Definition) -> Callable[[str], TypeSchema | None]:
    """The types that owned fields may be of, by version, each made when it is first asked for. None of another group:
    as upstream, a write forgets who owns fields there."""
    resource, versions = definition.resource, definition.versions
    every = (versions.stored, *versions.others) if versions else ()
    known = [each for each in every if split_api_version(each)[0] == resource.group]

    @cache
    def type_of(api_version: str) -> TypeSchema | None:
        if api_version == resource.api_version:
            return builtin_fields.from_go_type(definition.make_struct())
        if api_version in known:
            return builtin_fields.from_go_type(gotypes.struct_of(api_version, resource.kind))
        return None

    return type_of


def _siblings(built: list[dict[str, Scope]], subresource: str) -> list[Scope]:
    return [scopes[subresource] for scopes in built if subresource in scopes]


def _same(obj: Object, _api_version: str) -> Object:
    return obj


def _no_fields(_obj: Object) -> dict[str, str]:
    return {}
