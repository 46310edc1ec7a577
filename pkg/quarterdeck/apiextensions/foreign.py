"""Where objects come from that no API server has written: a store that others write to as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.registry.customresource.foreign import ForeignValues
from quarterdeck.registry.store import Store
from quarterdeck.schema.engine import Engine


def read_foreign(store: Store, definition: Mapping[str, Any], engines: Mapping[str, Engine]) -> None:
    """From now on they are read by these schemas; those that are there already are read again where nothing has read
    them so."""
    if store.lags:
        kind = definition["status"]["acceptedNames"]["kind"]
        store.cache.coerce_by(ForeignValues(kind, engines).coerce)
