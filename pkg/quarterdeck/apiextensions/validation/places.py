"""Where the schemas within a schema stand: in which resource, and by which way.

Source: apiextensions-apiserver/pkg/apiserver/schema/defaulting/surroundingobject.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, final

from quarterdeck._kernels import longsteps
from quarterdeck.schema import structural

Schema = dict[str, Any]

_META_FIELDS: Final = frozenset(("metadata", "kind", "apiVersion"))


@final
class _Way:
    """How a schema was come to: through a property, or through the items of a list (None)."""

    __slots__ = ("before", "key")

    def __init__(self, before: _Way | None, key: str | None) -> None:
        self.before = before
        self.key = key

    def steps(self) -> list[str | None]:
        found: list[str | None] = []
        way: _Way | None = self
        while way is not None:
            found.append(way.key)
            way = way.before
        found.reverse()
        return found


@final
class Place:
    """`resource_depth`: how many steps lead to the resource that the schema is in; `is_resource`: it is that resource's
    own schema. `is_inside_meta`: the schema is of the resource's metadata, apiVersion or kind, or below."""

    __slots__ = ("is_inside_meta", "is_resource", "resource_depth", "schema", "way")

    def __init__(
        self, schema: Schema, way: _Way | None, resource_depth: int, *, is_resource: bool, is_inside_meta: bool
    ) -> None:
        self.schema = schema
        self.way = way
        self.resource_depth = resource_depth
        self.is_resource = is_resource
        self.is_inside_meta = is_inside_meta

    def path(self, root: str) -> str:
        steps = self.way.steps() if self.way is not None else []
        return root + "".join(".items" if key is None else f".properties[{key}]" for key in steps)

    def surround(self, value: Any) -> dict[str, Any]:
        """The resource in which nothing but the value is set."""
        steps = self.way.steps() if self.way is not None else []
        for key in reversed(steps[self.resource_depth :]):
            value = [value] if key is None else {key: value}
        return {"kind": "Validation", "apiVersion": "validation/v1", **value}

    def find(self, resource: Any) -> Any:
        """What stands where `surround` puts a value; None where nothing does."""
        steps = self.way.steps() if self.way is not None else []
        for key in steps[self.resource_depth :]:
            if key is None:
                resource = resource[0] if resource else None
            else:
                resource = (resource or {}).get(key)
        return resource


def children(place: Place) -> Iterator[Place]:
    """The schemas directly within that are not plain."""
    schema, way = place.schema, place.way
    if isinstance(items := schema.get("items"), dict):
        yield _child(place, items, _Way(way, None), is_meta=False)
    for key, child in (schema.get("properties") or {}).items():
        longsteps.pause()
        if not (child.keys() <= structural.PLAIN_KEYWORDS and child.get("type") in structural.PLAIN_TYPES):
            yield child_of(place, child, key)


def child_of(place: Place, schema: Schema, key: str) -> Place:
    """Of a property, or of what additionalProperties are like."""
    return _child(place, schema, _Way(place.way, key), is_meta=place.is_resource and key in _META_FIELDS)


def _child(place: Place, schema: Schema, way: _Way, *, is_meta: bool) -> Place:
    if schema.get("x-kubernetes-embedded-resource"):
        return Place(schema, way, len(way.steps()), is_resource=True, is_inside_meta=False)
    return Place(schema, way, place.resource_depth, is_resource=False, is_inside_meta=is_meta or place.is_inside_meta)
