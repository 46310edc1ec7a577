"""A Scope: all that a handler needs to serve one resource (or subresource) in one version.

Frozen and built once a change of a definition; handlers hold it for the length of a request, so a request in flight
finishes on the definition that it began with. Source: apiserver/pkg/endpoints/handlers (RequestScope).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from quarterdeck.admission.attributes import Equivalent, MergeError
from quarterdeck.apimachinery import clock
from quarterdeck.apis.resource import APIResource, GroupVersionKind
from quarterdeck.fieldmanager.scale import ScaleFields
from quarterdeck.registry import mutated, mutatedkinds
from quarterdeck.registry.filling import Filling
from quarterdeck.registry.inflight import InFlight
from quarterdeck.registry.scale import ScalePaths
from quarterdeck.registry.store import Store
from quarterdeck.registry.strategy import Codec, Object, Strategy
from quarterdeck.registry.writes import WriteResult
from quarterdeck.storage.cacher import Entry, Form

# What is posted to subresources, and no type of its group and version in the documents of OpenAPI.
_UNTYPED: Final = frozenset(
    (GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest"), GroupVersionKind("policy", "v1", "Eviction"))
)


class FieldOwnership(Protocol):
    """managedFields of one resource (fieldmanager.FieldManager)."""

    def update(
        self, live: Object | None, new: Object, *, manager: str, subresource: str, api_version: str, now: str
    ) -> None: ...

    def apply(
        self,
        live: Object | None,
        applied: Object,
        *,
        manager: str,
        force: bool,
        subresource: str,
        api_version: str,
        now: str,
    ) -> Object: ...

    def merge(self, live: Object, patch: Object, api_version: str) -> Object: ...

    def scale_fields(self, entries: list[Object], api_version: str) -> ScaleFields: ...

    def has_version(self, api_version: str) -> bool: ...


class TableConvertor(Protocol):
    """Turns objects of one resource in one version into rows (endpoints.table). `definitions` is the JSON of
    `column_definitions`, kept; `no_rows` is what stands for the rows of an empty list; `order` None: rows stand as
    their objects do; `repeats_columns`: each event of a watch tells them."""

    @property
    def column_definitions(self) -> list[dict[str, object]]: ...

    @property
    def definitions(self) -> bytes: ...

    @property
    def no_rows(self) -> bytes: ...

    @property
    def repeats_columns(self) -> bool: ...

    @property
    def order(self) -> Callable[[Object], tuple[Any, ...]] | None: ...

    def row(self, obj: Object, now_s: float, object_json: bytes) -> bytes:
        """The JSON of one TableRow; `object_json` is what stands in its `object` (`null` for none)."""


class Sibling:
    """A version of a resource, or of its subresource, as the scopes of the other versions know it. A scope does not
    refer to other scopes, which would refer to it: with its definition it goes at once."""

    __slots__ = ("codec", "is_served", "kind", "resource")

    def __init__(self, resource: APIResource, kind: GroupVersionKind, codec: Codec, *, is_served: bool = True) -> None:
        self.is_served = is_served
        self.resource = resource
        self.kind = kind
        self.codec = codec


@dataclass(frozen=True)  # with slots it would not be a compiled class
class Scope:
    """`is_custom` chooses the answers that only custom resources give (or only built-in ones).

    `object_form` gives the bytes of an entry in this version, `shown_form` where it is not None what rows of tables
    and the metadata alone are made of. `deprecation_warning`, `orphan_warning` (of a delete that does not say what
    becomes of dependents) and `create_refusal` are "" where there is none. `removed_release`: in which what is
    deprecated is not served any more, where that is known. `undeletable`: why an object of this name is not deleted;
    None of most kinds. `table` builds the columns at their first use. `in_flight` counts the requests that are awaited,
    where somebody wants to know. In `meters` the endpoints keep the values of metrics of requests to this scope.
    `siblings` tell of the resource in all its versions, this one among them; None: this one alone. `filling` is None
    where every object can be shown. `begins` tells whether the next write has to read a large schema first; None: there
    is none.
    The scope tells admission about its kind (admission.attributes.ObjectInterfaces).
    """

    resource: APIResource
    subresource: str
    store: Store
    codec: Codec
    strategy: Strategy
    object_form: Form
    ownership: FieldOwnership | None
    table: Callable[[], TableConvertor]
    is_custom: bool
    deprecation_warning: str = ""
    removed_release: str = ""
    orphan_warning: str = ""
    undeletable: Mapping[str, str] | None = None
    create_refusal: str = ""
    selectable_fields: tuple[str, ...] = ()
    scale: ScalePaths | None = None
    in_flight: InFlight | None = None
    meters: dict[str, object] = field(default_factory=dict, compare=False, repr=False)
    siblings: Callable[[], Sequence[Sibling]] | None = field(default=None, compare=False, repr=False)
    shown_form: Form | None = None
    filling: Filling | None = None
    begins: Callable[[], bool] | None = field(default=None, compare=False, repr=False)

    def entry_of(self, stored: WriteResult) -> Entry:
        """A written object as the cache holds it, or would. What is encoded for the answer then serves who reads
        next."""
        held = self.store.cache.get(stored.namespace if self.resource.namespaced else "", stored.name)
        if held is not None and held.revision == stored.revision and held.data == stored.data:
            return held
        path = f"{stored.namespace}/{stored.name}" if self.resource.namespaced else stored.name
        return Entry(path, stored.namespace, stored.data, stored.revision, 0)

    @property
    def kind(self) -> GroupVersionKind:
        """The kind of what is read and written here: the resource's, or its subresource's (Scale)."""
        for subresource in self.resource.subresources:
            if subresource.name == self.subresource:
                return subresource.gvk
        return self.resource.gvk

    def own(self, live: Object | None, new: Object, manager: str) -> None:
        """Record in managedFields of `new`, which is made of `live` (None: of nothing), what `manager` sets."""
        if self.ownership is not None:
            self.ownership.update(
                live,
                new,
                manager=manager,
                subresource=self.subresource,
                api_version=self.resource.api_version,
                now=clock.now(),
            )

    def is_convertible(self, obj: Object) -> bool:
        """Whether what a client calls a custom resource of another version can be had in this one."""
        version = obj.get("apiVersion")
        if version == self.resource.api_version or not self.is_custom or self.ownership is None:
            return True
        return isinstance(version, str) and self.ownership.has_version(version)

    def as_sibling(self) -> Sibling:
        return Sibling(self.resource, self.kind, self.codec)

    def refuse_mutation(self, kind: GroupVersionKind) -> str:
        if self.is_custom or kind == self.kind:
            return ""
        return mutated.not_convertible(kind, self.kind)

    def is_served(self, kind: GroupVersionKind) -> bool:
        return self.siblings is None or all(each.is_served for each in self.siblings() if each.kind == kind)

    def default(self, obj: Object, *, drops_nulls: bool = False) -> Object:
        return mutated.default_configured(obj, self.codec, drops_nulls=drops_nulls)

    def read_mutated(self, value: Any, kind: GroupVersionKind, *, is_strict: bool = False) -> Object:
        if is_strict and not self.is_custom:
            kind = mutatedkinds.find(value, kind, self.kind)
        return mutated.read(value, kind, self._codec_of(kind), is_strict=is_strict)

    def _codec_of(self, kind: GroupVersionKind) -> Codec:
        """A custom resource's reads all of its versions; of built-in kinds each version has its own."""
        if self.is_custom or self.siblings is None:
            return self.codec
        found = (each.codec for each in self.siblings() if each.resource.api_version == kind.api_version)
        return next(found, self.codec)

    def convert(self, obj: Object, kind: GroupVersionKind) -> Object | Awaitable[Object]:
        return self.codec.convert(obj, kind.api_version)

    def bring_back(self, obj: Object, known: Object) -> Object | Awaitable[Object]:
        return self.codec.bring_back(obj, known, self.kind.api_version)

    def merge(self, live: Object, patch: Object) -> Object:
        if self.ownership is None:
            raise MergeError("type converter must not be nil")
        if self.kind in _UNTYPED:
            raise mutated.no_type(self.kind)
        try:
            return self.ownership.merge(live, patch, live.get("apiVersion") or "")
        except ValueError as error:
            raise MergeError(str(error)) from error

    def equivalents(self) -> Sequence[Equivalent]:
        siblings = self.siblings() if self.siblings is not None else (self.as_sibling(),)
        return [
            Equivalent(each.resource.group, each.resource.version, each.resource.name, each.kind) for each in siblings
        ]


class Siblings:
    """Those of one resource, by subresource."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[str, list[Sibling]] = {}

    def add(self, scopes: Mapping[str, Scope]) -> None:
        """Another version, whose scopes are given by subresource."""
        for subresource, scope in scopes.items():
            self._found.setdefault(subresource, []).append(scope.as_sibling())

    def add_unserved(self, resource: APIResource, codec: Codec) -> None:
        """Another version, which nobody reaches: rules of webhooks and policies may name it all the same."""
        for subresource, kind in (("", resource.gvk), *((each.name, each.gvk) for each in resource.subresources)):
            self._found.setdefault(subresource, []).append(Sibling(resource, kind, codec, is_served=False))

    def of(self, subresource: str) -> Sequence[Sibling]:
        return self._found.get(subresource, ())


Builtin = Mapping[tuple[str, str, str], Mapping[str, Scope]]
"""The scopes of the built-in resources by (group, version, resource) and subresource."""
