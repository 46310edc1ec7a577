"""Whether a part of an object is as it was, for the kinds whose strategies ask Go's semantic equality.

Source: apimachinery/pkg/api/equality.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.schema import gosame, gotypes


def same(one: Any, other: Any, table: str, struct_name: str) -> bool:
    """Of two values of a struct of a table of types."""
    return one == other or gosame.same(one, other, gotypes.named_struct(table, struct_name))


def count_change(
    new: dict[str, Any], old: dict[str, Any], part: str, table: str, struct_name: str, times: SentTimes | None = None
) -> None:
    """Raise the generation of the new object where a part of it is another than before. `times`: of a kind that has
    some in that part."""
    if not same(new[part], old.get(part), table, struct_name) or (times is not None and times.have_fraction(part)):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
