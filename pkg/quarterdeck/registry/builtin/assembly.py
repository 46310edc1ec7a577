"""How the scopes of a built-in resource are put together from its definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.builtin.parts import find_parts, find_resource
from quarterdeck.registry.emptymembers import EmptyMembers
from quarterdeck.registry.scope import Builtin, Scope, Siblings, TableConvertor
from quarterdeck.registry.store import Store
from quarterdeck.registry.strategy import Object, Strategy
from quarterdeck.storage.cacher import Attributes, Cacher, build_prefix
from quarterdeck.storage.interface import Storage
from quarterdeck.storage.value.resources import KeyPrefixes

ColumnsOf = Callable[[str, str], TableConvertor]


@dataclass(frozen=True, slots=True)
class Assembly:
    """What all built-in scopes are made with. `columns_of(group, kind)` gives the table columns of a kind."""

    storage: Storage
    cacher: Cacher
    columns_of: ColumnsOf
    built: dict[str, Siblings] = field(default_factory=dict)  # by the prefix of the store's keys
    empty_members: dict[str, EmptyMembers] = field(default_factory=dict)  # likewise

    def build(self, definition: Definition) -> dict[str, Scope]:
        """The scopes of one resource, by subresource."""
        parts = find_parts(definition)
        resource = parts.resource
        store = self._build_store(definition)
        siblings = self.built.setdefault(store.key_prefix, Siblings())
        store.empty_members = self.empty_members.setdefault(store.key_prefix, store.empty_members)

        def build_scope(subresource: str, strategy: Strategy) -> Scope:
            return Scope(
                resource=resource,
                subresource=subresource,
                store=store,
                codec=parts.codec,
                strategy=strategy,
                object_form=parts.form,
                shown_form=parts.shown_form,
                ownership=parts.ownership,
                table=lambda: self.columns_of(resource.group, resource.kind),
                is_custom=False,
                deprecation_warning=definition.deprecation_warning,
                removed_release=definition.removed_release,
                orphan_warning=definition.orphan_warning,
                undeletable=definition.undeletable,
                selectable_fields=definition.selectable,
                scale=definition.scale,
                siblings=partial(siblings.of, subresource),
            )

        scopes = {name: build_scope(name, strategy) for name, strategy in definition.subresources.items()}
        scopes[""] = build_scope("", definition.strategy)
        siblings.add(scopes)
        _share_versions(siblings)
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
        store.shown_prefix = _upstream_of(cached.prefix)
        if versions is not None:
            store.kind_group = versions.group
        return store


def _share_versions(siblings: Siblings) -> None:
    """The version that is stored knows the others, too: admission may want to see objects in those."""
    builtin = [each.codec for each in siblings.of("") if isinstance(each.codec, BuiltinCodec)]
    versions = next((codec.versions for codec in builtin if codec.versions is not None), None)
    for codec in builtin:
        codec.versions = versions


class LateScopes(Builtin):
    """Scopes by group, version and resource, each resource's built when it is first asked for: a server may never see
    most of them. All versions of a resource are built together, since they are siblings. `prefixes`: where their
    objects are stored."""

    def __init__(self, assembly: Assembly, definitions: Sequence[Definition]) -> None:
        self._assembly = assembly
        self._definitions = {
            (each.resource.group, each.resource.version, each.resource.name): each for each in definitions
        }
        self._built: dict[tuple[str, str, str], Mapping[str, Scope]] = {}
        self.prefixes = {address: _prefix_of(definition) for address, definition in self._definitions.items()}

    def __getitem__(self, address: tuple[str, str, str]) -> Mapping[str, Scope]:
        found = self._built.get(address)
        if found is None:
            prefix = self.prefixes[address]
            for other in [each for each, its in self.prefixes.items() if its == prefix]:
                self._built[other] = self._assembly.build(self._definitions[other])
            found = self._built[address]
        return found

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return iter(self._definitions)

    def __len__(self) -> int:
        return len(self._definitions)

    def __contains__(self, address: object) -> bool:
        return address in self._definitions

    def build_all(self) -> None:
        for address in self._definitions:
            self[address]

    def resource(self, address: tuple[str, str, str]) -> APIResource:
        return find_resource(self._definitions[address])

    def resources(self) -> Sequence[APIResource]:
        """All of them, without building any."""
        return [find_resource(each) for each in self._definitions.values()]


def resources_of(served: Builtin) -> Sequence[APIResource]:
    if isinstance(served, LateScopes):
        return served.resources()
    return [scopes[""].resource for scopes in served.values()]


@cache
def _upstream_of(prefix: str) -> str:
    return KeyPrefixes(prefix).upstream


def _prefix_of(definition: Definition) -> str:
    versions, resource = definition.versions, definition.resource
    return build_prefix(versions.group if versions else resource.group, resource.name)


def _no_fields(_obj: Object) -> dict[str, str]:
    return {}
