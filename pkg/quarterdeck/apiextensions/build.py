"""From a CustomResourceDefinition to what serves it: one small function a concern.

Everything that is costly (programs of schemas, columns of tables) is built at its first use, by the parts themselves,
which read the schema then (schemas.py) and do not keep it.
Source: apiextensions-apiserver/pkg/apiserver/customresource_handler.go (getOrCreateServingInfoFor).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from quarterdeck.apiextensions import versions as versions_of
from quarterdeck.apiextensions.firstuse import first_use_of
from quarterdeck.apiextensions.foreign import read_foreign
from quarterdeck.apiextensions.ownership import build_ownership
from quarterdeck.apiextensions.publishing import is_doubtful, publish
from quarterdeck.apiextensions.ruletimes import RuleTimes
from quarterdeck.apiextensions.schemas import StoredRules, StoredSchemas, look_into
from quarterdeck.apiextensions.served import ServedDefinition
from quarterdeck.apis.resource import APIResource, PrinterColumn
from quarterdeck.fieldmanager.manager import FieldManager
from quarterdeck.fieldmanager.types import TypeSchema, from_open_api
from quarterdeck.registry.customresource.codec import CustomResourceCodec
from quarterdeck.registry.customresource.conversion import Converter, NoneConverter
from quarterdeck.registry.customresource.forms import AwaitedForm, ObjectForm
from quarterdeck.registry.customresource.strategy import CustomResourceStrategy, StatusStrategy
from quarterdeck.registry.filling import Filling
from quarterdeck.registry.inflight import InFlight
from quarterdeck.registry.scale import ScalePaths
from quarterdeck.registry.scope import Scope, Siblings, TableConvertor
from quarterdeck.registry.store import Store
from quarterdeck.registry.strategy import Object
from quarterdeck.schema.engine import Engine
from quarterdeck.storage.cacher import Attributes

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

    from quarterdeck.coverage.data import CoverageData
    from quarterdeck.registry.customresource.callers import ConversionWebhooks

_TERMINATING_REFUSAL: Final = "create not allowed while custom resource definition is terminating"

Definition = Mapping[str, Any]
T = TypeVar("T")
SelectFields = Callable[[Object], dict[str, str]]
StoreFactory = Callable[[str, str, bool, Callable[[Object], Attributes], SelectFields | None], Store]
TableFactory = Callable[[APIResource, list[PrinterColumn]], TableConvertor]


@dataclass(frozen=True, slots=True)
class Builder:
    """`store_of(group, plural, namespaced, attributes, fields)` gives the store of a resource, the same one while it is
    served. `table_of` compiles the columns of a table; `webhooks` convert. `rule_times` is told what rules take, and
    `noted` what becomes of them and of conversions, where somebody wants to know."""

    store_of: StoreFactory
    table_of: TableFactory
    webhooks: ConversionWebhooks
    rule_times: RuleTimes
    noted: CoverageData | None = None

    def build(self, definition: Definition, data: bytes, before: ServedDefinition | None = None) -> ServedDefinition:
        """`definition` has been accepted (its status carries the accepted names), and need not have its schemas; `data`
        is how it is stored. `before`: what was served, where upstream keeps its storage: requests are counted on, and
        caches stay filled."""
        spec = definition["spec"]
        group, versions, namespaced = spec["group"], spec["versions"], spec["scope"] == "Namespaced"
        storage = next(version["name"] for version in versions if version["storage"])
        names = definition["status"]["acceptedNames"]
        paths = tuple(sorted({path for version in versions for path in versions_of.selectable_paths(version)}))
        in_flight = InFlight() if before is None else before.in_flight
        schemas = self._find_schemas(definition, data)
        engines = _build_engines(group, versions, schemas)
        as_read: SelectFields = partial(versions_of.fields_as_read, engines, paths)
        fields = as_read if paths and not versions_of.is_first(definition) else None
        store = self.store_of(group, names["plural"], namespaced, versions_of.attributes_by(paths), fields)
        if paths and store.cache.is_inherited:
            store.cache.forget_fields(as_read)
        read_foreign(store, definition, engines)
        converter = self._build_converter(definition, tuple(engines))
        types = {f"{group}/{each['name']}": _once(partial(_read_types, schemas, each["name"])) for each in versions}
        ownership = build_ownership(group, names["kind"], versions, types, converter)
        fillings = _build_fillings(store.cache.revision, tuple(engines)) if before is None else before.fillings
        scopes: dict[str, dict[str, Scope]] = {}
        siblings = Siblings()
        texts, published, storage_scope = schemas.texts(), [], None
        for version in versions:
            resource = versions_of.build_resource(definition, version, storage)
            api_version = f"{group}/{storage}"
            if not version["served"]:
                siblings.add_unserved(resource, CustomResourceCodec(resource.gvk, api_version, engines, converter))
            if not (version["served"] or version["storage"]):
                continue
            text = texts[version["name"]]
            parts = _VersionParts(definition, version, resource, api_version, engines, converter, in_flight)
            has_rules, parts.has_defaults = look_into(text)
            parts.rules = StoredRules(schemas, version["name"], self.rule_times) if has_rules else None
            parts.is_inherited = store.cache.is_inherited
            parts.filling = fillings[f"{group}/{version['name']}"]
            parts.begins = first_use_of(text, engines[resource.api_version], parts.rules, types[resource.api_version])
            built = self._build_scopes(parts, store, ownership, siblings)
            if version["storage"]:
                storage_scope = built[""]
            if version["served"]:
                published.append(publish(resource, version, schemas, text))
                scopes[version["name"]] = built
                siblings.add(built)
        assert storage_scope is not None
        return ServedDefinition(
            name=definition["metadata"]["name"],
            group=group,
            plural=names["plural"],
            store=store,
            scopes=scopes,
            storage_scope=storage_scope,
            published=tuple(published),
            schemas=schemas,
            in_flight=in_flight,
            fillings=fillings,
        )

    def _find_schemas(self, definition: Definition, data: bytes) -> StoredSchemas:
        counting = None if self.noted is None else self.noted.rules_of_versions(definition["metadata"]["name"])
        preserves = bool(definition["spec"].get("preserveUnknownFields"))
        return StoredSchemas(data, counting, preserves=preserves, is_doubtful=is_doubtful(definition))

    def _build_converter(self, definition: Definition, versions: tuple[str, ...]) -> Converter:
        conversion = definition["spec"].get("conversion") or {}
        if conversion.get("strategy") == "Webhook":
            # Few definitions ask for one, and its parts take long to load.
            from quarterdeck.registry.customresource.webhook import WebhookConverter

            webhook, name = conversion.get("webhook") or {}, definition["metadata"]["name"]
            if self.noted is not None:
                from quarterdeck.registry.customresource.countedwebhook import CountedConverter

                return CountedConverter(webhook, versions, self.webhooks, name, self.noted.conversions_of(name))
            return WebhookConverter(webhook, versions, self.webhooks, name)
        return NoneConverter(versions)

    def _build_scopes(
        self, parts: _VersionParts, store: Store, ownership: FieldManager, siblings: Siblings
    ) -> dict[str, Scope]:
        codec = CustomResourceCodec(parts.resource.gvk, parts.storage_api_version, parts.engines, parts.converter)
        if parts.converter.waits and not parts.is_stored_alone:
            form: ObjectForm = AwaitedForm(codec, parts.resource.gvk)
        else:
            form = ObjectForm(codec, parts.resource.gvk, is_stored=parts.is_shown_as_stored)
        columns = versions_of.printer_columns(parts.version)
        table = _once(partial(self.table_of, parts.resource, columns))

        def build_scope(subresource: str, strategy: CustomResourceStrategy) -> Scope:
            return Scope(
                resource=parts.resource,
                subresource=subresource,
                store=store,
                codec=codec,
                strategy=strategy,
                object_form=form,
                ownership=ownership,
                table=table,
                is_custom=True,
                deprecation_warning=versions_of.deprecation_warning(parts.definition, parts.version),
                create_refusal=_TERMINATING_REFUSAL if versions_of.is_terminating(parts.definition) else "",
                selectable_fields=tuple(path.removeprefix(".") for path in versions_of.selectable_paths(parts.version)),
                scale=parts.scale,
                siblings=partial(siblings.of, subresource),
                in_flight=parts.in_flight,
                filling=None if form.is_stored else parts.filling,
                begins=parts.begins,
            )

        strategy = parts.build_strategy(CustomResourceStrategy)
        scopes = {"": build_scope("", strategy)}
        if parts.has_status:
            scopes["status"] = build_scope("status", parts.build_strategy(StatusStrategy))
        if parts.scale is not None:
            scopes["scale"] = build_scope("scale", strategy)
        return scopes


def _build_engines(group: str, versions: list[Any], schemas: StoredSchemas) -> dict[str, Engine]:
    names = [version["name"] for version in versions]
    return {f"{group}/{name}": Engine(partial(schemas.read, name), preserves=schemas.preserves) for name in names}


def _build_fillings(since: int, api_versions: tuple[str, ...]) -> Mapping[str, Filling]:
    heads = tuple(b'{"apiVersion":"%b",' % api_version.encode() for api_version in api_versions)
    return {api_version: Filling(since, heads) for api_version in api_versions}


class _VersionParts:
    """The values that the scopes of one version share."""

    def __init__(
        self,
        definition: Definition,
        version: Definition,
        resource: APIResource,
        storage_api_version: str,
        engines: Mapping[str, Engine],
        converter: Converter,
        in_flight: InFlight,
    ) -> None:
        self.converter = converter
        self.in_flight = in_flight
        self.filling: Filling | None = None
        self.is_inherited = False
        self.begins: Callable[[], bool] | None = None
        self.definition = definition
        self.version = version
        self.resource = resource
        self.storage_api_version = storage_api_version
        self.engines = engines
        subresources = version.get("subresources") or {}
        self.has_status = subresources.get("status") is not None
        self.scale = _scale_paths(subresources.get("scale"))
        self.rules: StoredRules | None = None
        self.has_defaults = False

    @property
    def is_shown_as_stored(self) -> bool:
        """Stored bytes are the answer: all objects are stored in this version, and reading adds nothing, nor does it
        take away what an earlier schema let in."""
        is_first = versions_of.is_first(self.definition)
        return self.is_stored_alone and is_first and not self.has_defaults

    @property
    def is_stored_alone(self) -> bool:
        """All objects are stored in this version. What an earlier definition has left may be stored in any."""
        if self.is_inherited:
            return False
        stored = self.definition["status"].get("storedVersions") or []
        return self.resource.api_version == self.storage_api_version and stored == [self.resource.version]

    def build_strategy(self, strategy: type[CustomResourceStrategy]) -> CustomResourceStrategy:
        return strategy(
            self.resource.gvk,
            namespaced=self.resource.namespaced,
            has_status=self.has_status,
            schema=self.engines[self.resource.api_version],
            rules=self.rules,
            scale=self.scale,
        )


def _read_types(schemas: StoredSchemas, version: str) -> TypeSchema:
    return from_open_api(schemas.find_structural(version), preserves=schemas.preserves)


def _scale_paths(scale: Definition | None) -> ScalePaths | None:
    if scale is None:
        return None
    return ScalePaths(scale["specReplicasPath"], scale["statusReplicasPath"], scale.get("labelSelectorPath") or "")


def _once(build: Callable[[], T]) -> _lru_cache_wrapper[T]:
    """`build` at the first call, its value from then on."""
    return lru_cache(maxsize=1)(build)
