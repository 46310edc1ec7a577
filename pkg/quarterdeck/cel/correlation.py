"""Which old value belongs to a new one, and whether both are equal: what ratcheting goes by.

A child is correlated through the schema: fields by name, entries of lists of type map by their keys, nothing else. A
map with a key that the schema does not describe is never equal to its old value, which is why rules at the root of a
resource (with its metadata) are never ratcheted. Source: apiserver's pkg/cel/common/equality.go and maplist.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from quarterdeck._kernels import celcompare, celvalue

Schema = Mapping[str, Any]

ABSENT: Final = celvalue.missing


class Correlated:
    """A new value with its old one. `equal()` is computed once."""

    __slots__ = ("_equal", "_items", "new", "old", "schema")

    def __init__(self, new: object, old: object, schema: Schema) -> None:
        self.new = new
        self.old = old
        self.schema = schema
        self._equal: bool | None = None
        self._items: dict[object, object] | None = None

    def key(self, name: str) -> Correlated | None:
        if type(self.old) is not dict or type(self.new) is not dict or name not in self.old or name not in self.new:
            return None
        schema = _value_schema(self.schema, name)
        return None if schema is None else Correlated(self.new[name], self.old[name], schema)

    def index(self, item: object) -> Correlated | None:
        items = self.schema.get("items")
        if type(self.old) is not list or not items or self.schema.get("x-kubernetes-list-type") != "map":
            return None
        if self._items is None:
            self._items = by_key(self.old, map_keys_of(self.schema))
        old = self._items.get(composite_key(item, map_keys_of(self.schema)), ABSENT)
        return None if old is ABSENT or old is None else Correlated(item, old, items)

    def equal(self) -> bool:
        if self._equal is None:
            self._equal = deep_equal(self.new, self.old, self.schema)
        return self._equal


def _value_schema(schema: Schema, name: str) -> Schema | None:
    found = (schema.get("properties") or {}).get(name)
    if found is None:
        found = schema.get("additionalProperties")
    return found if isinstance(found, Mapping) else None


def map_keys_of(schema: Schema) -> Sequence[str]:
    return schema.get("x-kubernetes-list-map-keys") or ()


def composite_key(item: object, keys: Sequence[str]) -> object:
    """What identifies an entry of a list of type map; None for what cannot be identified."""
    if type(item) is not dict:
        return None
    parts: list[tuple[type, object]] = []
    for key in keys:
        part = item.get(key)
        if not isinstance(part, (str, bool, int, float)):
            return None
        # Upstream tells items of several keys apart by texts of these, which have six digits of a fraction.
        parts.append((type(part), f"{part:f}" if isinstance(part, float) and len(keys) > 1 else part))
    return tuple(parts)


def by_key(items: list[Any], keys: Sequence[str]) -> dict[object, object]:
    """Entries by key; the first of several with the same."""
    found: dict[object, object] = {}
    for item in items:
        key = composite_key(item, keys)
        if key is not None:
            found.setdefault(key, item)
    return found


def deep_equal(new: object, old: object, schema: Schema | None) -> bool:
    """Equality as far as the schema correlates; a worklist, since values nest as deep as JSON may."""
    stack: list[tuple[object, object, Schema]] = [(new, old, schema or {})]
    while stack:
        new, old, node = stack.pop()
        if type(new) is dict and type(old) is dict:
            if len(new) != len(old):
                return False
            for name, value in new.items():
                child = _value_schema(node, name)
                if child is None or name not in old:
                    return False
                stack.append((value, old[name], child))
        elif type(new) is list and type(old) is list:
            if len(new) != len(old):
                return False
            items = node.get("items")
            if not new:
                continue
            if not isinstance(items, Mapping) or node.get("x-kubernetes-list-type") != "map":
                if not celcompare.json_equals(new, old):
                    return False
                continue
            keys = map_keys_of(node)
            known = by_key(old, keys)
            for item in new:
                match = known.get(composite_key(item, keys))
                if match is None:
                    return False
                stack.append((item, match, items))
        elif not celcompare.json_equals(new, old):
            return False
    return True
