"""A custom resource between its stored bytes and one served version.

An object is stored in the version that was the storage version at the time. Reading it applies that version's
defaults, converts, and prunes by the schema of the version that is asked for; the bytes of an object for which none of
this changes anything are shown as they are.

Differs from upstream: an object with a member `items` is an object. There it is taken for a list when it is read.

Source: apiextensions-apiserver/pkg/apiserver/customresource_handler.go (crdConversionRESTOptionsGetter,
schemaCoercingConverter, unstructuredDefaulter).
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from functools import partial
from typing import Any, Final, Protocol

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.apimachinery.meta import split_api_version
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.registry import mutated
from quarterdeck.registry.awaited import settle
from quarterdeck.registry.customresource.conversion import ConversionError, Converter, put_revision, take_revision
from quarterdeck.registry.errors import too_large
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import metadecode
from quarterdeck.schema.metadecode import DecodeError
from quarterdeck.storage.interface import VALUE_BYTES_MAX

_NULL_VERSION: Final = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"


class SchemaEngine(Protocol):
    """schema.Engine, as far as reading and writing need it."""

    preserves: bool

    def prune_and_default(self, obj: Object, *, report_unknown: bool) -> list[str]: ...

    def default_applied(self, obj: Object) -> tuple[bool, bool]: ...

    def default_admitted(self, obj: Object, *, drops_nulls: bool = False) -> None: ...

    def settle_admitted(self, obj: Object) -> None: ...

    def drop_unseen(self, obj: Object) -> bool: ...

    def prune(self, obj: Object) -> None: ...

    def default(self, obj: Object) -> bool: ...


class CustomResourceCodec:
    """`engines` by apiVersion, of all versions of the definition, served or not."""

    def __init__(
        self,
        gvk: GroupVersionKind,
        storage_api_version: str,
        engines: Mapping[str, SchemaEngine],
        converter: Converter,
    ) -> None:
        self._gvk = gvk
        self._api_version: Final = gvk.api_version
        self._storage_api_version = storage_api_version
        self._engines = engines
        self._engine = engines[gvk.api_version]
        self._converter = converter
        self.waits = converter.waits
        self.awaited_version = storage_api_version if converter.waits and gvk.api_version != storage_api_version else ""
        self.reads_what_it_writes = not converter.waits and gvk.api_version == storage_api_version
        self._current_head = b'{"apiVersion":"%b",' % gvk.api_version.encode()

    def normalize(self, obj: Object, *, report_unknown: bool) -> list[str]:
        try:
            return self._engine.prune_and_default(obj, report_unknown=report_unknown)
        except DecodeError as error:
            raise self._refusal(obj, error) from error

    def normalize_applied(self, obj: Object, *, is_kept: bool = False) -> tuple[bool, bool]:
        found = self._engine.default_applied(obj)
        return found if self._api_version == self._storage_api_version else (False, False)  # converting drops them

    def normalize_foreign(self, obj: Object, *, report_unknown: bool) -> list[str]:
        """Another version of the resource is pruned by its own schema, or to nothing where there is no such version; of
        other kinds, and where nothing is pruned, only the metadata is read."""
        api_version = obj.get("apiVersion", "")
        if api_version is None:
            raise self._refusal(obj, DecodeError(_NULL_VERSION))
        is_same_kind = obj.get("kind") == self._gvk.kind and split_api_version(api_version)[0] == self._gvk.group
        try:
            if is_same_kind and api_version in self._engines:
                return self._engines[api_version].prune_and_default(obj, report_unknown=report_unknown)
            obj["metadata"], unknown = metadecode.decode_object_meta(obj.get("metadata"))
        except DecodeError as error:
            raise self._refusal(obj, error) from error
        if is_same_kind and not self._engine.preserves:
            pruned = sorted(name for name in obj if name not in ("apiVersion", "kind", "metadata"))
            for name in pruned:
                del obj[name]
            unknown = unknown + pruned
        return unknown if report_unknown else []

    def _refusal(self, obj: Object, error: DecodeError) -> BadRequest:
        version = split_api_version(obj.get("apiVersion") or "")[1]
        shown = f"{obj.get('kind', '')} in version {gofmt.quote(version)}"
        return BadRequest(f"{shown} cannot be handled as a {self._gvk.kind}: {error}")

    def decode(self, data: bytes, read: Object | None = None) -> Object:
        obj = json_codec.load_sharing(data) if read is None else read
        if obj.get("apiVersion") == self._api_version:
            self._engine.default(obj)
            return obj
        self._show(obj)
        return self._converted(obj)

    def is_current(self, data: bytes) -> bool:
        """What is stored in this version has been pruned and defaulted by its schema when it was decoded."""
        return data.startswith(self._current_head)

    def _show(self, obj: Object) -> bool:
        """Apply the defaults of the version that the object is stored in."""
        engine = self._engines.get(obj.get("apiVersion", ""))
        return engine.default(obj) if engine is not None else False

    def _converted(self, obj: Object) -> Object:
        if obj.get("apiVersion") == self._api_version:
            return obj
        revision = take_revision(obj) if self.waits else ""
        converted = self._converter.convert(obj, self._api_version)
        put_revision(converted, revision)
        _prune(self._engine, converted)
        return converted

    def as_stored(self, obj: Object) -> Object:
        """Whatever JSON tells apart is kept."""
        return obj

    def encode(self, obj: Object) -> bytes:
        if self._api_version != self._storage_api_version:
            obj = self._converter.convert(obj, self._storage_api_version)
            _prune(self._engines[self._storage_api_version], obj)
        return self.encode_unconverted(obj)

    def default(self, obj: Object, unknown: list[str] | None = None) -> Object:
        """No field is unknown: upstream reads it without its schema."""
        return self.default_configured(obj)

    def default_configured(self, obj: Object, *, drops_nulls: bool = False) -> Object:
        if (engine := self._engines.get(obj.get("apiVersion", ""))) is not None:
            engine.default_admitted(obj, drops_nulls=drops_nulls)
        return obj

    def check_mutated(self, value: Any, kind: GroupVersionKind) -> Object:
        return mutated.check_custom(value, kind, self._engines.keys())

    def convert(self, obj: Object, api_version: str) -> Object | Awaitable[Object]:
        if self.waits:
            return settle(partial(self._convert, obj, api_version))
        return self._convert(obj, api_version)

    def bring_back(self, obj: Object, known: Object, api_version: str) -> Object | Awaitable[Object]:
        return self.convert(obj, api_version)

    def _convert(self, obj: Object, api_version: str) -> Object:
        """What admission sees in another version is neither pruned nor defaulted by that version's schema."""
        converted = obj
        if obj.get("apiVersion") != api_version:
            converted = self._converter.convert(obj, api_version)
        if api_version == self._api_version:
            self._engine.settle_admitted(converted)
        return converted

    def reread(self, obj: Object) -> bool:
        """What is stored in another version is pruned where it is converted (`encode`)."""
        return self._api_version == self._storage_api_version and self._engine.drop_unseen(obj)

    def encode_unconverted(self, obj: Object) -> bytes:
        data = json_codec.encode_stored(obj, VALUE_BYTES_MAX, is_untyped=True)
        if data is None:
            raise too_large()
        return data

    def present(self, data: bytes) -> bytes:
        """Stored bytes as this version shows them; the same bytes where nothing has to be done."""
        obj = json_codec.load(data)
        changed = self._show(obj)
        if obj.get("apiVersion") == self._api_version:
            return json_codec.encode(obj) if changed else data
        return json_codec.encode(self._converted(obj))

    async def present_all(self, stored: list[bytes]) -> list[bytes]:
        """As `present` for each, with few calls of the webhook. Raises ConversionError for the first that cannot be
        shown."""
        objs = [json_codec.load(data) for data in stored]
        for obj in objs:
            self._show(obj)
        foreign = [obj for obj in objs if obj.get("apiVersion") != self._api_version]
        revisions = [take_revision(obj) for obj in foreign]
        converted = zip(await self._converter.fetch(foreign, self._api_version), revisions, strict=True)
        shown = []
        for obj in objs:
            if obj.get("apiVersion") != self._api_version:
                obj, revision = next(converted)
                put_revision(obj, revision)
                _prune(self._engine, obj)
            shown.append(json_codec.encode(obj))
        return shown


def _prune(engine: SchemaEngine, converted: Object) -> None:
    """Raises ConversionError where an embedded resource's apiVersion, kind or metadata is of a wrong type."""
    try:
        engine.prune(converted)
    except DecodeError as error:
        raise ConversionError(str(error)) from error
