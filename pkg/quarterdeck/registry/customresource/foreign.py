"""Custom objects that no API server has written: whatever their definition does not have, and metadata that does not
fit, is dropped as they are read.

An API server prunes what it stores, and notes who owns its fields. So values with managedFields are taken as they are:
to look into each costs more than all the rest of reading it.

Source: apiextensions-apiserver/pkg/apiserver/customresource_handler.go (unstructuredSchemaCoercer.apply, of storage).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final, Protocol

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.strategy import Object

_OWNED: Final = b'"managedFields":'
_LOG: Final = logging.getLogger(__name__)


class StoredSchema(Protocol):
    """schema.Engine, as far as it is needed."""

    def prune_foreign(self, obj: Object) -> bool:
        """Whether anything was changed."""


class ForeignValues:
    """Of the objects of one definition; `schemas` by apiVersion."""

    def __init__(self, kind: str, schemas: Mapping[str, StoredSchema]) -> None:
        self._kind = kind
        self._schemas = schemas

    def coerce(self, value: bytes) -> bytes:
        """`value` itself where it may stay as it is. Else the resourceVersion is not part of what comes of it."""
        if _OWNED in value:
            return value
        try:
            return self._coerced(value)
        except Exception as error:  # noqa: BLE001 - such a schema, or value, must not stop the feed of everything else
            _LOG.error("a stored %s cannot be read by its schema: %s", self._kind, error)
            return value

    def _coerced(self, value: bytes) -> bytes:
        obj: Any = json_codec.load(value)
        if not isinstance(obj, dict) or obj.get("kind") != self._kind:
            return value
        api_version = obj.get("apiVersion")
        schema = self._schemas.get(api_version) if isinstance(api_version, str) else None
        if schema is None or not schema.prune_foreign(obj):
            return value
        return json_codec.encode(json_codec.canonical_object(obj))
