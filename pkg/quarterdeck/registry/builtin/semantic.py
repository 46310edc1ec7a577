"""Whether a part of an object is as it was, for the kinds whose strategies ask Go's semantic equality.

Source: apimachinery/pkg/api/equality.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.schema import gosame, gotypes


def same(one: Any, other: Any, table: str, struct_name: str) -> bool:
    """Of two values of a struct of a table of types."""
    return one == other or gosame.same(one, other, gotypes.named_struct(table, struct_name))
