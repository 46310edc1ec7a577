"""Whether the next write has to read a large schema first: to compile it, its rules and its types.

That is done once for each version of a definition, by the first write that needs it, and takes a tenth of a second for
a schema of 400 KB. So a write that begins before it is done runs beside the event loop, as large ones do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from quarterdeck.apiextensions.schemas import StoredRules
from quarterdeck.apimachinery import offload
from quarterdeck.schema.engine import Engine

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper


def first_use_of(
    text: bytes, engine: Engine, rules: StoredRules | None, types: _lru_cache_wrapper[object]
) -> Callable[[], bool] | None:
    """`text`: the version as it is stored; None where it is not large. `types`: what reads the types of its fields."""
    return partial(_begins, engine, rules, types) if len(text) > offload.LARGE_BYTES else None


def _begins(engine: Engine, rules: StoredRules | None, types: _lru_cache_wrapper[object]) -> bool:
    is_read = engine.compiled is not None and (rules is None or rules.is_read)
    return not (is_read and types.cache_info().currsize)
